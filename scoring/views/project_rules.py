"""Rules of a project that its results and reviews go by: pages of its settings."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.models import Project
from annotation.operations import reviewing
from annotation.operations import settings as operations
from annotation.permissions import Scope, door
from annotation.queries import reviews as review_rules
from annotation.queries import settings as reads
from annotation.rules.settings import Section
from evalsite import errors
from scoring.forms.project_rules import DisputesForm
from scoring.forms.reviews import RuleForm
from scoring.queries import asked
from scoring.queries import disputes as of_disputes


def lines(*, project: Project) -> list[tuple[str, str, str]]:
    """Return the rules for the settings' page: what each is called, what holds, where it is changed."""
    typed = asked.of_disputes({}, project).typed
    rule = review_rules.rule_of(project)
    reviewers = ngettext("%(n)d reviewer decides", "%(n)d reviewers decide", rule.n_reviewers)
    hidden = _("annotators hidden") if rule.hide_people else _("annotators shown")
    return [
        (
            _("Disputes"),
            _("an annotator: %(rater)s; a question: %(question)s")
            % {
                "rater": of_disputes.RATER_RULES[typed["rater"]],
                "question": of_disputes.QUESTION_RULES[typed["question"]],
            },
            reverse("settings_disputes", args=[project.slug]),
        ),
        (
            _("Review"),
            f"{reviewers % {'n': rule.n_reviewers}}; {hidden}",
            reverse("settings_reviews", args=[project.slug]),
        ),
    ]


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def disputes(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set by which rules disputes are found, where an address does not ask for others."""
    held = reads.newest(scope.project, Section.DISPUTES)
    form = DisputesForm(held, request.POST if request.method == "POST" else None)
    status = refusals.status_of(form)
    if form.is_valid():
        try:
            wanted = asked.of_disputes(form.query())
            changed = operations.save(
                project=scope.project,
                section=Section.DISPUTES,
                body=dict(wanted.typed),
                base=form.based_on,
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            _say(request, changed=changed)
            return redirect("settings_disputes", scope.project.slug)
    context: dict[str, Any] = {
        "scope": scope,
        "form": form,
        "history": reads.history(scope.project, Section.DISPUTES),
        "title": _("Rules of disputes"),
        "lead": _(
            "By these the review desk and the results of every round find disputes. On a page of results "
            "others can be tried out; its address keeps them."
        ),
    }
    return render(request, "scoring/project_rule.html", context, status=status)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def reviews(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Say how many reviewers a decision wants, and whether they see who graded."""
    rule = review_rules.rule_of(scope.project)
    shown = {"n_reviewers": rule.n_reviewers, "hide_people": rule.hide_people}
    form = RuleForm(request.POST if request.method == "POST" else None, initial=shown)
    if form.is_valid():
        changed = form.cleaned_data != shown
        if changed:
            reviewing.set_rule(
                project=scope.project, by=scope.user, now=timezone.now(), **form.cleaned_data
            )
        _say(request, changed=changed)
        return redirect("settings_reviews", scope.project.slug)
    context = {
        "scope": scope,
        "form": form,
        "title": _("How we review"),
        "lead": _(
            "It holds for all rounds of the project from now on. What waits for a second reviewer still needs one."
        ),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/project_rule.html", context, status=status)


def _say(request: HttpRequest, *, changed: bool) -> None:
    if changed:
        messages.success(request, _("Saved."))
    else:
        messages.info(request, _("Nothing was changed: this holds already."))
