"""How commands end that run something: what a program that called them learns from the exit code.

0: everything was kept. 1: a gate was not, or a run played back came out otherwise. 2: the command or what
was given to it cannot be used. 3: more steps failed, or were never done, than are tolerated.
"""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from evalsite import errors
from scoring.engine import queries as lost_steps
from scoring.engine.models import Run
from scoring.engine.queries import Lost

KEPT, GATES_FAILED, UNUSABLE, STEPS_FAILED = 0, 1, 2, 3
#: For the help of every such command.
TOLD: Final = (
    "The exit code is 0 if all went well, 2 if something given cannot be used, 3 if more steps failed "
    "than --tolerate allows."
)
NOT_PREPARED: Final = (
    "There is no site in the database {place}. Say where it is with EVALSITE_DATA or DATABASE_URL, or "
    "make one with manage.py prepare."
)
Handle = Callable[..., None]


class Unusable(CommandError):
    """The command, or something that was given to it, cannot be used."""

    def __init__(self, *args: Any, returncode: int = UNUSABLE, **kwargs: Any) -> None:
        super().__init__(*args, returncode=returncode, **kwargs)


def refusing(handle: Handle) -> Handle:
    """Have a command end as unusable where something refuses what it was given, or where no site is."""

    @wraps(handle)
    def told(*args: Any, **options: Any) -> None:
        try:
            handle(*args, **options)
        except errors.Refusal as refusal:
            raise Unusable(refusal.message) from refusal
        except DatabaseError as failure:
            if Run._meta.db_table in connection.introspection.table_names():
                raise
            raise Unusable(NOT_PREPARED.format(place=connection.settings_dict["NAME"])) from failure

    return told


def add_tolerance(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--tolerate",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="of steps that may fail before the exit code is 3, such as 0.05; none unless given",
    )


def share(text: str) -> float:
    """Return a share as it was typed, from 0 to 1, or in per cent."""
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise ArgumentTypeError(f"{text} is no share. Say a number from 0 to 1, or 5%.")
    return found


def check(run: Run, tolerated: float = 0.0) -> None:
    """End the command where a run did not do what it was to do.

    Raises:
        CommandError: too many of its steps failed or were not done; says how many, and why.
    """
    run.refresh_from_db()
    lost = lost_steps.of_lost_steps(run)
    if lost.beyond(tolerated) or run.state != Run.State.DONE:
        raise CommandError("\n".join(_lines(run, lost, tolerated)), returncode=STEPS_FAILED)


def _lines(run: Run, lost: Lost, tolerated: float) -> list[str]:
    made = []
    if run.state != Run.State.DONE:
        pause = f" ({run.get_pause_display()})" if run.pause else ""
        made.append(f"Run {run.number} is {run.get_state_display()}{pause}. {run.problem}".strip())
    if lost.beyond(tolerated):
        most = f"at most {100 * tolerated:g} % may be."
        made.append(f"{lost.n} of {lost.of} steps failed or were not done; {most}")
    if lost.reason:
        made.append(f"The most frequent reason ({lost.n_reason} ×): {lost.reason}")
        made.append(f"For example step “{lost.example}”.")
    if lost.n_failed:
        slug = run.project.slug
        made.append(f"To try them again: manage.py runs retry {slug} {run.number}")
    return made
