"""Tasks of the direct judge for tests."""

from decimal import Decimal

from annotation.common.scales import Scale
from scoring.kinds.judging.asking_v1 import Criterion, Level, Task
from scoring.llm.base import Message
from scoring.protocols import untrusted

FENCE = untrusted.Fence("secret", "r7")
ACCURACY = Criterion(
    "accuracy",
    "Accuracy",
    Scale(Decimal(0), Decimal(3), Decimal(1)),
    "Whether the facts are right.",
    (Level(Decimal(0), "Wrong", "No fact is right."), Level(Decimal(3), "Right", "All are.")),
)
FLUENCY = Criterion("fluency", "Fluency", Scale(Decimal(1), Decimal(5), Decimal("0.5")))
CLARITY = Criterion("clarity", "Clarity", Scale(Decimal(0), Decimal(1)))


def task(answer="It is four.", *, criteria=(ACCURACY, FLUENCY), **more):
    return Task(
        question=(Message("user", "What is two and two?"),),
        answer=(Message("assistant", answer),),
        criteria=criteria,
        **more,
    )
