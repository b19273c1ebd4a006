"""What nobody thought of: a run stops for it once, says so, and can be tried again.

A problem that would come again at every ring is told to the people of the run, and logged once, by
whoever stops it. What passes by itself, such as a database that cannot be reached, is not: the
sweeper rings again, and the next job goes on.
"""

import logging
import sqlite3
from datetime import datetime

from django import db
from django.utils.translation import gettext as _

from annotation.operations import audit
from evalsite import errors, queue
from scoring.llm.base import Failed
from scoring.models import Run

logger = logging.getLogger(__name__)

#: Errors of the database that say something of what was asked of it, not of the database.
OF_WHAT_WAS_ASKED = (db.DataError, db.IntegrityError, db.ProgrammingError, db.NotSupportedError)


def passes(problem: BaseException) -> bool:
    """Say whether a problem may be gone at the next ring; of several, whether one may."""
    if isinstance(problem, BaseExceptionGroup):
        return any(passes(one) for one in problem.exceptions)
    if isinstance(problem, db.Error):
        return not isinstance(problem, OF_WHAT_WAS_ASKED) and not _is_of_the_query(problem)
    return not isinstance(problem, Exception) or isinstance(problem, queue.TimeIsUp)


def stop(*, run: Run, problem: Exception, now: datetime) -> bool:
    """Pause a run that cannot go on as it is, wherever it was; return whether it was at work.

    Two workers may meet the same problem: only the one that stops the run logs it.
    """
    at_work = Run.objects.to_work_on().filter(pk=run.pk)
    if not at_work.update(
        state=Run.State.PAUSED, pause=Run.Pause.PROBLEM, problem=_said(problem)[:500]
    ):
        return False
    logger.error("Run %s was stopped", run.pk, exc_info=problem)
    audit.record(
        project=run.project,
        actor=None,
        verb="run.stopped",
        subject=f"run:{run.number}",
        at=now,
        reason=Run.Pause.PROBLEM.value,
    )
    return True


def _said(problem: Exception) -> str:
    if isinstance(problem, Failed | errors.Refusal):
        return str(problem)
    return _(
        "Something unexpected happened (%(name)s). Nothing that was done is lost. Try again; if it "
        "stops here once more, the operator finds what it was in the worker’s log."
    ) % {"name": _name(problem)}


def _name(problem: Exception) -> str:
    """Return what kind of problem it is. Its text may hold anything, a key among it: that is logged."""
    if isinstance(problem, ExceptionGroup):
        return _name(problem.exceptions[0])
    return type(problem).__name__


def _is_of_the_query(problem: db.Error) -> bool:
    """Say whether SQLite cannot do what it was asked at all; Django calls that operational as well."""
    code = getattr(problem.__cause__, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_ERROR
