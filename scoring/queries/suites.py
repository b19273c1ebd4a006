"""Suites as they are saved, and the conversations they can be run on."""

from dataclasses import dataclass

from django.db.models import Count, Max, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import Project, SystemRelease
from scoring.models import (
    Conversation,
    ConversationBatch,
    ConversationSet,
    Endpoint,
    Run,
    Suite,
    SuiteVersion,
)
from scoring.protocols.suite import definition

APPLIED = Q(conversations__batch__state=ConversationBatch.State.APPLIED)


@dataclass(frozen=True, slots=True)
class Line:
    """A suite of the list, its newest version and its newest run."""

    suite: Suite
    version: int
    n_functions: int
    n_rubrics: int
    n_gates: int
    run: Run | None


def of(project: Project) -> "QuerySet[Suite]":
    return Suite.objects.filter(project=project)


def find(project: Project, number: int) -> Suite:
    """Return a suite by its number.

    Raises:
        Http404: there is none.
    """
    found = of(project).filter(number=number).first()
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


def lines(suites: "list[Suite]") -> list[Line]:
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


def _line(suite: Suite, version: SuiteVersion, run: Run | None) -> Line:
    made = definition.from_dict(version.definition)
    return Line(suite, version.number, len(made.functions), len(made.judged), len(made.gates), run)


def sets_of(project: Project) -> "QuerySet[ConversationSet]":
    """Return the sets of conversations with how many each holds."""
    rows = ConversationSet.objects.filter(project=project)
    return rows.annotate(
        n=Count("conversations", filter=APPLIED), last=Max("batches__created_at")
    ).order_by("name")


def conversations_in(sets: "list[int]", *, up_to: int | None = None) -> "QuerySet[Conversation]":
    """Return the conversations of sets, in the order in which they came; no later ones than `up_to`."""
    rows = Conversation.objects.seen().filter(set__in=sets).order_by("pk")
    return rows if up_to is None else rows.filter(pk__lte=up_to)


def releases_in(sets: "list[int]") -> "QuerySet[SystemRelease]":
    used = conversations_in(sets).order_by().values("response__release")
    return SystemRelease.objects.filter(pk__in=used).select_related("system")


def endpoints_named(project: Project, names: "list[str]") -> dict[str, Endpoint]:
    """Return the endpoints in use by name; of two of a name the newer."""
    rows = Endpoint.objects.in_use().filter(project=project, name__in=names).order_by("pk")
    return {one.name: one for one in rows}
