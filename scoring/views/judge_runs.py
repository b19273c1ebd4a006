"""Make a judge, and have it grade the answers of a round."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.models import Round
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms import judges as forms
from scoring.forms import runs as run_forms
from scoring.models import Judge, Run
from scoring.operations import judges as operations
from scoring.operations import judging
from scoring.operations.runs.estimating import Estimate
from scoring.queries import judge_list
from scoring.queries import judging as reads
from scoring.views import run_start


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def judge_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Configure a judge; then it is ready to grade the round it was wanted for, or the newest one."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in forms.FORMS else "direct"
    form = forms.FORMS[kind](run_start.sent(request), project=scope.project)
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
            messages.success(request, _("The judge is ready. It stays as it is configured."))
            return _to_a_round(request, scope, judge)
    context = {
        "scope": scope,
        "form": form,
        "kinds": _kinds(request, kind),
        "about": forms.ABOUT[kind][1],
        "can_make": judge_list.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
        "back_url": reverse("judges", args=[scope.project.slug]),
    }
    return render(request, "scoring/judge_new.html", context, status=refusals.status_of(form))


def _kinds(request: HttpRequest, chosen: str) -> list[tuple[str, Any, bool]]:
    """Return the address, name and whether it is chosen of each kind of judge."""
    made = []
    for key, (label, _words) in forms.ABOUT.items():
        query = request.GET.copy()
        query["kind"] = key
        made.append((f"?{query.urlencode()}", label, key == chosen))
    return made


def _to_a_round(request: HttpRequest, scope: Scope, judge: Judge) -> HttpResponse:
    rounds = judge_list.rounds_of(scope.project)
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
    round_ = get_object_or_404(judge_list.rounds_of(scope.project), number=number)
    round_.project = scope.project
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.JUDGE)
    form = forms.JudgeRoundForm(
        run_start.sent(request),
        project=scope.project,
        criteria=reads.choices_of(round_),
        initial=_initial(request, round_, before),
        **run_start.fresh(),
    )

    def estimate(sent: forms.JudgeRoundForm) -> Estimate:
        return judging.estimate(
            judge=sent.cleaned_data["judge"], round_=round_, criteria=sent.chosen()
        )

    def start(sent: forms.JudgeRoundForm) -> Run:
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
        template="scoring/round_judge.html",
        context=_context(scope, round_),
        estimate=estimate,
        start=start,
    )


def _context(scope: Scope, round_: Round) -> dict[str, Any]:
    return {
        "round": round_,
        "n_answers": reads.n_places(round_),
        "judges": list(judge_list.usable(scope.project)),
        "is_final": round_.state == Round.State.FINAL,
        "back_url": reverse("round", args=[scope.project.slug, round_.number]),
    }


def _initial(request: HttpRequest, round_: Round, before: Run | None) -> dict[str, Any]:
    name = _("Judging of %(round)s") % {"round": round_.name}
    wished = request.GET.get("judge", "") or _only(round_)
    initial: dict[str, Any] = {"name": name[:120], "judge": wished}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.initial_of(before)}
        if request.GET.get("seed") == run_start.OTHER:
            initial["seed"] = run_start.fresh()["seed"]
    return initial


def _only(round_: Round) -> int | str:
    """Return the judge that is chosen where there is no other."""
    keys = list(judge_list.usable(round_.project).values_list("pk", flat=True)[:2])
    return keys[0] if len(keys) == 1 else ""
