"""The form of the usual rules of disputes.

* Rules of a project that its results and reviews go by: pages of its settings.
* Rules that results and reviews of a project go by, as JSON.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.common import forms as refusals
from annotation.common.sentences import gettext, ngettext
from annotation.home import settings
from annotation.people import operations, permissions
from annotation.people import queries as reads
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks, door
from annotation.people.rules import Section, Verdicts
from annotation.review import operations as review
from evalsite.contract.calls import Body, contract, get, post, taken, valid
from evalsite.contract.shapes import one_of, said, shape
from evalsite.kinds import Whole
from evalsite.records import plain, values
from scoring.results import asked
from scoring.results import disputes as of_disputes
from scoring.review.pages import ReviewSettingForm
from scoring.study import queries as studies


class DisputesForm(settings.SettingsSection):
    rater = forms.ChoiceField(
        label=_("An annotator is in dispute when"),
        choices=list(of_disputes.RATER_RULES.items()),
    )
    far = forms.CharField(
        label=_("Far from the median: points or more"),
        max_length=20,
        help_text=_("For the second rule only."),
    )
    question = forms.ChoiceField(
        label=_("A question is in dispute when"),
        choices=list(of_disputes.QUESTION_RULES.items()),
    )
    share = forms.CharField(
        label=_("Least share of the smaller side"),
        max_length=20,
        help_text=_("From 0 to 1; for the third rule only."),
    )
    span = forms.CharField(
        label=_("Far apart: a range of points or more"),
        max_length=20,
        help_text=_("For the fourth rule only."),
    )
    w1 = forms.CharField(
        label=_("Weight of responses that divide"),
        max_length=20,
        help_text=_("Or a fraction: 1/2."),
    )
    w2 = forms.CharField(label=_("Weight of grades that stand alone"), max_length=20)
    field_order = ["base", "rater", "far", "question", "share", "span", "w1", "w2"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        return {**asked.DISPUTES, **body}

    def query(self) -> dict[str, str]:
        """Return what was typed as the address of the page of disputes says it."""
        given = {name: str(self.cleaned_data[name]) for name in asked.DISPUTES}
        return {**given, "rater_rule": given["rater"], "question_rule": given["question"]}


class VerdictsForm(settings.SettingsSection, record=Verdicts):
    field_order = ["base", "within"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        return plain(Verdicts.read(body))


def lines(*, project: Project) -> list[tuple[str, str, str]]:
    """Return the rules for the settings' page: what each is called, what holds, where it is changed."""
    typed = asked.of_disputes({}, project).typed
    rule = review.rule_of(project)
    reviewers = ngettext("%(n)d reviewer decides", "%(n)d reviewers decide", rule.n_reviewers)
    n_said = studies.n_said(project)
    hidden = gettext("annotators hidden") if rule.hide_people else gettext("annotators shown")
    return [
        (
            gettext("Disputes"),
            gettext("an annotator: %(rater)s; a question: %(question)s")
            % {
                "rater": of_disputes.RATER_RULES[typed["rater"]],
                "question": of_disputes.QUESTION_RULES[typed["question"]],
            },
            reverse("settings_disputes", args=[project.slug]),
        ),
        (
            gettext("Review"),
            f"{reviewers % {'n': rule.n_reviewers}}; {hidden}",
            reverse("settings_reviews", args=[project.slug]),
        ),
        (
            gettext("Study sheet"),
            gettext("%(n)d of %(all)d answered") % dict(zip(("n", "all"), n_said, strict=True)),
            reverse("settings_study", args=[project.slug]),
        ),
        (
            gettext("Verdicts"),
            gettext("equal within %(n)d points") % {"n": reads.verdicts_of(project).within},
            reverse("settings_verdicts", args=[project.slug]),
        ),
    ]


@asks(permissions.CURATORS)
def disputes(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set by which rules disputes are found, where an address does not ask for others."""
    held = reads.newest(scope.project, Section.DISPUTES)
    form = DisputesForm(held, request.POST if request.method == "POST" else None)
    status = refusals.status_of(form)
    if form.is_valid():
        with refusals.shown(form) as refused:
            wanted = asked.of_disputes(form.query())
            changed = operations.save(
                section=Section.DISPUTES,
                body=dict(wanted.typed),
                base=form.based_on,
                **scope.deed(),
            )
            _say(request, changed=changed)
            return redirect("settings_disputes", scope.project.slug)
        status = refused.status
    context: dict[str, Any] = {
        "form": form,
        "history": reads.history(scope.project, Section.DISPUTES),
        "title": gettext("Rules of disputes"),
        "lead": gettext("For the review desk and all results."),
    }
    return render(request, "scoring/home/project_rule.html", context, status=status)


@asks(permissions.CURATORS)
def reviews(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Say how many reviewers a decision wants, and whether they see who graded."""
    rule = review.rule_of(scope.project)
    shown = {"n_reviewers": rule.n_reviewers, "hide_people": rule.hide_people}
    form = ReviewSettingForm(request.POST if request.method == "POST" else None, initial=shown)
    if form.is_valid():
        changed = form.cleaned_data != shown
        if changed:
            review.set_rule(**form.cleaned_data, **scope.deed())
        _say(request, changed=changed)
        return redirect("settings_reviews", scope.project.slug)
    context = {
        "form": form,
        "title": gettext("How we review"),
        "lead": gettext("For all rounds from now on."),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/home/project_rule.html", context, status=status)


@asks(permissions.CURATORS)
def verdicts(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set how far apart two systems may be and still be called equal."""
    held = reads.newest(scope.project, Section.VERDICTS)
    form = VerdictsForm(held, request.POST if request.method == "POST" else None)
    status = refusals.status_of(form)
    if form.is_valid():
        with refusals.shown(form) as refused:
            changed = operations.set_verdicts(
                verdicts=Verdicts(form.cleaned_data["within"]), base=form.based_on, **scope.deed()
            )
            _say(request, changed=changed)
            return redirect("settings_verdicts", scope.project.slug)
        status = refused.status
    context: dict[str, Any] = {
        "form": form,
        "history": reads.history(scope.project, Section.VERDICTS),
        "title": gettext("Verdicts"),
        "lead": gettext("For results of every round."),
    }
    return render(request, "scoring/home/project_rule.html", context, status=status)


def _say(request: HttpRequest, *, changed: bool) -> None:
    if changed:
        messages.success(request, gettext("Saved."))
    else:
        messages.info(request, gettext("Nothing was changed."))


DISPUTE_RULES = shape(
    "DisputeRulesSet",
    version=said(int, "0: nobody has set them. A change names it as `base`."),
    rater=said(one_of(*of_disputes.RATER_RULES), "When an annotator disputes."),
    far=said(str, "For `rater`: so many points from the median or more."),
    question=said(one_of(*of_disputes.QUESTION_RULES), "When a question is disputed."),
    share=said(str, "For `question`: the least share of the smaller side."),
    span=said(str, "For `question`: a range of so many points or more."),
    w1=said(str, "Weight of responses that divide: a number or a fraction."),
    w2=said(str, "Weight of grades that stand alone."),
)
REVIEW_RULES = shape(
    "ReviewRulesSet",
    n_reviewers=said(one_of(1, 2), "How many must agree before anything changes."),
    hide_people=said(bool, "Whether the review desk hides which annotator gave a grade."),
)


VERDICT_RULES = shape(
    "VerdictsSet",
    Verdicts,
    version=said(int, "0: nobody has set it. A change names it as `base`."),
)


@dataclass(frozen=True, kw_only=True)
class VerdictsIn(Verdicts):
    """What is left out stays as it is; `base` is the version that was read."""

    base: Annotated[int, Whole()]


class DisputeRulesIn(Body):
    """What is left out stays as it is; `base` is the version that was read."""

    base = serializers.IntegerField(min_value=0)
    rater = serializers.ChoiceField(choices=tuple(of_disputes.RATER_RULES), required=False)
    far = serializers.CharField(max_length=20, required=False)
    question = serializers.ChoiceField(choices=tuple(of_disputes.QUESTION_RULES), required=False)
    share = serializers.CharField(max_length=20, required=False)
    span = serializers.CharField(max_length=20, required=False)
    w1 = serializers.CharField(max_length=20, required=False)
    w2 = serializers.CharField(max_length=20, required=False)


class ReviewRulesIn(Body):
    """What is left out stays as it is."""

    n_reviewers = serializers.IntegerField(min_value=1, max_value=2, required=False)
    hide_people = serializers.BooleanField(required=False)


@contract(
    get(DISPUTE_RULES, "Return the rules by which disputes are found."),
    post(DISPUTE_RULES, "Set the rules by which disputes are found.", takes=DisputeRulesIn),
)
@door(permissions.CURATORS)
def dispute_rules(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        given = valid(DisputeRulesIn, request)
        base = given.pop("base")
        wanted = {**_dispute_rules(scope), **given}
        named = {"rater_rule": wanted["rater"], "question_rule": wanted["question"]}
        operations.save(
            section=Section.DISPUTES,
            body=dict(asked.of_disputes({**wanted, **named}).typed),
            base=base,
            **scope.deed(),
        )
    held = reads.newest(scope.project, Section.DISPUTES)
    return Response({"version": held.number if held else 0, **_dispute_rules(scope)})


@contract(
    get(VERDICT_RULES, "Return how far apart two systems may be and still be called equal."),
    post(VERDICT_RULES, "Set how far apart they may be.", takes=VerdictsIn),
)
@door(permissions.CURATORS)
def verdict_rules(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        given = taken(VerdictsIn, request, onto=reads.verdicts_of(scope.project))
        operations.set_verdicts(
            verdicts=Verdicts(**values(given, Verdicts)), base=given.base, **scope.deed()
        )
    held = reads.newest(scope.project, Section.VERDICTS)
    shown = plain(reads.verdicts_of(scope.project))
    return Response({"version": held.number if held else 0, **shown})


@contract(
    get(REVIEW_RULES, "Return how the project reviews."),
    post(REVIEW_RULES, "Set how the project reviews from now on.", takes=ReviewRulesIn),
)
@door(permissions.CURATORS)
def reviewing_rules(request: HttpRequest, scope: Scope) -> Response:
    held = _review_rules(scope)
    if request.method == "POST":
        wanted = {**held, **valid(ReviewRulesIn, request)}
        if wanted != held:
            review.set_rule(**wanted, **scope.deed())
    return Response(_review_rules(scope))


def _dispute_rules(scope: Scope) -> dict[str, str]:
    return dict(asked.of_disputes({}, scope.project).typed)


def _review_rules(scope: Scope) -> dict[str, Any]:
    rule = review.rule_of(scope.project)
    return {"n_reviewers": rule.n_reviewers, "hide_people": rule.hide_people}
