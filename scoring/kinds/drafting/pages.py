"""Forms of help with drafting: whom an owner allows, and which passage is drafted from.

* Help with drafting: what an owner allows, what a designer asks for, what came of it.
* What help with drafting puts into the pages of a source and of a draft.
"""

import secrets
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.bank import reading as question_pages
from annotation.bank.models import QuestionVersion
from annotation.common import forms as refusals
from annotation.common import texts as passages
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks, does
from annotation.sources import queries as corpus
from annotation.sources import rules as excerpts
from annotation.sources.models import SourceVersion
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import LARGEST_SEED
from scoring.kinds.drafting import kind as reads
from scoring.kinds.drafting import operations
from scoring.kinds.drafting.models import Drafting, Proposal


class AllowForm(forms.Form):
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        required=False,
        empty_label=_("None: nobody drafts here but people"),
        help_text=_("It is sent passages of sources and drafts of questions."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = connections.endpoints_of(project)
        self.has_endpoints = field.queryset.exists()


class PassageForm(forms.Form):
    """A passage by its places, or by paragraphs where nothing was marked."""

    version = forms.IntegerField(min_value=1)
    start = forms.IntegerField(required=False, min_value=0)
    end = forms.IntegerField(required=False, min_value=1)
    first = forms.IntegerField(label=_("From paragraph"), required=False, min_value=1)
    last = forms.IntegerField(label=_("to paragraph"), required=False, min_value=1)
    key = forms.UUIDField()

    def span(self, version: SourceVersion) -> tuple[int, int]:
        """Return where the passage stands.

        Raises:
            passages.UnheldPassage: it is none of this text.
        """
        given = self.cleaned_data
        start, end = given["start"], given["end"]
        if start is None or end is None:
            found = passages.paragraphs(version.text)
            first, last = given["first"] or 1, given["last"] or given["first"] or 1
            if not found or not 1 <= first <= last <= len(found):
                raise passages.UnheldPassage("outside")
            start, end = found[first - 1].start, found[last - 1].end
        return passages.trimmed(version.text, start, end)


class HelpForm(forms.Form):
    task = forms.ChoiceField(
        choices=[(one.value, one.label) for one in (Drafting.Task.POINTS, Drafting.Task.AMBIGUITY)]
    )
    key = forms.UUIDField()


@asks(permissions.OWNERS)
def settings_drafting(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show whom the project allows to help with drafting; a POST allows another one, or nobody."""
    now = reads.endpoint_of(scope.project)
    form = AllowForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        initial={"endpoint": now},
    )
    if form.is_bound and form.is_valid():
        with refusals.shown(form):
            operations.allow(endpoint=form.cleaned_data["endpoint"], **scope.deed())
            messages.success(request, gettext("This holds from now on."))
            return redirect("settings_drafting", scope.project.slug)
    context = {
        "form": form,
        "now": now,
        "has_endpoints": form.has_endpoints,
        "rules": reads.rules_of(scope.project),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/drafting/settings.html", context, status=status)


@does(permissions.DESIGNERS)
def draft_questions(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Have questions proposed from a passage of a source that one may see."""
    form = PassageForm(request.POST)
    if not form.is_valid():
        raise Http404(gettext("There is no such passage."))
    visible = corpus.visible_to(scope.project, scope.user, scope.roles)
    version = corpus.version_of(visible, form.cleaned_data["version"])
    if version is None:
        raise Http404(gettext("There is no such source."))
    try:
        start, end = form.span(version)
        asked = operations.request_questions(
            version=version, start=start, end=end, **_begun(form.cleaned_data["key"], scope)
        )
    except passages.UnheldPassage:
        words = gettext("Choose paragraphs of the text, at most %(n)d characters together.")
        messages.error(request, words % {"n": passages.MAX_PASSAGE})
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        return redirect("drafting", scope.project.slug, asked.run.number)
    return redirect("source", scope.project.slug, version.source_id)


@does(permissions.DESIGNERS)
def draft_help(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Have key points proposed for one's draft, or have it read for ambiguity."""
    version = _draft(scope, pk)
    form = HelpForm(request.POST)
    if not form.is_valid():
        raise Http404(gettext("There is no such help."))
    with refusals.told(request):
        asked = operations.request_help(
            version=version,
            task=form.cleaned_data["task"],
            **_begun(form.cleaned_data["key"], scope),
        )
        return redirect("drafting", scope.project.slug, asked.run.number)
    return redirect("question_edit", scope.project.slug, pk)


@asks(permissions.DESIGNERS)
def drafting(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what came of a request of one's own; a POST takes a proposal over."""
    found = reads.drafting_of(scope.project, scope.user, number)
    if found is None:
        raise Http404(gettext("There is no such request of yours."))
    if request.method == "POST":
        try:
            return _taken(request, scope, found)
        except errors.Refusal as refusal:
            messages.error(request, refusal.message)
            return redirect("drafting", scope.project.slug, number)
    context = {"drafting": found, "came": reads.came_of(found), **_around(found)}
    return render(request, "scoring/kinds/drafting/drafting.html", context)


def _taken(request: HttpRequest, scope: Scope, found: Drafting) -> HttpResponse:
    wanted = request.POST.get("proposal", "")
    proposal = (
        found.proposals.filter(number=int(wanted[:4])).first()
        if wanted.isascii() and wanted.isdigit()
        else None
    )
    if proposal is None:
        raise Http404(gettext("There is no such proposal."))
    version = _take(proposal, scope)
    messages.success(request, gettext("Your draft now, marked as machine-drafted."))
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
        raise Http404(gettext("There is no such draft."))
    return found


def _begun(key: Any, scope: Scope) -> dict[str, Any]:
    seed = secrets.randbelow(LARGEST_SEED + 1)
    return {"key": key, "seed": seed, "by": scope.user, "now": timezone.now()}


def of_source(*, scope: Scope, version: SourceVersion, **context: Any) -> SafeString | None:
    """Offer to have questions proposed from a text, where an endpoint is allowed to."""
    if not scope.may(permissions.DESIGNERS) or not version.text.strip():
        return None
    endpoint = reads.endpoint_of(scope.project)
    asked = reads.of_source(version, scope.user)
    if endpoint is None and not asked:
        return None
    shown = {
        "scope": scope,
        "version": version,
        "endpoint": endpoint,
        "asked": asked,
        "key": uuid4(),
    }
    return render_to_string(
        "scoring/kinds/drafting/parts/draft_from_source.html", shown, context.get("request")
    )


def of_draft(*, scope: Scope, version: QuestionVersion, **context: Any) -> SafeString | None:
    """Offer key points, and a look for ambiguity, where an endpoint is allowed to."""
    endpoint = reads.endpoint_of(scope.project)
    asked = reads.of_question(version, scope.user)
    if endpoint is None and not asked:
        return None
    shown = {
        "scope": scope,
        "version": version,
        "endpoint": endpoint,
        "asked": asked,
        "keys": {"points": uuid4(), "ambiguity": uuid4()},
    }
    return render_to_string(
        "scoring/kinds/drafting/parts/draft_help.html", shown, context.get("request")
    )
