"""The rubrics of a suite as rubrics for people: the choices are the levels, with the same worth."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.models import Project, RubricVersion, User
from annotation.queries import rounds
from annotation.rubrics import operations as rubrics
from annotation.rubrics import rules
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from scoring.models import Run
from scoring.operations.suite_raters import FINEST, MOST_NAME, short
from scoring.protocols.suite import placeholders
from scoring.protocols.suite.definition import Rubric
from scoring.queries import suite_frame

PRINCIPLE: Final = (
    "Grade what the assistant says last, as an answer to what was said before it. Where a whole "
    "conversation is shown, grade all that the assistant says in it.\n\n"
    "Do not grade the one who asks. Length, politeness and layout count only where the criterion says so."
)
#: What stands for the texts that a prompt is filled with: people see those beside it.
SHOWN: Final[Mapping[str, str]] = {
    "conversation": "[the whole conversation]",
    "input": "[the whole conversation]",
    "context": "[what was said before]",
    "content": "[the answer]",
    "completion": "[the answer]",
    "tool_calls": "[the tools that were called]",
}
#: A scale in more steps than this has none.
MOST_STEPS: Final = 1000


@dataclass(frozen=True)
class Offer:
    """A rubric that people can be given; it is written when it is first used."""

    name: str
    wording: Wording

    @property
    def label(self) -> str:
        (criterion,) = self.wording.criteria
        choices = ", ".join(one.label for one in criterion.levels)
        return _("%(name)s: %(choices)s") % {"name": self.name, "choices": choices[:120]}


def offered(run: Run) -> dict[str, Offer]:
    """Return the rubrics of a run's suite by key; those whose choices are all worth the same are none.

    The key is made of what the rubric says: the same words in a later run are the same rubric.
    """
    suite = suite_frame.suite_of(run)
    found: dict[str, Offer] = {}
    for name in dict.fromkeys(entry.name for _at, entry in suite.judged):
        rubric = suite.rubrics.get(name)
        wording = _wording(name, rubric) if rubric else None
        if rubric and wording and not rules.problems(wording):
            found[_key(name, rubric)] = Offer(short(name, MOST_NAME), wording)
    return found


def met(*, project: Project, run: Run, key: str, by: User, now: datetime) -> RubricVersion:
    """Return the newest version of one of the suite's rubrics, written if the project lacks it.

    Raises:
        KeyError: the suite has no such rubric.
    """
    offer = offered(run)[key]
    found = rounds.versions_of(project).filter(rubric__key=key).first()
    return found or rubrics.create_rubric(
        project=project, key=key, name=offer.name, wording=offer.wording, by=by, now=now
    )


def _key(name: str, rubric: Rubric) -> str:
    said = json.dumps([name, rubric.prompt, sorted(rubric.choices.items())])
    mark = hashlib.sha256(said.encode()).hexdigest()[:8]
    return f"suite-{slugify(name)[:30]}-{mark}".replace("--", "-")


def _wording(name: str, rubric: Rubric) -> Wording | None:
    levels: dict[Decimal, list[str]] = {}
    for choice, worth in rubric.choices.items():
        levels.setdefault(Decimal(repr(worth)).quantize(FINEST), []).append(choice)
    if len(levels) < 2:
        return None
    low, high = min(levels), max(levels)
    criterion = CriterionText(
        slugify(name)[:70] or "choice",
        short(name, MOST_NAME),
        minimum=low,
        maximum=high,
        description=placeholders.fill(rubric.prompt, dict(SHOWN)).strip(),
        step=_step(sorted(levels)),
        levels=tuple(
            LevelText(worth, " / ".join(choices)[:120]) for worth, choices in sorted(levels.items())
        ),
    )
    return Wording(PRINCIPLE, (criterion,))


def _step(worth: list[Decimal]) -> Decimal | None:
    """Return the widest step that meets every value; None where it would take too many."""
    width = math.gcd(*(int((one - worth[0]) / FINEST) for one in worth))
    step = (width * FINEST).normalize()
    return None if (worth[-1] - worth[0]) / step > MOST_STEPS else step
