"""What is said wherever results rest on a script that stands in for a language model."""

from collections.abc import Collection

from annotation.models import Round
from scoring.models import Run
from scoring.queries import machines, script_marks

#: The words in files and the API; the same in every language, for programs.
BANNER = "scripted, not a measurement"
#: Files that have no place for words within say it in their names.
MARK = "scripted-not-a-measurement"


def of_run(run: Run) -> str:
    return BANNER if run.scripted else ""


def of_rounds(rounds: Collection[Round]) -> str:
    """Return the banner if answers of one of these rounds were written by a script."""
    return BANNER if script_marks.of_rounds(rounds) else ""


def of_judges(raters: Collection[int], rounds: Collection[Round] = ()) -> str:
    """Return the banner if scores of one of these machines, or what they judged, come from a script."""
    if raters and machines.scripted(raters):
        return BANNER
    return of_rounds(rounds)


def named(form: str, note: str) -> str:
    """Return the form of a file, with the mark of a script before it."""
    return f"{MARK}-{form}" if note and not form.startswith(MARK) else form
