"""Editing many questions at once: choose, try out, confirm, and see what became of each."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import bulk_edits as forms
from annotation.forms.questions import QuestionFilter
from annotation.forms.refusals import show
from annotation.models import BulkEdit, QuestionVersion
from annotation.operations.bank import bulk
from annotation.permissions import Scope, door
from annotation.queries import bulk_edits as reads
from annotation.queries import questions, taxonomy
from evalsite import errors, keyset

WHICH = ("", "changing", "refused")
#: So many ids stand in an address at most: two pages of the list.
MOST_IDS = 200


@require_GET
@door(permissions.DESIGNERS)
def bulk_edits(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what was tried out and carried out, the newest first."""
    page = reads.list_edits(scope.project, request.GET.get("after", ""))
    counts = reads.counts(page.rows)
    context = {
        "scope": scope,
        "rows": [{"edit": one, "counts": counts[one.pk]} for one in page.rows],
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "has_questions": bool(page.rows) or questions.newest(scope.project).exists(),
    }
    return render(request, "annotation/bulk_edits.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.DESIGNERS)
def bulk_edit_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Say what is to become of the chosen questions; a POST tries it out."""
    sent = request.POST if request.method == "POST" else None
    given = sent if sent is not None else request.GET
    rows = _chosen(scope, given)
    form = forms.BulkForm(sent, project=scope.project, may_retire=scope.may(permissions.CURATORS))
    status = 200
    if sent is not None and form.is_valid():
        try:
            made = bulk.plan(
                project=scope.project,
                change=form.change(),
                rows=rows,
                by=scope.user,
                now=timezone.now(),
            )
            return redirect("bulk_edit", scope.project.slug, made.number)
        except errors.Refusal as refusal:
            refusal.fields = {forms.FIELDS.get(k, k): said for k, said in refusal.fields.items()}
            show(form, refusal)
    if sent is not None:
        status = 422
    n = min(rows.order_by()[: reads.MOST + 1].count(), reads.MOST + 1)
    back = given.get("back", "")
    context = {
        "scope": scope,
        "form": form,
        "n": n,
        "has_questions": bool(n) or questions.newest(scope.project).exists(),
        "too_many": n > reads.MOST,
        "may_retire": scope.may(permissions.CURATORS),
        "most": reads.MOST,
        "count_text": ngettext("%(n)d question", "%(n)d questions", n) % {"n": n},
        "ids": given.getlist("id")[:MOST_IDS],
        "all": given.get("all", ""),
        "back": back,
        "helped": taxonomy.help_of(scope.project, str(form["capability"].value() or "")),
        "difficulty": form["difficulty"].value() or "",
    }
    return render(request, "annotation/bulk_edit_new.html", context, status=status)


@require_GET
@door(permissions.DESIGNERS)
def bulk_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what would become of each question, how far it is, or what became of each."""
    edit = _edit(scope, number)
    which = request.GET.get("which", "")
    which = which if which in WHICH else ""
    page = reads.lines(edit, which, request.GET.get("after", ""))
    counts = reads.counts([edit])[edit.pk]
    context = {
        "scope": scope,
        "edit": edit,
        "counts": counts,
        "mine": edit.by_id == scope.user.pk,
        "said": forms.said(edit, _names(scope)),
        "page": page,
        "tabs": _tabs(which, counts, edit),
        "reasons": reads.reasons(edit),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    if request.headers.get("HX-Request"):
        response = render(request, "annotation/parts/bulk_progress.html", context)
        if edit.state != BulkEdit.State.RUNNING:
            response["HX-Refresh"] = "true"
        return response
    return render(request, "annotation/bulk_edit.html", context)


@require_POST
@door(permissions.DESIGNERS)
def bulk_edit_start(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Carry out what was tried out; a few questions at once, many by a worker."""
    edit = _edit(scope, number)
    try:
        bulk.start(edit=edit, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        if reads.counts([edit])[edit.pk].changing <= bulk.FEW:
            bulk.carry_on(edit_id=edit.pk, clock=timezone.now)
    return redirect("bulk_edit", scope.project.slug, number)


@require_POST
@door(permissions.DESIGNERS)
def bulk_edit_drop(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Throw a plan away that was not started."""
    edit = _edit(scope, number)
    try:
        bulk.drop(edit=edit, by=scope.user)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("bulk_edit", scope.project.slug, number)
    messages.success(request, _("Nothing was changed."))
    return redirect(reverse("questions", args=[scope.project.slug]))


def _edit(scope: Scope, number: int) -> BulkEdit:
    return get_object_or_404(reads.of(scope.project), number=number)


def _chosen(scope: Scope, given: QueryDict) -> "QuerySet[QuestionVersion]":
    """Return the newest versions of the questions that are named, or of all that fit the filters."""
    if given.get("all"):
        back = QueryDict(given.get("back", "")[:4000].removeprefix("?"))
        filters = QuestionFilter(back, project=scope.project).filters()
        return questions.filtered(scope.project, filters, user=scope.user, now=timezone.now())
    ids = [one for one in given.getlist("id")[:MOST_IDS] if one.isascii() and one.isdigit()]
    numbers = [int(one) for one in ids if len(one) < 18]
    return questions.newest(scope.project).filter(question__in=numbers)


def _names(scope: Scope) -> dict[str, dict[int, str]]:
    return {
        "capability_id": dict(scope.project.capabilities.values_list("pk", "name")),
        "domain_id": dict(scope.project.domains.values_list("pk", "name")),
    }


def _tabs(which: str, counts: reads.Counts, edit: BulkEdit) -> list[dict[str, Any]]:
    done = edit.state == BulkEdit.State.DONE
    changing = _("Changed") if done else _("Will change")
    refused = _("Not changed") if done else _("Refused")
    n_changing = counts.changing - counts.refused_later - counts.stale
    rows = (
        ("", _("All"), counts.changing + counts.same + counts.refused),
        ("changing", changing, n_changing),
        ("refused", refused, counts.not_done),
    )
    return [
        {
            "label": label,
            "count": n,
            "current": code == which,
            "url": f"?which={code}" if code else "?",
        }
        for code, label, n in rows
    ]
