"""A small task for tests of the fusing judge."""

from decimal import Decimal

from annotation.common.scales import Scale
from scoring.llm.base import Message
from scoring.protocols.task_asking_v1 import Assistant, Criterion, Design, Example
from scoring.protocols.untrusted import Fence

FENCE = Fence("secret", "step")
ONE_TO_FIVE = Scale(Decimal(1), Decimal(5))
OVERLAP = Assistant("overlap", "Overlap", "share of words in common", "note and letter", 0, 1)
FIT = Assistant("fit", "Entailment", "whether the note follows", "letter, then note")
DESIGN = Design(
    "Judge a note to a customer.",
    (
        Criterion("clear", "Clear", ONE_TO_FIVE, "Easy to read.", ("Read it.",)),
        Criterion("true", "True", Scale(Decimal(0), Decimal(1), Decimal(1)), "Nothing wrong."),
    ),
    (OVERLAP, FIT),
    overall=ONE_TO_FIVE,
)
NOTE = Example(
    (("Letter", "When does it come?"),),
    (Message("assistant", "On Monday."),),
    {"overlap": 0.12345},
)


def said(clear=4, true=1, overall=3.5):
    return (
        f'{{"clear": {{"score": {clear}, "explanation": "c"}}, '
        f'"true": {{"score": {true}, "explanation": "t"}}, '
        f'"overall": {{"score": {overall}, "explanation": "o"}}}}'
    )
