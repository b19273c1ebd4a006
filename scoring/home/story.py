"""What a project holds already, told in the order of the loop: bank, rounds, disputes, machines, gates.

* The loop of a project as its newcomers are told it: the parts that are there, each with the way to it.
* The first steps of those who read results; what they have looked at is what the guide has opened.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, OuterRef, Subquery, Window
from django.db.models.functions import RowNumber
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.bank.models import Question
from annotation.home.first_steps import FirstStep
from annotation.people import permissions
from annotation.people.models import Project, Role
from annotation.people.permissions import Scope
from annotation.review.models import Decision
from annotation.rounds.models import Round, RoundResponse
from scoring.engine.models import Judgment, Machine, Run
from scoring.figures import labels as rounds
from scoring.kinds.judging import queries as judging
from scoring.kinds.suites import queries as suite_frame
from scoring.movement import queries as movement
from scoring.publishing.models import Publication

#: Of so many runs of suites the one with the most gates is told of, of so many rounds the most judged.
LOOKED_AT = 5


@dataclass(frozen=True)
class Chapter:
    """A part of the loop that is there: the name of its page, what its address needs, what was made."""

    title: str
    text: str
    page: str
    args: tuple[Any, ...] = ()
    query: str = ""


def chapters(project: Project) -> list[Chapter]:
    """Return the parts of the loop that this project holds, in order; what is not there yet is left out."""
    return [*_bank(project), *_rounds(project), *_machines(project)]


def _bank(project: Project) -> Iterator[Chapter]:
    n = Question.objects.filter(project=project).count()
    if n:
        said = ngettext("%(n)d question with its sources", "%(n)d questions with their sources", n)
        yield Chapter(_("The bank"), said % {"n": n}, "questions")


def _rounds(project: Project) -> Iterator[Chapter]:
    graded = rounds.graded(project).filter(kind=Round.Kind.PRODUCTION)
    published = Publication.objects.filter(project=project).values("round")
    compared = graded.exclude(pk__in=published).order_by("number")
    first = compared.filter(state=Round.State.FINAL).first()
    if first:
        yield Chapter(_("A round, graded blind"), first.name, "results", (first.number,))
    settled = Decision.objects.filter(round__project=project).order_by("-round__number")
    desks = settled.values_list("round__number", "round__name").annotate(n=Count("pk"))
    if desk := desks.first():
        number, name, n = desk
        said = ngettext("%(n)d settled in %(round)s", "%(n)d settled in %(round)s", n)
        text = said % {"n": n, "round": name}
        yield Chapter(_("Disputes, settled"), text, "results_review", (number,))
    later = compared.filter(state__in=[Round.State.REVIEW, Round.State.FINAL]).last()
    if first and later and later.number > first.number:
        yield from _moved(first, later)


def _moved(first: Round, later: Round) -> Iterator[Chapter]:
    system = next(iter(movement.systems(first, later)), None)
    if system is not None:
        given = {"before": first.number, "after": later.number, "system": system.pk}
        text = _("from %(first)s to %(later)s") % {"first": first.name, "later": later.name}
        yield Chapter(_("Why scores moved"), text, "movement", query=urlencode(given))


def _machines(project: Project) -> Iterator[Chapter]:
    done = _done(project)
    for talks in done[Run.Kind.KIEVAL][:1]:
        yield Chapter(_("Systems, interviewed"), _said(talks), "run_interviews", (talks.number,))
    rated = Publication.objects.filter(project=project, run__isnull=False)
    rated = rated.filter(round__state=Round.State.FINAL).select_related("round")
    if people := rated.order_by("-round__number").first():
        yield Chapter(
            _("People rate the same"), people.round.name, "results", (people.round.number,)
        )
    for fused in done[Run.Kind.FUSION][:1]:
        yield Chapter(_("Judges with assistants"), _said(fused), "run_fusion", (fused.number,))
    n = judging.of_machines(project).count()
    if n:
        said = ngettext("%(n)d judge or metric", "%(n)d judges and metrics", n) % {"n": n}
        yield Chapter(_("Judges vs people"), said, "judges_people", query=_most_judged(project))
    if suite := _gated(done[Run.Kind.SUITE]):
        yield Chapter(_("A suite and its gates"), _said(suite), "run_suite", (suite.number,))


def _done(project: Project) -> dict[str, list[Run]]:
    """Return the last finished runs of each kind that is told of, the newest first."""
    found: dict[str, list[Run]] = {
        kind: [] for kind in (Run.Kind.KIEVAL, Run.Kind.FUSION, Run.Kind.SUITE)
    }
    of_kind = Window(RowNumber(), partition_by="kind", order_by="-number")
    rows = Run.objects.filter(project=project, kind__in=found, state=Run.State.DONE)
    last = rows.annotate(place=of_kind).filter(place__lte=LOOKED_AT)
    for run in last.order_by("-number"):
        found[run.kind].append(run)
    return found


def _gated(last: Sequence[Run]) -> Run | None:
    """Return which of the last runs of suites has the most gates; of several, the newest."""
    most = max(last, key=lambda one: len(suite_frame.suite_of(one).gates), default=None)
    return most if most is not None and suite_frame.suite_of(most).gates else None


def _most_judged(project: Project) -> str:
    """Return what names the final round that the most machines scored; of several, the newest."""
    here = RoundResponse.objects.filter(
        round_item__round=OuterRef(OuterRef(OuterRef("pk"))), response=OuterRef("response")
    )
    scored = Judgment.objects.counted().filter(Exists(here), rater=OuterRef("rater"))
    machines = Machine.objects.filter(Exists(scored), rater__project=project)
    counted = machines.order_by().values("rater__project").annotate(n=Count("pk")).values("n")
    last = rounds.with_results(project).filter(state=Round.State.FINAL).order_by("-number")
    found = last.annotate(n_machines=Subquery(counted)).values_list("number", "n_machines")
    most, n = max(found[:LOOKED_AT], key=lambda pair: pair[1] or 0, default=(None, 0))
    return urlencode({"round": most}) if n else ""


def _said(run: Run) -> str:
    return _("%(name)s (scripted)") % {"name": run.name} if run.scripted else run.name


def story(*, scope: Scope) -> list[dict[str, str]] | None:
    """Return title, text and address of each part of the loop, for those who may read results."""
    if not scope.may(permissions.UNBLINDED):
        return None
    return [
        {
            "title": one.title,
            "text": one.text,
            "url": reverse(one.page, args=[scope.project.slug, *one.args])
            + (f"?{one.query}" if one.query else ""),
        }
        for one in chapters(scope.project)
    ]


RESULTS = FirstStep(
    "results",
    gettext_lazy("Read results"),
    gettext_lazy("Scores with intervals, agreement and disputes."),
    gettext_lazy("Results"),
    "insight",
    gettext_lazy("Choose a round."),
)
MOVED = FirstStep(
    "moved",
    gettext_lazy("See why a score moved"),
    gettext_lazy("Between two rounds, by questions, responses and annotators."),
    gettext_lazy("Compare two rounds"),
    "movement",
    gettext_lazy("Choose two rounds and a system."),
)
BESIDE = FirstStep(
    "beside",
    gettext_lazy("Compare judges with people"),
    gettext_lazy("How well judges agree with people."),
    gettext_lazy("Judges"),
    "judges_people",
    gettext_lazy("Band: people with each other."),
)
GATES = FirstStep(
    "gates",
    gettext_lazy("See a gate"),
    gettext_lazy("Which release passes, and why."),
    gettext_lazy("Suites"),
    "suites",
    gettext_lazy("A failed gate leads to its conversations."),
)


def steps(*, scope: Scope) -> tuple[FirstStep, ...] | None:
    """Return what analysts look at first; of it, what owners and curators end their first steps with."""
    if Role.ANALYST in scope.roles:
        return (RESULTS, MOVED, BESIDE, GATES)
    return (RESULTS,) if scope.may(permissions.CURATORS) else None
