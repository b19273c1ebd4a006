"""The function metrics of this site: those that come with it, and an organisation's own.

* Suites as they are saved, and the conversations they can be run on.
* Save suites: every change is a version, and what cannot be run is not saved.
"""

import functools
import hashlib
import importlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.http import Http404

from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.systems.models import SystemRelease
from evalsite import errors
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.engine.models import Run
from scoring.kinds.suites.models import (
    Conversation,
    ConversationBatch,
    ConversationSet,
    Suite,
    SuiteVersion,
)
from scoring.kinds.suites.protocol import catalogue, definition, running, source
from scoring.kinds.suites.protocol.catalogue import FunctionMetric
from scoring.kinds.suites.protocol.definition import Rubric, SuiteProblem, UnusableSuite

logger = logging.getLogger(__name__)
#: An installed package names modules of metrics under this.
GROUP: Final = "evalsite.metrics"


def available() -> Mapping[str, FunctionMetric]:
    """Return every function metric by name. One of an organisation's own never replaces a built-in one."""
    return _read().metrics


def own() -> frozenset[str]:
    """Return the names of the metrics that an organisation added."""
    return frozenset(available()) - frozenset(catalogue.builtin())


def problems() -> Sequence[str]:
    """Return what is wrong with modules of an organisation's own, in words."""
    return _read().problems


def forget() -> None:
    """Look anew for the metrics there are."""
    _read.cache_clear()


@dataclass(frozen=True, slots=True)
class _SuiteProblems:
    metrics: Mapping[str, FunctionMetric]
    problems: Sequence[str]


@functools.cache
def _read() -> _SuiteProblems:
    found = dict(catalogue.builtin())
    problems: list[str] = []
    for name in _modules():
        try:
            made = catalogue.of_module(importlib.import_module(name))
        except Exception as why:  # noqa: BLE001  code of an organisation's own may fail in any way
            logger.warning("The metrics of %s cannot be used: %s", name, why)
            problems.append(f"The metrics of “{name}” cannot be used: {why}")
            continue
        for key, metric in made.items():
            if found.setdefault(key, metric) is not metric:
                problems.append(f"“{key}” of “{name}” is left out: there is a metric of this name.")
    return _SuiteProblems(found, tuple(problems))


def _modules() -> list[str]:
    """Return the modules that packages and the settings name, each once."""
    installed = [one.value for one in metadata.entry_points(group=GROUP)]
    return list(dict.fromkeys([*installed, *settings.METRIC_MODULES]))


APPLIED = Q(conversations__batch__state=ConversationBatch.State.APPLIED)


@dataclass(frozen=True, slots=True)
class SuiteLine:
    """A suite of the list, its newest version and its newest run."""

    suite: Suite
    version: int
    n_functions: int
    n_rubrics: int
    n_gates: int
    run: Run | None


def suites_of(project: Project) -> "QuerySet[Suite]":
    return Suite.objects.filter(project=project)


def find(project: Project, number: int) -> Suite:
    """Return a suite by its number.

    Raises:
        Http404: there is none.
    """
    found = suites_of(project).filter(number=number).first()
    if found is None:
        raise Http404(_("There is no such suite."))
    return found


def newest(suite: Suite) -> SuiteVersion:
    return SuiteVersion.objects.filter(suite=suite).latest("number")


def version_of(suite: Suite, number: int) -> SuiteVersion:
    """Return a version of a suite.

    Raises:
        Http404: there is none.
    """
    found = SuiteVersion.objects.filter(suite=suite, number=number).first()
    if found is None:
        raise Http404(_("There is no such version of this suite."))
    return found


def lines(suites: "list[Suite]") -> list[SuiteLine]:
    """Return the lines of a page of suites; three queries, however many they are."""
    pks = [one.pk for one in suites]
    rows = SuiteVersion.objects.filter(suite__in=pks).order_by("number")
    versions = {one.suite_id: one for one in rows}
    numbers = {one.number: one.pk for one in suites}
    runs: dict[int, Run] = {}
    if suites:
        mine = Run.objects.filter(project=suites[0].project_id, kind=Run.Kind.SUITE)
        for run in mine.filter(config__suite__in=list(numbers)).order_by("number"):
            runs[numbers[run.config["suite"]]] = run
    return [_line(one, versions[one.pk], runs.get(one.pk)) for one in suites]


def _line(suite: Suite, version: SuiteVersion, run: Run | None) -> SuiteLine:
    made = definition.from_dict(version.definition)
    return SuiteLine(
        suite, version.number, len(made.functions), len(made.judged), len(made.gates), run
    )


def staged(sets: Sequence[int]) -> list[int]:
    """Return the batches of sets that are still being brought in."""
    rows = ConversationBatch.objects.filter(set__in=sets, state=ConversationBatch.State.STAGED)
    return list(rows.order_by("pk").values_list("pk", flat=True))


@dataclass(frozen=True, slots=True)
class SetLine:
    """A set of conversations and how many it holds."""

    set: ConversationSet
    n: int


def home_of(*, project: Project, name: str, by: User, now: datetime) -> ConversationSet:
    """Return the set of this name, made if it is not there. In the caller's transaction."""
    found = ConversationSet.objects.filter(project=project, name=name).first()
    if found is None:
        rows = ConversationSet.objects.filter(project=project)
        number = (rows.aggregate(last=Max("number"))["last"] or 0) + 1
        found = ConversationSet.objects.create(
            project=project, number=number, name=name, created_by=by, created_at=now
        )
    return found


def sets_of(project: Project) -> list[SetLine]:
    """Return the sets of conversations with how many each holds, by name."""
    rows = ConversationSet.objects.filter(project=project).order_by("name")
    counted = dict(rows.values_list("pk").annotate(n=Count("conversations", filter=APPLIED)))
    return [SetLine(one, counted[one.pk]) for one in rows]


def conversations_in(
    sets: "list[int]",
    *,
    after: int = 0,
    up_to: int | None = None,
    only: Sequence[int] | None = None,
    late: Sequence[int] = (),
    without: Sequence[int] = (),
) -> "QuerySet[Conversation]":
    """Return the conversations of sets, in the order in which they came.

    Args:
        sets: keys of the sets.
        after: only those that came after this one.
        up_to: no later ones than this.
        only: no others than these.
        without: batches that count as not being there.
        late: batches whose conversations count as having come after, whenever they began to.
    """
    rows = Conversation.objects.seen().filter(set__in=sets).order_by("pk")
    if after:
        rows = rows.filter(Q(pk__gt=after) | Q(batch__in=late))
    if without:
        rows = rows.exclude(batch__in=without)
    if only is not None:
        rows = rows.filter(pk__in=only)
    return rows if up_to is None else rows.filter(pk__lte=up_to)


def releases_in(sets: "list[int]") -> "QuerySet[SystemRelease]":
    used = conversations_in(sets).order_by().values("response__release")
    return SystemRelease.objects.filter(pk__in=used).select_related("system")


def endpoints_named(project: Project, names: "list[str]") -> dict[str, Endpoint]:
    """Return the endpoints in use by what a suite calls them: their name, or that of their model.

    Of two of a name the newer.
    """
    rows = Endpoint.objects.in_use().filter(project=project)
    named = rows.filter(Q(name__in=names) | Q(model_name__in=[one for one in names if one]))
    found = list(named.order_by("pk"))
    by_model = {one.model_name: one for one in found if one.model_name}
    known = {**by_model, **{one.name: one for one in found}}
    return {one: known[one] for one in names if one in known}


def completers(project: Project) -> list[tuple[str, str, str, str]]:
    """Return who can complete conversations: endpoint, system and release as a suite names them, and a name.

    Releases by what answers as them, without naming the endpoint; then endpoints that answer as none.
    """
    rows = SystemConnection.objects.filter(
        endpoint__project=project, ended_at__isnull=True, endpoint__retired_at__isnull=True
    ).select_related("release__system", "endpoint")
    found = list(rows.order_by("release__system__name", "release__label"))
    taken = {one.endpoint_id for one in found}
    free = Endpoint.objects.in_use().filter(project=project).exclude(pk__in=taken)
    connected = [
        ("", one.release.system.name, one.release.label, f"{one.release} ({one.endpoint.name})")
        for one in found
    ]
    return [*connected, *((one.name, "", "", one.name) for one in free.order_by("name"))]


@dataclass(frozen=True, slots=True)
class MetricLine:
    """A metric of a suite in words."""

    entry: definition.Entry
    waits: list[str]


def metrics_of(suite: definition.SuiteText) -> list[MetricLine]:
    """Return the metrics of a suite with what each waits for, in words."""
    return [
        MetricLine(one, [_condition(each, suite) for each in one.depends_on])
        for one in suite.entries
    ]


def _condition(one: definition.Dependency, suite: definition.SuiteText) -> str:
    other = suite.entries[one.target] if one.target is not None else None
    said = other.key if other else one.name
    if one.metric_name:
        said += f" · {one.metric_name}"
    if one.relative:
        said += f" ({one.relative})"
    said += f" ≥ {one.minimum:g}" if one.minimum is not None else ""
    return said + (f" ≤ {one.maximum:g}" if one.maximum is not None else "")


def gates_of(suite: definition.SuiteText) -> list[str]:
    return [one.words for one in suite.gates]


def versions_of(suite: Suite) -> "list[SuiteVersion]":
    rows = SuiteVersion.objects.filter(suite=suite).select_related("created_by__person")
    return list(rows.defer("text", "definition").order_by("-number")[:50])


def runs_of(suite: Suite) -> list[Run]:
    """Return the newest runs of a suite."""
    rows = Run.objects.filter(project=suite.project_id, kind=Run.Kind.SUITE)
    return list(rows.filter(config__suite=suite.number).order_by("-number")[:50])


def set_names(run: Run) -> list[str]:
    """Return the names of the sets that a run was over."""
    rows = ConversationSet.objects.filter(pk__in=run.config["sets"])
    return list(rows.values_list("name", flat=True))


class BadSuite(errors.Invalid):
    """The text is no suite; `problems` says why, line by line."""

    def __init__(self, problems: list[SuiteProblem]) -> None:
        self.problems = problems
        told = [str(one) for one in problems]
        super().__init__(" ".join(told[:3]), fields={"text": told})


def read_suite(
    text: str, rubrics: dict[str, Rubric] | None = None, name: str = ""
) -> definition.SuiteText:
    """Return the suite that a text describes; of several the one of this name.

    Raises:
        BadSuite: with every problem and its line.
    """
    try:
        return source.read(text, available(), rubrics, name)
    except UnusableSuite as unusable:
        raise BadSuite(unusable.problems) from unusable


def names_in(text: str) -> list[str]:
    """Return the names of the suites that a text holds, where it holds several; else none."""
    try:
        found = running.names(definition.read_yaml(text))
    except UnusableSuite:
        return []
    return found if len(found) > 1 else []


def read_rubrics(text: str) -> dict[str, Rubric]:
    """Return the rubrics of a file of FlexEval's.

    Raises:
        BadSuite: with every problem and its line.
    """
    try:
        return source.rubric_file(text)
    except UnusableSuite as unusable:
        raise BadSuite(unusable.problems) from unusable


def merged(texts: Sequence[str]) -> dict[str, Rubric]:
    """Return the rubrics of several files; of two of a name the first.

    Raises:
        BadSuite: with every problem, its file from 1 and its line.
    """
    found: dict[str, Rubric] = {}
    for number, text in enumerate(texts, start=1):
        try:
            found = source.rubric_file(text) | found
        except UnusableSuite as unusable:
            told = [
                _("File %(n)d: %(said)s") % {"n": number, "said": one} for one in unusable.problems
            ]
            raise errors.Invalid(" ".join(told[:3]), fields={"rubric_files": told}) from unusable
    return found


@transaction.atomic
def create(
    *,
    project: Project,
    text: str,
    by: User,
    now: datetime,
    rubrics: dict[str, Rubric] | None = None,
    chosen: str = "",
) -> SuiteVersion:
    """Save a new suite under the name that its text gives it; of several in it the one that is chosen.

    Raises:
        BadSuite: the text is none.
        NameTaken: the project has a suite of this name.
    """
    text, found = _chosen(text, rubrics, chosen)
    name = found.name.strip() or "Suite"
    if Suite.objects.filter(project=project, name=name).exists():
        message = _("There is a suite called “%(name)s”. Give this one another name.") % {
            "name": name
        }
        raise errors.NameTaken(message, fields={"text": [message]})
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
    chosen: str = "",
) -> SuiteVersion:
    """Save another version of a suite; the same text again is the version that is there.

    Raises:
        BadSuite: the text is no suite.
        NameTaken: it gives the suite a name that another one has.
    """
    text, found = _chosen(text, rubrics, chosen)
    newest = SuiteVersion.objects.filter(suite=suite).latest("number")
    if newest.sha == _sha(text, found):
        return newest
    name = found.name.strip() or suite.name
    others = Suite.objects.filter(project=suite.project_id, name=name).exclude(pk=suite.pk)
    if others.exists():
        message = _("There is a suite called “%(name)s”. Give this one another name.") % {
            "name": name
        }
        raise errors.NameTaken(message, fields={"text": [message]})
    Suite.objects.filter(pk=suite.pk).update(name=name)
    return _version(suite, text, found, by, now)


def _chosen(
    text: str, rubrics: dict[str, Rubric] | None, name: str
) -> tuple[str, definition.SuiteText]:
    """Return one suite of a text: as it is written there without the others, and what it says."""
    found = read_suite(text, rubrics, name)
    if not names_in(text):
        return text, found
    alone = running.text_of(text, name)
    return alone, read_suite(alone, rubrics)


def _sha(text: str, found: definition.SuiteText) -> str:
    whole = f"{text}\n{sorted(found.rubrics.items())!r}"
    return hashlib.sha256(whole.encode()).hexdigest()


def _version(
    suite: Suite, text: str, found: definition.SuiteText, by: User, now: datetime
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
