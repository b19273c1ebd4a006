"""Conversations: their list, one with what was found beside each turn, and bringing them in."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, ngettext

from annotation.common import forms as refusals
from annotation.common.forms import Filter, NameInput
from annotation.files.models import WholeKind
from annotation.imports import wholes
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks, shows
from annotation.systems.models import SystemRelease
from evalsite.web import keyset
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites.conversations import jobs, operations, queries, results
from scoring.kinds.suites.conversations.operations import Brought, SetWish
from scoring.kinds.suites.conversations.queries import ConversationFilters


class ConversationsForm(forms.Form):
    """A file of conversations, and under which names it goes."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        allow_empty_file=True,  # the operation says what is wrong with an empty one
        help_text=gettext_lazy(
            "JSONL or JSON as {“messages”: [{“role”, “content”}]}, CSV with conversation, "
            "role, content; LangGraph checkpoints; a FlexEval database."
        ),
    )
    set_name = NameInput(
        label=gettext_lazy("Name"),
        max_length=120,
        help_text=gettext_lazy("A known name gets more."),
    )
    system = NameInput(
        label=gettext_lazy("System"),
        max_length=120,
    )
    release = NameInput(label=gettext_lazy("Release"), max_length=120, initial="1")

    def wish(self) -> SetWish:
        given = self.cleaned_data
        return SetWish(given["set_name"], given["system"], given["release"], given["file"].name)


class ConversationFilter(Filter):
    q = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={"type": "search", "placeholder": gettext_lazy("What was said")}
        ),
    )
    set = forms.TypedChoiceField(label=gettext_lazy("Set"), coerce=int, required=False)
    release = forms.TypedChoiceField(label=gettext_lazy("System"), coerce=int, required=False)
    tools = forms.BooleanField(label=gettext_lazy("With tool calls"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = suites.sets_of(project)
        self.fields["set"].choices = [  # type: ignore[attr-defined]
            ("", gettext_lazy("Every set")),
            *((one.set.number, one.set.name) for one in sets),
        ]
        used = SystemRelease.objects.filter(
            system__project=project, responses__conversations__isnull=False
        )
        self.fields["release"].choices = [  # type: ignore[attr-defined]
            ("", gettext_lazy("Every system")),
            *((one.pk, str(one)) for one in used.distinct().select_related("system")[:200]),
        ]

    def filters(self) -> ConversationFilters:
        return ConversationFilters(
            text=self.given("q") or "",
            set=self.given("set"),
            release=self.given("release"),
            tools=bool(self.given("tools")),
        )


@shows(permissions.UNBLINDED)
def conversations(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the conversations, the newest first."""
    form = ConversationFilter(request.GET, project=scope.project)
    rows = queries.filtered(scope.project, form.filters())
    page = queries.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "form": form,
        "rows": page.rows,
        "count_text": ngettext("%(n)d conversation", "%(n)d conversations", n) % {"n": n},
        **keyset.links(request.GET, page),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/kinds/suites/conversations_list.html", context)


@asks(permissions.CURATORS)
def conversations_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Bring a file of conversations in: all of it, or nothing."""
    sent = request.method == "POST"
    form = ConversationsForm(request.POST if sent else None, request.FILES if sent else None)
    if form.is_valid():
        with refusals.shown(form):
            return _taken(request, scope, form)
    context = {"form": form, **wholes.shown(scope.project, WholeKind.TALKS)}
    status = refusals.status_of(form)
    return render(request, "scoring/kinds/suites/new.html", context, status=status)


def _taken(request: HttpRequest, scope: Scope, form: ConversationsForm) -> HttpResponse:
    """Bring a small file in now, and leave a large one to a worker."""
    file: Any = form.cleaned_data["file"]
    given: dict[str, Any] = {
        "project": scope.project,
        "wish": form.wish(),
        "now": timezone.now(),
    }
    if file.size > wholes.SMALL:
        jobs.hand_in(**given, pieces=file.chunks(), by=scope.user)
        messages.success(request, wholes.said_that_it_waits())
        return redirect("conversations_new", scope.project.slug)
    if results.is_results(lambda: file.chunks()):
        return _results(request, scope, form)
    found = operations.bring_file(**given, open_file=lambda: file.chunks(), by=scope.user)
    messages.success(request, jobs.said_of(found))
    return redirect(_list_of(scope, found))


def _results(request: HttpRequest, scope: Scope, form: ConversationsForm) -> HttpResponse:
    """Bring a results file of FlexEval in, and go to what it found."""
    found = results.bring(
        project=scope.project,
        wish=form.wish(),
        chunks=form.cleaned_data["file"].chunks(),
        user=scope.user,
        now=timezone.now(),
    )
    messages.success(request, jobs.said_of(found.brought))
    if not found.runs:
        return redirect(_list_of(scope, found.brought))
    messages.success(request, jobs.said_of_values(found))
    return redirect("run_suite", scope.project.slug, found.runs[-1].number)


def _list_of(scope: Scope, found: Brought) -> str:
    there = reverse("conversations", args=[scope.project.slug])
    return f"{there}?set={found.set.number}"


@shows(permissions.UNBLINDED)
def conversation(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a conversation, and what a run of a suite found of it."""
    row = queries.find(scope.project, pk)
    runs = queries.runs_of(row)
    wished = request.GET.get("run", "")
    run = next((one for one in runs if str(one.number) == wished), runs[0] if runs else None)
    before, after = queries.neighbours(row)
    context = {
        "shown": queries.shown(row, run, whole=bool(request.GET.get("whole"))),
        "row": row,
        "run": run,
        "runs": runs,
        "before": before,
        "after": after,
    }
    return render(request, "scoring/kinds/suites/conversations_one.html", context)
