"""Forms that make a judge and have it grade a round.

* The judges and metrics of a project.
* Make a judge, and have it grade the answers of a round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common.forms import NameField, RecordForm, field_of
from annotation.common.sentences import gettext
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.rounds.models import Round
from annotation.systems import queries as items
from evalsite import errors
from evalsite.records import part
from evalsite.web import keyset
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import forms as run_forms
from scoring.engine import queries as judge_list
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.kinds.judging import operations as judging
from scoring.kinds.judging import queries as reads
from scoring.kinds.judging import settings as operations
from scoring.kinds.judging.queries import CriterionChoice
from scoring.kinds.judging.settings import KINDS, AnySettings

TOGETHER, APART = "together", "apart"


class AnyJudge(RecordForm):
    """Which model judges, and how it is asked: what its kind's settings say."""

    kind = ""

    name = NameField(
        label=_("Name"), max_length=120, help_text=_("As it stands beside people in every figure.")
    )
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
        help_text=_("The language model that judges."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        usual = asdict(KINDS[self.kind].settings())
        kwargs["initial"] = usual | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = judge_list.endpoints_of(project)

    def settings(self) -> AnySettings:
        kind = KINDS[self.kind].settings
        given = {**self.cleaned_data, "together": self.cleaned_data.get("manner") == TOGETHER}
        return kind(**{one.name: given[one.name] for one in fields(kind)})


class JudgeForm(AnyJudge, record=operations.Settings, leave_out=("together",)):
    """A direct judge."""

    kind = "direct"
    field_order = (
        "name",
        "endpoint",
        "repeats",
        "fewest_valid",
        "temperature",
        "max_tokens",
        "manner",
    )
    manner = forms.ChoiceField(
        label=_("Criteria"),
        widget=forms.RadioSelect,
        initial=TOGETHER,
        choices=[
            (TOGETHER, _("all in one request")),
            (APART, _("a request for each: dearer, and one cannot colour another")),
        ],
    )


class SingleForm(AnyJudge, record=operations.SingleSettings):
    """A judge that gives one score from 1 to 10."""

    kind = "single"


class GEvalForm(AnyJudge, record=operations.GEvalSettings):
    """G-Eval: a form for each criterion, its score weighed by probabilities."""

    kind = "geval"
    field_order = ("name", "endpoint", "weights", "repeats")
    weights = field_of(part(operations.GEvalSettings, "weights"), widget=forms.RadioSelect)


#: The form of each kind of judge, and what the page says of it.
FORMS: Final[Mapping[str, type[AnyJudge]]] = {
    one.kind: one for one in (JudgeForm, GEvalForm, SingleForm)
}
ABOUT: Final[Mapping[str, tuple[Any, Any]]] = {
    "direct": (
        _("Direct"),
        _("It reads the whole rubric and gives a score with reasons for each criterion."),
    ),
    "geval": (
        _("G-Eval"),
        _(
            "It first writes the steps of evaluation for each criterion, then fills in a form with a "
            "number alone. The score is weighed by how probable each value was."
        ),
    ),
    "single": (
        _("One score, 1 to 10"),
        _("It leaves the rubric aside and scores the answer as a whole, as MT-Bench does."),
    ),
}


class JudgeRoundForm(StartForm):
    """Which judge grades a round, and by which of its criteria."""

    judge = forms.ModelChoiceField(
        label=_("Judge"), queryset=Judge.objects.none(), empty_label=_("Choose a judge")
    )
    criteria = forms.MultipleChoiceField(
        label=_("Criteria"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each answer is judged by those that its rubric has."),
    )

    def __init__(
        self, *args: Any, project: Project, criteria: Sequence[CriterionChoice], **kwargs: Any
    ) -> None:
        keys = [one.key for one in criteria]
        kwargs["initial"] = {"criteria": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        field = self.fields["judge"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = reads.usable(project)
        self.fields["criteria"].choices = [  # type: ignore[attr-defined]
            (one.key, f"{one.name} ({', '.join(one.rubrics)})") for one in criteria
        ]
        self._keys = keys

    def chosen(self) -> list[str]:
        """Return the keys that were chosen; none where all of them were."""
        chosen: list[str] = self.cleaned_data["criteria"]
        return [] if set(chosen) == set(self._keys) else chosen


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    chosen = run.config.get("criteria")
    return {"judge": run.judge_id, **({"criteria": chosen} if chosen else {})}


@require_GET
@door(permissions.UNBLINDED)
def judges(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the judges and metrics, with their ranges and where their scores came from."""
    page = reads.page(scope.project, after=request.GET.get("after", ""))
    lines = reads.lines(page.rows)
    context = {
        "scope": scope,
        "lines": lines,
        "is_scripted": any(one.is_scripted for one in lines),
        "may_import": scope.may(permissions.CURATORS),
        "has_answers": bool(lines) or items.has_answers(scope.project),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/kinds/judging/judges.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def judge_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Configure a judge; then it is ready to grade the round it was wanted for, or the newest one."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in FORMS else "direct"
    form = FORMS[kind](run_start.sent(request), project=scope.project)
    if form.is_bound and form.is_valid():
        try:
            judge = operations.create(
                project=scope.project,
                name=form.cleaned_data["name"],
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, gettext("The judge is ready. It stays as it is configured."))
            return _to_a_round(request, scope, judge)
    context = {
        "scope": scope,
        "form": form,
        "kinds": _kinds(request, kind),
        "about": ABOUT[kind][1],
        "can_make": judge_list.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
        "back_url": reverse("judges", args=[scope.project.slug]),
    }
    return render(
        request, "scoring/kinds/judging/judge_new.html", context, status=refusals.status_of(form)
    )


def _kinds(request: HttpRequest, chosen: str) -> list[tuple[str, Any, bool]]:
    """Return the address, name and whether it is chosen of each kind of judge."""
    made = []
    for key, (label, _words) in ABOUT.items():
        query = request.GET.copy()
        query["kind"] = key
        made.append((f"?{query.urlencode()}", label, key == chosen))
    return made


def _to_a_round(request: HttpRequest, scope: Scope, judge: Judge) -> HttpResponse:
    rounds = reads.rounds_of(scope.project)
    wished = request.GET.get("round", "")
    named = rounds.filter(number=int(wished)) if wished.isascii() and wished.isdigit() else rounds
    found = named.first()
    if found is None:
        return redirect("judges", scope.project.slug)
    url = reverse("round_judge", args=[scope.project.slug, found.number])
    return redirect(f"{url}?judge={judge.pk}")


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_judge(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose a judge and criteria, see what it would take, and start."""
    round_ = get_object_or_404(reads.rounds_of(scope.project), number=number)
    round_.project = scope.project
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.JUDGE)
    form = JudgeRoundForm(
        run_start.sent(request),
        project=scope.project,
        criteria=reads.choices_of(round_),
        initial=_initial(request, round_, before),
        **run_start.fresh(),
    )

    def estimate(sent: JudgeRoundForm) -> Estimate:
        return judging.estimate(
            judge=sent.cleaned_data["judge"], round_=round_, criteria=sent.chosen()
        )

    def start(sent: JudgeRoundForm) -> Run:
        begun = sent.start()
        return judging.request_judging(
            judge=sent.cleaned_data["judge"],
            round_=round_,
            key=begun.key,
            name=begun.name,
            seed=begun.seed,
            user=scope.user,
            now=timezone.now(),
            criteria=sent.chosen(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/judging/round_judge.html",
        context=_context(scope, round_),
        estimate=estimate,
        start=start,
    )


def _context(scope: Scope, round_: Round) -> dict[str, Any]:
    return {
        "round": round_,
        "n_answers": reads.n_places(round_),
        "judges": list(reads.usable(scope.project)),
        "is_final": round_.state == Round.State.FINAL,
        "back_url": reverse("round", args=[scope.project.slug, round_.number]),
    }


def _initial(request: HttpRequest, round_: Round, before: Run | None) -> dict[str, Any]:
    name = gettext("Judging of %(round)s") % {"round": round_.name}
    wished = request.GET.get("judge", "") or _only(round_)
    initial: dict[str, Any] = {"name": name[:120], "judge": wished}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **initial_of(before)}
        if request.GET.get("seed") == run_start.OTHER:
            initial["seed"] = run_start.fresh()["seed"]
    return initial


def _only(round_: Round) -> int | str:
    """Return the judge that is chosen where there is no other."""
    keys = list(reads.usable(round_.project).values_list("pk", flat=True)[:2])
    return keys[0] if len(keys) == 1 else ""
