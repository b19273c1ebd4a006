"""What the releases of a round are called on a page: by name, or by number while names are hidden.

* What is said wherever results rest on a script that stands in for a language model.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.grading import facts as grade_table
from annotation.rounds.models import Round
from scoring.engine.models import Run
from scoring.shown import scripts as script_marks


@dataclass(frozen=True, slots=True)
class Name:
    """`text` stands on pages; `mark` is the ordinal of colour and shape."""

    release: int
    system: str
    label: str
    text: str
    mark: int


def names(round_: Round, *, shown: bool) -> dict[int, Name]:
    """Return the name of every release by its key, in the order of the draw.

    Hidden, a release is "System 1" and so on by its place in the draw, and wears the colour of
    that place.
    """
    releases = grade_table.releases([round_])
    if not shown:
        hidden = [_("System %(number)d") % {"number": n} for n in range(1, len(releases) + 1)]
        return {one.pk: Name(one.pk, hidden[n], "", hidden[n], n) for n, one in enumerate(releases)}
    several = Counter(one.system for one in releases)
    return {
        one.pk: Name(
            one.pk,
            one.system,
            one.label,
            f"{one.system} · {one.label}" if several[one.system] > 1 else one.system,
            one.colour,
        )
        for one in releases
    }


#: The words in files and the API; the same in every language, for programs.
BANNER = "scripted, not a measurement"
#: Files that have no place for words within say it in their names.
MARK = "scripted-not-a-measurement"


def of_run(run: Run) -> str:
    return BANNER if run.scripted else ""


def of_rounds(rounds: Collection[Round]) -> str:
    """Return the banner if answers of one of these rounds were written by a script."""
    return BANNER if script_marks.of_rounds(rounds) else ""


def named(form: str, note: str) -> str:
    """Return the form of a file, with the mark of a script before it."""
    return f"{MARK}-{form}" if note and not form.startswith(MARK) else form
