"""What is decided at the review desk, and how a project reviews.

* The review desk of a round: what waits, one question, what decisions change, how the project reviews.
* What the review desk puts into the named slots of annotation's pages.
"""

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common import forms as refusals
from annotation.grading.models import Grade
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from annotation.review import operations as review
from annotation.review.operations import DecisionWish
from annotation.review.rules import DecisionStanding, ReviewAct
from annotation.rounds.models import Assignment, Round
from evalsite import errors
from scoring.figures import labels, typed
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures import selection as figures_selection
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.results import asked, disputes
from scoring.results import queries as results
from scoring.results.facts import around
from scoring.review import queries as reviewed
from scoring.review.queries import ReviewPage
from scoring.stats.claims import ScoresFigure
from scoring.stats.people.said import DisputesFigure

MOST = 2**63 - 1


class DecisionForm(forms.Form):
    """One decision about a question; which of the targets it needs depends on the act."""

    act = forms.ChoiceField(
        label=_("Decision"), choices=[(one, one) for one in ReviewAct], widget=forms.HiddenInput
    )
    key = forms.UUIDField(widget=forms.HiddenInput, required=False)
    letter = forms.CharField(
        label=_("Response"), max_length=1, required=False, widget=forms.HiddenInput
    )
    criterion = forms.SlugField(
        label=_("Criterion"), max_length=80, required=False, widget=forms.HiddenInput
    )
    value = forms.DecimalField(
        label=_("Grade"),
        required=False,
        max_digits=12,
        decimal_places=4,
        widget=refusals.Boxes,
    )
    grade = forms.IntegerField(
        label=_("Given grade"),
        required=False,
        max_value=MOST,
        widget=forms.HiddenInput,
    )
    decision = forms.IntegerField(
        label=_("Earlier decision"), required=False, max_value=MOST, widget=forms.HiddenInput
    )
    text = forms.CharField(label=_("Text"), max_length=20_000, required=False)
    reason = forms.CharField(label=_("Reason"), max_length=1000)

    def __init__(self, *args: Any, page: ReviewPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page = page
        if self.place:  # so that errors lead to the field of the form that was sent
            self.auto_id = f"%s-{self.place.replace('%', '%%')}"

    def clean_letter(self) -> str:
        """Refuse a choice that is told from B: it would read the other way round."""
        letter = str(self.cleaned_data["letter"])
        if not self.page.choices or not self.data.get("criterion"):
            return letter
        if letter not in {"", "A"}:
            raise forms.ValidationError(
                _("A choice already says A or B: name response A, or none.")
            )
        return "A"

    @property
    def place(self) -> str:
        """Return which form of the page was sent, as the ids of its fields end; nothing if none was."""
        if not self.is_bound:
            return ""
        match self.data.get("act"):
            case ReviewAct.ADJUDICATE:
                return f"{self.data.get('letter', '')}-{self.data.get('criterion', '')}"
            case ReviewAct.STRIKE_GRADE | ReviewAct.STRIKE_RATER | ReviewAct.HAND_BACK:
                return f"{self.data.get('grade', '')}-grade"
            case ReviewAct.REVERSE:
                return f"{self.data.get('decision', '')}-back"
            case ReviewAct.FIX_ANSWER:
                return "answer"
            case ReviewAct.CLARIFY_RUBRIC:
                return "rubric"
        return "question"

    @property
    def request_key(self) -> uuid.UUID:
        """Return the request's own id: the same form of a page sent twice is one decision."""
        given = self.cleaned_data
        if given["key"] is None:
            return uuid.uuid4()
        return uuid.uuid5(given["key"], repr([str(given[name]) for name in sorted(given)]))

    def wish(self) -> DecisionWish:
        """Return what is decided; what the page does not know is left out and refused below."""
        given, page = self.cleaned_data, self.page
        answers = {one.letter: one for one in page.answers}
        answer = answers.get(given["letter"])
        criteria = {part.criterion.key: part.criterion for part in page.parts}
        act = ReviewAct(given["act"])
        grade = self._grade(given["grade"])
        return DecisionWish(
            act=act,
            item=page.item,
            pair=page.place.pair,
            response=answer.response if answer else None,
            criterion=criteria.get(given["criterion"]),
            value=given["value"],
            grade=grade if act is ReviewAct.STRIKE_GRADE else None,
            rater=grade.rater if grade and act is ReviewAct.STRIKE_RATER else None,
            capability=page.item.capability if act is ReviewAct.STRIKE_RATER else None,
            assignment=self._seat(grade) if act is ReviewAct.HAND_BACK else None,
            text=given["text"],
            reverses=review.one_of(page.place.round, given["decision"] or 0)
            if act is ReviewAct.REVERSE
            else None,
        )

    def _grade(self, pk: int | None) -> Grade | None:
        shown = {mark.pk for part in self.page.parts for mark in part.marks}
        if pk not in shown:
            return None
        return Grade.objects.select_related("rater", "response").get(pk=pk)

    def _seat(self, grade: Grade | None) -> Assignment | None:
        return grade.assignment if grade else None


class ReviewSettingForm(forms.Form):
    """How the project reviews."""

    n_reviewers = forms.TypedChoiceField(
        label=_("Reviewers"),
        coerce=int,
        choices=[
            (1, _("One reviewer decides")),
            (2, _("Two reviewers: a second one confirms")),
        ],
        widget=forms.RadioSelect,
    )
    hide_people = forms.BooleanField(
        label=_("Hide which annotator gave a grade"),
        required=False,
        help_text=_("Systems are always hidden."),
    )


TAB = "results_review"


def _context(mine: ReadRound) -> dict[str, Any]:
    scope = mine.scope
    return {
        **around(mine, TAB),
        "rule": review.rule_of(scope.project),
        "may_decide": scope.may(permissions.CURATORS)
        and not review.has_part(mine.round, scope.user),
        "may_edit": scope.may(permissions.CURATORS),
    }


@shows(permissions.UNBLINDED)
def queue_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List what waits at the review desk: by C(k), flags, and what somebody took up by hand."""
    mine = labels.of_reading(scope, number)
    context = _context(mine)
    if shut := waiting.closed(request, mine, context):
        return shut
    wish = asked.of_disputes({}, scope.project)
    figure = figures.get(
        name=disputes.FIGURE, round_=mine.round, params=wish.params, now=timezone.now()
    )
    if wait := waiting.answer(request, [figure], context, page="scoring/results/results_wait.html"):
        return wait
    only = request.GET.get("only", "open")
    only = only if only in reviewed.ONLY else "open"
    text = request.GET.get("from", "")
    start = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    found = typed.read_figure(DisputesFigure, figure.data)
    context |= {
        "figure": figure,
        "only": only,
        "start": start,
        "queue": reviewed.queue(mine.round, found, only=only, start=start),
    }
    return render(request, "scoring/review/review.html", context)


@asks(permissions.UNBLINDED, permissions.CURATORS)
def question_page(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Show all grades of a question side by side, and take a decision about it."""
    mine = labels.of_reading(scope, number)
    context = _context(mine)
    if shut := waiting.closed(request, mine, context):
        return shut
    page = reviewed.allowed(mine, place)
    form = DecisionForm(request.POST if request.method == "POST" else None, page=page)
    status = 200
    if form.is_valid():
        with refusals.shown(form) as refused:
            made = review.decide(
                round_=mine.round,
                wish=form.wish(),
                reason=form.cleaned_data["reason"],
                key=form.request_key,
                **scope.who(),
            )
            messages.success(request, _said(mine, made.pk))
            return redirect("review_question", scope.project.slug, number, page.number)
        status = refused.status
    elif form.is_bound:
        status = 422
    context |= {"page": page, "form": form, "key": uuid.uuid4(), "around": _around(mine, page)}
    return render(request, "scoring/review/review_question.html", context, status=status)


def _around(mine: ReadRound, page: ReviewPage) -> reviewed.Around | None:
    """Return where to go from here, if it is known already what is disputed."""
    wish = asked.of_disputes({}, mine.scope.project)
    figure = figures.get(
        name=disputes.FIGURE, round_=mine.round, params=wish.params, now=timezone.now()
    )
    if not figure.data:
        return None
    return reviewed.around(mine.round, typed.read_figure(DisputesFigure, figure.data), page.number)


def _said(mine: ReadRound, pk: int) -> str:
    made = review.one_of(mine.round, pk)
    if made is not None and review.standing_of(made) is DecisionStanding.WAITING:
        return gettext("Decided; a second reviewer confirms.")
    if made is not None and made.act == ReviewAct.TAKE_UP:
        return gettext("On the review desk.")
    return gettext("Decided. Results are recomputed.")


@does(permissions.UNBLINDED, permissions.CURATORS)
def confirm(request: HttpRequest, scope: Scope, number: int, pk: int) -> HttpResponse:
    """Confirm what another reviewer decided."""
    mine = labels.allowed(scope, number)
    found = review.one_of(mine.round, pk)
    if found is None:
        raise Http404
    with refusals.told(request):
        review.confirm(decision=found, **scope.who())
        messages.success(request, gettext("Confirmed. Results are recomputed."))
    [line] = review.lines(review.decisions_of(mine.round).filter(pk=pk))
    return redirect("review_question", scope.project.slug, number, line.place)


@shows(permissions.UNBLINDED)
def effect_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the scores as all was given, as they count, and with adjudicated grades in place."""
    mine = labels.of_reading(scope, number)
    context = _context(mine)
    if shut := waiting.closed(request, mine, context):
        return shut
    now = timezone.now()
    found = {
        name: figures.get(name=results.FIGURE, round_=mine.round, params=params, now=now)
        for name, params in reviewed.params(mine.round).items()
    }
    here = list(found.values())
    if wait := waiting.answer(request, here, context, page="scoring/results/results_wait.html"):
        return wait
    data = {name: typed.read_figure(ScoresFigure, figure.data) for name, figure in found.items()}
    context |= {
        "figure": here[0],
        "counts": figures_selection.counts(mine.round),
        "lines": reviewed.lines(data, mine.names),
        "decisions": review.lines(review.decisions_of(mine.round)),
    }
    return render(request, "scoring/review/review_effect.html", context)


@asks(permissions.CURATORS)
def rule_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say how many reviewers a decision of the project wants, and whether they see who graded."""
    mine = labels.of_reading(scope, number)
    context = _context(mine)
    rule = context["rule"]
    shown = {"n_reviewers": rule.n_reviewers, "hide_people": rule.hide_people}
    form = ReviewSettingForm(request.POST if request.method == "POST" else None, initial=shown)
    if form.is_valid():
        review.set_rule(**form.cleaned_data, **scope.deed())
        messages.success(request, gettext("Saved for all rounds."))
        return redirect(TAB, scope.project.slug, number)
    context["form"] = form
    status = refusals.status_of(form)
    return render(request, "scoring/review/review_rule.html", context, status=status)


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Tell curators of decisions that wait for a second reviewer."""
    if not scope.may(permissions.CURATORS):
        return None
    waiting = review.waiting(scope.project, scope.user)
    if not waiting:
        return None
    context = {"scope": scope, "waiting": waiting}
    return render_to_string("scoring/review/parts/home_review.html", context)


def finish(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Say to whoever is about to make a round final what is not decided at the review desk."""
    try:
        labels.allowed(scope, round.number)
    except errors.Refusal:
        return None
    wish = asked.of_disputes({}, scope.project)
    figure = figures.get(name=disputes.FIGURE, round_=round, params=wish.params, now=timezone.now())
    n_open = None
    if figure.state == Figure.State.READY and figure.data is not None:
        found = typed.read_figure(DisputesFigure, figure.data)
        n_open = reviewed.queue(round, found).n_open
    context = {"scope": scope, "round": round, "figure": figure, "n_open": n_open}
    return render_to_string("scoring/review/parts/finish_review.html", context)
