"""Saved filters of the bank's list, and the columns that somebody wants to see.

* The list of the bank as a file, with the filters of its address: a table or lines of JSON.
* The bank as a board: columns by state; a card moves only where the rules of questions allow it.
* Editing many questions at once: choose, try out, confirm, and see what became of each.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, ngettext

from annotation.bank import bulk, questions
from annotation.bank import keeping as lists
from annotation.bank import list_forms as forms
from annotation.bank import lists as boards_reads
from annotation.bank import operations as bank
from annotation.bank import reading as question_pages
from annotation.bank.forms import QuestionFilter
from annotation.bank.models import BulkEdit, QuestionVersion, SavedFilter
from annotation.bank.rules import ACTS, ASK_WHY, Act
from annotation.bank.rules import BoardColumn as Column
from annotation.common import forms as refusals
from annotation.common import texts as sheets
from annotation.common.forms import show
from annotation.common.sentences import gettext as _
from annotation.domains import queries as taxonomy
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from evalsite import errors
from evalsite.web import keyset


def asked(scope: Scope, given: QueryDict) -> tuple[forms.ListChoice, list[SavedFilter]]:
    """Return what an address of the list asks for, and the saved filters that are theirs to see."""
    filters = list(questions.visible(scope.project, scope.user))
    remembered = questions.columns_of(scope.project, scope.user)
    found = forms.asked(given, project=scope.project, filters=filters, remembered=remembered)
    return found, filters


@asks(permissions.READERS)
def saved_filters(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List saved filters; a POST keeps the list of the address `back` under a name."""
    if request.method == "GET":
        return _page(request, scope, forms.SaveForm())
    form = forms.SaveForm(request.POST)
    found, _filters = asked(scope, _back(request))
    if form.is_valid():
        try:
            made = lists.save_filter(look=found.look(), **form.cleaned_data, **scope.deed())
        except errors.Refusal as refusal:
            show(form, refusal)
            return _page(request, scope, form, refusal.status)
        messages.success(request, _("Saved."))
        return _to_list(scope, f"saved={made.pk}")
    return _page(request, scope, form, 422)


@does(permissions.READERS)
def saved_filter(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Rename, share or delete a saved filter, or have it keep what the list shows now."""
    saved = questions.visible(scope.project, scope.user).filter(pk=pk).first()
    if saved is None:
        raise Http404(_("There is no such saved filter."))
    try:
        return _done(request, scope, saved)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return _page(request, scope, forms.SaveForm(), refusal.status)


def _done(request: HttpRequest, scope: Scope, saved: SavedFilter) -> HttpResponse:
    act, now = request.POST.get("act", ""), timezone.now()
    if act == "delete":
        lists.delete_filter(saved=saved, by=scope.user, now=now)
        messages.success(request, _("Filter deleted."))
    elif act == "rename":
        name = request.POST.get("name", "")
        lists.change_filter(saved=saved, name=name, by=scope.user, now=now)
    elif act in {"share", "keep"}:
        lists.change_filter(saved=saved, shared=act == "share", by=scope.user, now=now)
    elif act == "replace":
        found, _filters = asked(scope, _back(request))
        lists.change_filter(saved=saved, look=found.look(), by=scope.user, now=now)
        messages.success(request, _("Saved."))
        return _to_list(scope, f"saved={saved.pk}")
    else:
        raise errors.Invalid(_("Say what is to be done with the filter."))
    return redirect("saved_filters", scope.project.slug)


@does(permissions.READERS)
def list_columns(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Remember the columns that somebody wants to see; none, or `usual`: the usual ones."""
    chosen = [] if "usual" in request.POST else request.POST.getlist("columns")
    back = _back(request).copy()
    back.pop("columns", None)
    with refusals.told(request):
        columns = lists.choose_columns(project=scope.project, user=scope.user, columns=chosen)
        if back.get("saved"):  # it has columns of its own
            back.setlist("columns", [str(one) for one in columns])
    return _to_list(scope, back.urlencode())


def tabs(found: forms.ListChoice, filters: Sequence[SavedFilter]) -> list[dict[str, object]]:
    """Return the saved filters as links, the one that is shown marked."""
    now = found.saved.pk if found.saved else None
    return [
        {"label": one.name, "url": f"?saved={one.pk}", "current": one.pk == now, "one": one}
        for one in filters
    ]


def _page(
    request: HttpRequest, scope: Scope, form: forms.SaveForm, status: int = 200
) -> HttpResponse:
    filters = list(questions.visible(scope.project, scope.user))
    roles = frozenset(str(one) for one in scope.roles)
    context = {
        "form": form,
        "back": request.POST.get("back", ""),
        "rows": [
            {"one": one, "theirs": lists.may_change(one, scope.user, roles)} for one in filters
        ],
        "may_share": scope.may(permissions.CURATORS),
        "has_questions": bool(filters) or questions.newest(scope.project).exists(),
    }
    return render(request, "annotation/bank/saved_filters.html", context, status=status)


def _back(request: HttpRequest) -> QueryDict:
    return QueryDict(request.POST.get("back", "")[:4000].removeprefix("?"))


def _to_list(scope: Scope, query: str) -> HttpResponse:
    url = reverse("questions", args=[scope.project.slug])
    return redirect(f"{url}?{query}" if query else url)


COLUMNS = (
    "external_id",
    "version",
    "state",
    "life",
    "messages",
    "standard_answer",
    "key_points",
    "capability",
    "domain",
    "difficulty",
    "type",
    "as_of",
    "valid_until",
    "principle",
    "tags",
    "language",
    "sources",
    "author",
    "saved_at",
)


@shows(permissions.READERS)
def questions_csv(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Hand out the list as a table; lists stand in a cell as JSON, no cell is a formula."""
    return _sent(scope, _table(_records(request, scope)), "csv", "text/csv")


@shows(permissions.READERS)
def questions_jsonl(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Hand out the list as lines of JSON."""
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in _records(request, scope))
    return _sent(scope, lines, "jsonl", "application/x-ndjson")


def _records(request: HttpRequest, scope: Scope) -> Iterator[dict[str, Any]]:
    found, _filters = asked(scope, request.GET)
    return boards_reads.records(
        scope.project,
        found.form.filters(),
        user=scope.user,
        now=timezone.now(),
        order=found.order,
    )


def _sent(scope: Scope, lines: Iterator[str], ending: str, kind: str) -> StreamingHttpResponse:
    name = f"{scope.project.slug}-questions.{ending}"
    return StreamingHttpResponse(
        lines,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


class _BankEcho:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line


def _table(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    writer = csv.writer(_BankEcho())
    yield "\ufeff" + writer.writerow(COLUMNS)
    for record in records:
        yield writer.writerow([_cell(record[name]) for name in COLUMNS])


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return sheets.neutral(text)


COLUMN_NAMES = {
    Column.DRAFT: gettext_lazy("Draft"),
    Column.SUBMITTED: gettext_lazy("In inspection"),
    Column.RETURNED: gettext_lazy("Returned"),
    Column.ACCEPTED: gettext_lazy("Accepted"),
    Column.LOOK: gettext_lazy("Needs review"),
    Column.RETIRED: gettext_lazy("Retired"),
    Column.INVALIDATED: gettext_lazy("Invalidated"),
}
#: What a button of a card's menu says.
ACT_NAMES = {
    Act.SUBMIT: gettext_lazy("Submit for review"),
    Act.WITHDRAW: gettext_lazy("Withdraw"),
    Act.REVISE: gettext_lazy("New version"),
    Act.RETIRE: gettext_lazy("Retire"),
    Act.INVALIDATE: gettext_lazy("Invalidate"),
    Act.REVIVE: gettext_lazy("Use again"),
}


@shows(permissions.READERS)
def question_board(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the board, or one column of it page by page (`only`)."""
    wanted, saved = asked(scope, request.GET)
    only = next((one for one in Column if one == request.GET.get("only", "")), None)
    wanted.query.pop("only", None)
    piles = boards_reads.board(
        scope.project,
        wanted.form.filters(),
        user=scope.user,
        now=timezone.now(),
        only=only,
        after=request.GET.get("after", ""),
    )
    context = {
        "asked": wanted,
        "form": wanted.form,
        "saved": tabs(wanted, saved),
        "here": wanted.query.urlencode(),
        "only": only,
        "is_bare": not (only or wanted.form.is_set or any(one.n for one in piles)),
        "columns": [_column(one, wanted.query, only) for one in piles],
        "may_write": scope.may(permissions.DESIGNERS),
        "mine": str(scope.user.pk),
    }
    return render(request, "annotation/bank/question_board.html", context)


@does(permissions.READERS, permissions.BANK)
def question_move(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Move a card: do the one act that leads where it is to go, and show the board again."""
    newest = question_pages.under_way(scope.project, pk)
    if newest is None:
        raise Http404(_("There is no such question."))
    names = {"id": newest.question.external_id}
    try:
        _move(request, scope, newest)
    except errors.Refusal as refusal:
        messages.error(request, f"{names['id']}: {refusal.message}")
    else:
        messages.success(request, _("Moved %(id)s.") % names)
    query = QueryDict(request.POST.get("back", "")[:4000].removeprefix("?")).urlencode()
    url = reverse("question_board", args=[scope.project.slug])
    return redirect(f"{url}{f'?{query}' if query else ''}#card-{pk}")


def _move(request: HttpRequest, scope: Scope, newest: QuestionVersion) -> None:
    act = next((one for one in ACTS if one == request.POST.get("act", "")), None)
    if act is None:
        raise errors.Invalid(_("Say where the card is to go."))
    if request.POST.get("number", "") != str(newest.number):
        raise errors.NotNow(_("It has another version since. Look at where it stands now."))
    who = scope.who()
    if act in ASK_WHY:
        reason = request.POST.get("reason", "")[:500]
        bank.change_life(question=newest.question, act=act, reason=reason, **who)
    elif act is Act.SUBMIT:
        rev = request.POST.get("rev", "")
        base = int(rev) if rev.isascii() and rev.isdigit() and len(rev) < 10 else -1
        bank.submit(version=newest, base_rev=base, **who)
    elif act is Act.WITHDRAW:
        bank.withdraw(version=newest, **who)
    else:
        bank.revise(version=newest, **who)


def _column(pile: boards_reads.Pile, query: QueryDict, only: Column | None) -> dict[str, Any]:
    alone = query.copy()
    alone["only"] = pile.column.value
    further = alone.copy()
    if pile.after:
        further["after"] = pile.after
    more = pile.n > questions.MOST_COUNTED
    return {
        "code": pile.column.value,
        "name": COLUMN_NAMES[pile.column],
        "count": f"{questions.MOST_COUNTED}+" if more else str(pile.n),
        "cards": [_card(one) for one in pile.cards],
        "next_url": f"?{further.urlencode()}" if pile.after else "",
        "first_url": f"?{alone.urlencode()}" if only and not pile.first else "",
    }


def _card(card: boards_reads.BoardCard) -> dict[str, Any]:
    moves = [
        {"act": one.act.value, "to": one.to.value, "name": ACT_NAMES[one.act]} for one in card.moves
    ]
    asking = {one.act.value for one in card.moves if one.asks_why}
    return {
        "card": card,
        "one": card.version,
        "plain": [one for one in moves if one["act"] not in asking],
        "asking": [one for one in moves if one["act"] in asking],
    }


WHICH = ("", "changing", "refused")
#: So many ids stand in an address at most: two pages of the list.
MOST_IDS = 200


@shows(permissions.DESIGNERS)
def bulk_edits(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what was tried out and carried out, the newest first."""
    page = bulk.list_edits(scope.project, request.GET.get("after", ""))
    counts = bulk.counts(page.rows)
    context = {
        "rows": [{"edit": one, "counts": counts[one.pk]} for one in page.rows],
        **keyset.links(request.GET, page),
        "has_questions": bool(page.rows) or questions.newest(scope.project).exists(),
    }
    return render(request, "annotation/bank/bulk_edits.html", context)


@asks(permissions.DESIGNERS)
def bulk_edit_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Say what is to become of the chosen questions; a POST tries it out."""
    sent = request.POST if request.method == "POST" else None
    given = sent if sent is not None else request.GET
    rows = _chosen(scope, given)
    form = forms.BulkForm(sent, project=scope.project, may_retire=scope.may(permissions.CURATORS))
    status = 200
    if sent is not None and form.is_valid():
        try:
            made = bulk.plan(change=form.change(), rows=rows, **scope.deed())
            return redirect("bulk_edit", scope.project.slug, made.number)
        except errors.Refusal as refusal:
            refusal.fields = {forms.FIELDS.get(k, k): said for k, said in refusal.fields.items()}
            show(form, refusal)
    if sent is not None:
        status = 422
    n = min(rows.order_by()[: bulk.MOST + 1].count(), bulk.MOST + 1)
    back = given.get("back", "")
    context = {
        "form": form,
        "n": n,
        "has_questions": bool(n) or questions.newest(scope.project).exists(),
        "too_many": n > bulk.MOST,
        "may_retire": scope.may(permissions.CURATORS),
        "most": bulk.MOST,
        "count_text": ngettext("%(n)d question", "%(n)d questions", n) % {"n": n},
        "ids": given.getlist("id")[:MOST_IDS],
        "all": given.get("all", ""),
        "back": back,
        "helped": taxonomy.help_of(scope.project, str(form["capability"].value() or "")),
        "difficulty": form["difficulty"].value() or "",
    }
    return render(request, "annotation/bank/bulk_edit_new.html", context, status=status)


@shows(permissions.DESIGNERS)
def bulk_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what would become of each question, how far it is, or what became of each."""
    edit = _edit(scope, number)
    which = request.GET.get("which", "")
    which = which if which in WHICH else ""
    page = bulk.lines(edit, which, request.GET.get("after", ""))
    counts = bulk.counts([edit])[edit.pk]
    context = {
        "edit": edit,
        "counts": counts,
        "mine": edit.by_id == scope.user.pk,
        "said": forms.said(edit, _names(scope)),
        "page": page,
        "tabs": _tabs(which, counts, edit),
        "reasons": bulk.reasons(edit),
        **keyset.links(request.GET, page),
    }
    if request.headers.get("HX-Request"):
        response = render(request, "annotation/bank/parts/bulk_progress.html", context)
        if edit.state != BulkEdit.State.RUNNING:
            response["HX-Refresh"] = "true"
        return response
    return render(request, "annotation/bank/bulk_edit.html", context)


@does(permissions.DESIGNERS)
def bulk_edit_start(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Carry out what was tried out; a few questions at once, many by a worker."""
    edit = _edit(scope, number)
    with refusals.told(request):
        bulk.start(edit=edit, **scope.who())
        if bulk.counts([edit])[edit.pk].changing <= bulk.FEW:
            bulk.carry_on(edit_id=edit.pk, clock=timezone.now)
    return redirect("bulk_edit", scope.project.slug, number)


@does(permissions.DESIGNERS)
def bulk_edit_drop(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Throw a plan away that was not started."""
    edit = _edit(scope, number)
    with refusals.told(request):
        bulk.drop(edit=edit, by=scope.user)
        messages.success(request, _("Nothing was changed."))
        return redirect(reverse("questions", args=[scope.project.slug]))
    return redirect("bulk_edit", scope.project.slug, number)


def _edit(scope: Scope, number: int) -> BulkEdit:
    return get_object_or_404(bulk.bulk_edits_of(scope.project), number=number)


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


def _tabs(which: str, counts: bulk.BulkCounts, edit: BulkEdit) -> list[dict[str, Any]]:
    done = edit.state == BulkEdit.State.DONE
    changing = _("Changed") if done else _("Would change")
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
