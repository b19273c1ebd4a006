"""Save suites: every change is a version, and what cannot be run is not saved."""

import hashlib
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import Project, User
from annotation.operations import audit
from evalsite import errors
from scoring.models import Suite, SuiteVersion
from scoring.protocols.suite import definition, source
from scoring.protocols.suite.definition import Rubric
from scoring.protocols.suite.spots import Problem, Unusable
from scoring.queries import suite_metrics


class BadSuite(errors.Invalid):
    """The text is no suite; `problems` says why, line by line."""

    code = "bad_suite"

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        told = [str(one) for one in problems]
        super().__init__(" ".join(told[:3]), fields={"text": told})


class NameTaken(errors.Invalid):
    code = "name_taken"


def read(text: str, rubrics: dict[str, Rubric] | None = None) -> definition.Suite:
    """Return the suite that a text describes.

    Raises:
        BadSuite: with every problem and its line.
    """
    try:
        return source.read(text, suite_metrics.available(), rubrics)
    except Unusable as unusable:
        raise BadSuite(unusable.problems) from unusable


def read_rubrics(text: str) -> dict[str, Rubric]:
    """Return the rubrics of a file of FlexEval's.

    Raises:
        BadSuite: with every problem and its line.
    """
    try:
        return source.rubric_file(text)
    except Unusable as unusable:
        raise BadSuite(unusable.problems) from unusable


@transaction.atomic
def create(
    *,
    project: Project,
    text: str,
    by: User,
    now: datetime,
    rubrics: dict[str, Rubric] | None = None,
) -> SuiteVersion:
    """Save a new suite under the name that its text gives it.

    Raises:
        BadSuite: the text is none.
        NameTaken: the project has a suite of this name.
    """
    found = read(text, rubrics)
    name = found.name.strip() or "Suite"
    if Suite.objects.filter(project=project, name=name).exists():
        message = _("There is a suite called “%(name)s”. Give this one another name.") % {
            "name": name
        }
        raise NameTaken(message, fields={"text": [message]})
    number = Suite.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
    suite = Suite.objects.create(
        project=project, number=number + 1, name=name, created_by=by, created_at=now
    )
    return _version(suite, text, found, by, now)


@transaction.atomic
def change(
    *,
    suite: Suite,
    text: str,
    by: User,
    now: datetime,
    rubrics: dict[str, Rubric] | None = None,
) -> SuiteVersion:
    """Save another version of a suite; the same text again is the version that is there.

    Raises:
        BadSuite: the text is no suite.
        NameTaken: it gives the suite a name that another one has.
    """
    found = read(text, rubrics)
    newest = SuiteVersion.objects.filter(suite=suite).latest("number")
    if newest.sha == _sha(text, found):
        return newest
    name = found.name.strip() or suite.name
    others = Suite.objects.filter(project=suite.project_id, name=name).exclude(pk=suite.pk)
    if others.exists():
        message = _("There is a suite called “%(name)s”. Give this one another name.") % {
            "name": name
        }
        raise NameTaken(message, fields={"text": [message]})
    Suite.objects.filter(pk=suite.pk).update(name=name)
    return _version(suite, text, found, by, now)


def _sha(text: str, found: definition.Suite) -> str:
    whole = f"{text}\n{sorted(found.rubrics.items())!r}"
    return hashlib.sha256(whole.encode()).hexdigest()


def _version(
    suite: Suite, text: str, found: definition.Suite, by: User, now: datetime
) -> SuiteVersion:
    last = SuiteVersion.objects.filter(suite=suite).aggregate(last=Max("number"))["last"] or 0
    made = SuiteVersion.objects.create(
        suite=suite,
        number=last + 1,
        text=text,
        definition=found.as_dict(),
        sha=_sha(text, found),
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=suite.project,
        actor=by,
        verb="suite.saved",
        subject=f"suite:{suite.number}/{made.number}",
        at=now,
        sha=made.sha,
    )
    return made
