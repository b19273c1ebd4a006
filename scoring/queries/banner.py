"""What is said wherever results rest on a script that stands in for a language model."""

from collections.abc import Collection

from scoring.models import Run
from scoring.queries import machines

#: The words in files and the API; the same in every language, for programs.
BANNER = "scripted, not a measurement"
#: Files that have no place for words within say it in their names.
MARK = "scripted-not-a-measurement"


def of_run(run: Run) -> str:
    return BANNER if run.scripted else ""


def of_judges(raters: Collection[int]) -> str:
    """Return the banner if scores of one of these machines come from a script."""
    return BANNER if raters and machines.scripted(raters) else ""


def named(form: str, note: str) -> str:
    """Return the form of a file, with the mark of a script before it."""
    return f"{MARK}-{form}" if note else form
