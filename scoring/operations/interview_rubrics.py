"""The rubrics by which people rate interviews: one overall mark, or five aspects and overall.

References:
    Yu et al. (2024), KIEval, section 4.4: annotators gave one score from 1 to 4. The five aspects are
    those of the evaluator's verdict. All wording is ours.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from annotation.models import Project, RubricVersion, User
from annotation.queries import rounds
from annotation.rubrics import operations as rubrics
from annotation.rubrics.rules import CriterionText, LevelText, Wording

PRINCIPLE: Final = (
    "Grade what the assistant says last, as an answer to what it was asked last; what went before "
    "shows what it has said already. Where a whole conversation is shown, grade all that the assistant "
    "says in it, the later answers as much as the first.\n\n"
    "The standard answer belongs to the question at the beginning. An answer to a later question may be "
    "right without mentioning it, and is wrong where it contradicts it.\n\n"
    "Do not grade the one who asks. Length, politeness and layout count neither for nor against, but "
    "for conciseness where that is a criterion."
)
LABELS: Final = ("Poor", "Below average", "Above average", "Strong")
OVERALL: Final = (
    "overall",
    "Overall",
    "How well does the assistant know what it speaks of?",
    (
        "It does not know, makes things up, or does not answer.",
        "It knows some of it; an important part is wrong, missing or beside the question.",
        "It knows it; a smaller part is wrong, missing or unclear.",
        "It knows it well, gives sound reasons, and keeps to what was asked.",
    ),
)
ASPECTS: Final = (
    (
        "accuracy",
        "Accuracy",
        "Is what it says true, and does it answer what was asked?",
        (
            "Wrong in what matters, or no answer.",
            "Partly wrong, or it answers only a part.",
            "Right, but for something small.",
            "Right and complete.",
        ),
    ),
    (
        "logic",
        "Logic",
        "Do its reasons hold, and follow from each other?",
        (
            "No reasons where some are due, or they contradict each other.",
            "Reasons with a gap that matters.",
            "Sound reasons with a small gap.",
            "Sound reasons without a gap.",
        ),
    ),
    (
        "relevance",
        "Relevance",
        "Does it stay with the question?",
        (
            "It speaks of something else.",
            "Much of it is beside the question.",
            "A little of it is beside the question.",
            "All of it belongs to the question.",
        ),
    ),
    (
        "coherence",
        "Coherence",
        "Does it fit what it said before, in one line of thought?",
        (
            "It contradicts itself, or cannot be followed.",
            "It is hard to follow, or does not fit all it said before.",
            "It can be followed, and fits but for something small.",
            "It is easy to follow, and fits all it said before.",
        ),
    ),
    (
        "conciseness",
        "Conciseness",
        "Does it say what is needed, and no more?",
        (
            "Most of it is not needed, or it repeats itself.",
            "Much of it is not needed.",
            "A little of it is not needed.",
            "Nothing is too much, and nothing is missing for brevity.",
        ),
    ),
)
#: By key: what a form calls it, what the rubric is called, its criteria.
OFFERED: Final[Mapping[str, tuple[Any, str, tuple[Any, ...]]]] = {
    "interview-overall": (
        _("Interviews: one overall mark from 1 to 4"),
        "Interviews, overall",
        (OVERALL,),
    ),
    "interview-aspects": (
        _("Interviews: five aspects and overall, from 1 to 4"),
        "Interviews, five aspects",
        (*ASPECTS, OVERALL),
    ),
}


def met(*, project: Project, key: str, by: User, now: datetime) -> RubricVersion:
    """Return the newest version of one of the method's rubrics, written if the project lacks it.

    Raises:
        KeyError: the method has no such rubric.
    """
    _label, name, criteria = OFFERED[key]
    found = rounds.versions_of(project).filter(rubric__key=key).first()
    wording = Wording(PRINCIPLE, tuple(_criterion(*one) for one in criteria))
    return found or rubrics.create_rubric(
        project=project, key=key, name=name, wording=wording, by=by, now=now
    )


def _criterion(key: str, name: str, asked: str, levels: tuple[str, ...]) -> CriterionText:
    return CriterionText(
        key,
        name,
        minimum=Decimal(1),
        maximum=Decimal(4),
        description=asked,
        pass_at=Decimal(3),
        levels=tuple(
            LevelText(Decimal(value), label, said)
            for value, (label, said) in enumerate(zip(LABELS, levels, strict=True), start=1)
        ),
    )
