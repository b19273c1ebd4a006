"""Help with drafting: what an owner allows, what a designer asks for, what came of it."""

import secrets
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.models import QuestionVersion
from annotation.permissions import Scope, door
from annotation.queries import question_pages
from annotation.queries import sources as corpus
from annotation.rules import excerpts, passages
from evalsite import errors
from scoring.forms.drafting import AllowForm, HelpForm, PassageForm
from scoring.forms.runs import LARGEST_SEED
from scoring.models import Drafting, Proposal
from scoring.operations import drafting as operations
from scoring.queries import drafting as reads


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def settings_drafting(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show whom the project allows to help with drafting; a POST allows another one, or nobody."""
    now = reads.endpoint_of(scope.project)
    form = AllowForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        initial={"endpoint": now},
    )
    if form.is_bound and form.is_valid():
        try:
            operations.allow(
                project=scope.project,
                endpoint=form.cleaned_data["endpoint"],
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("This holds from now on."))
            return redirect("settings_drafting", scope.project.slug)
    context = {
        "scope": scope,
        "form": form,
        "now": now,
        "has_endpoints": form.has_endpoints,
        "rules": reads.rules_of(scope.project),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/drafting/settings.html", context, status=status)


@require_POST
@door(permissions.DESIGNERS)
def draft_questions(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Have questions proposed from a passage of a source that one may see."""
    form = PassageForm(request.POST)
    if not form.is_valid():
        raise Http404(_("There is no such passage."))
    visible = corpus.visible_to(scope.project, scope.user, scope.roles)
    version = corpus.version_of(visible, form.cleaned_data["version"])
    if version is None:
        raise Http404(_("There is no such source."))
    try:
        start, end = form.span(version)
        asked = operations.request_questions(
            version=version, start=start, end=end, **_begun(form.cleaned_data["key"], scope)
        )
    except passages.NoPassage:
        words = _("Choose paragraphs of the text, at most %(n)d characters together.")
        messages.error(request, words % {"n": passages.MAX_PASSAGE})
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        return redirect("drafting", scope.project.slug, asked.run.number)
    return redirect("source", scope.project.slug, version.source_id)


@require_POST
@door(permissions.DESIGNERS)
def draft_help(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Have key points proposed for one's draft, or have it read for ambiguity."""
    version = _draft(scope, pk)
    form = HelpForm(request.POST)
    if not form.is_valid():
        raise Http404(_("There is no such help."))
    try:
        asked = operations.request_help(
            version=version,
            task=form.cleaned_data["task"],
            **_begun(form.cleaned_data["key"], scope),
        )
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("question_edit", scope.project.slug, pk)
    return redirect("drafting", scope.project.slug, asked.run.number)


@require_http_methods(["GET", "POST"])
@door(permissions.DESIGNERS)
def drafting(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what came of a request of one's own; a POST takes a proposal over."""
    found = reads.drafting_of(scope.project, scope.user, number)
    if found is None:
        raise Http404(_("There is no such request of yours."))
    if request.method == "POST":
        try:
            return _taken(request, scope, found)
        except errors.Refusal as refusal:
            messages.error(request, refusal.message)
            return redirect("drafting", scope.project.slug, number)
    context = {"scope": scope, "drafting": found, "came": reads.came_of(found), **_around(found)}
    return render(request, "scoring/drafting/drafting.html", context)


def _taken(request: HttpRequest, scope: Scope, found: Drafting) -> HttpResponse:
    wanted = request.POST.get("proposal", "")
    proposal = (
        found.proposals.filter(number=int(wanted[:4])).first()
        if wanted.isascii() and wanted.isdigit()
        else None
    )
    if proposal is None:
        raise Http404(_("There is no such proposal."))
    version = _take(proposal, scope)
    messages.success(request, _("It is a draft of yours now, marked as machine-drafted. Read it."))
    return redirect("question_edit", scope.project.slug, version.question_id)


def _take(proposal: Proposal, scope: Scope) -> QuestionVersion:
    given: dict[str, Any] = {"proposal": proposal, "by": scope.user, "now": timezone.now()}
    if proposal.drafting.task == Drafting.Task.QUESTIONS:
        return operations.take_question(**given)
    version = proposal.drafting.question_version
    return operations.take_points(base_rev=version.rev if version else 0, **given)


def _around(found: Drafting) -> dict[str, Any]:
    version = found.source_version
    if version is None or found.start is None or found.end is None:
        return {"place": "", "excerpt": None}
    return {
        "place": corpus.place_of(version.text, found.start, found.end),
        "excerpt": excerpts.cut(version.text, found.start, found.end, 0),
    }


def _draft(scope: Scope, pk: int) -> QuestionVersion:
    found = question_pages.under_way(scope.project, pk)
    if found is None or found.state != QuestionVersion.State.DRAFT:
        raise Http404(_("There is no such draft."))
    return found


def _begun(key: Any, scope: Scope) -> dict[str, Any]:
    seed = secrets.randbelow(LARGEST_SEED + 1)
    return {"key": key, "seed": seed, "by": scope.user, "now": timezone.now()}
