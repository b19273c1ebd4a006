"""The question bank: its list, and one question with versions, comments, use and life."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms.inspections import FIELD_NAMES
from annotation.forms.questions import LOOK_NAMES
from annotation.models import QuestionVersion, SavedFilter
from annotation.operations.bank import lists, states, writing
from annotation.permissions import Scope, door
from annotation.queries import corpus, question_pages, sources, standing
from annotation.queries import questions as reads
from annotation.rules import checklists
from annotation.rules import questions as rules
from annotation.views import bank_lists, question_faces
from evalsite import errors, keyset

Act = rules.Act
LIFE_ACTS = {"retire": Act.RETIRE, "invalidate": Act.INVALIDATE, "revive": Act.REVIVE}


@require_GET
@door(permissions.READERS)
def questions(request: HttpRequest, scope: Scope) -> HttpResponse:
    asked, saved = bank_lists.asked(scope, request.GET)
    now = timezone.now()
    filters = asked.form.filters()
    rows = reads.filtered(scope.project, filters, user=scope.user, now=now)
    page = reads.page(
        scope.project,
        rows,
        request.GET.get("after", ""),
        of_a_kind=filters.capability is not None,
        order=asked.order,
        brief=True,
    )
    by_life = reads.by_life(scope.project)
    context = {
        "scope": scope,
        "asked": asked,
        "form": asked.form,
        "saved": bank_lists.tabs(asked, saved),
        "may_change": asked.saved is not None and _is_theirs(scope, asked.saved),
        "page": page,
        "lines": reads.lines(scope.project, page.rows, now.date()),
        "n_all": sum(by_life.values()),
        "n_left": sum(by_life.values()) - by_life.get("LIVE", 0),
        "count_text": _counted(page.n),
        "next_url": keyset.next_url(asked.query, page),
        "first_url": keyset.first_url(asked.query, page),
        "here": asked.query.urlencode(),
        "may_share": scope.may(permissions.CURATORS),
        "may_write": scope.may(permissions.DESIGNERS),
        "mine": str(scope.user.pk),
    }
    return render(request, "annotation/questions.html", context)


def _is_theirs(scope: Scope, saved: SavedFilter) -> bool:
    return lists.may_change(saved, scope.user, frozenset(str(one) for one in scope.roles))


def _counted(n: int) -> str:
    if n > reads.MOST_COUNTED:
        return _("more than %(n)d questions") % {"n": reads.MOST_COUNTED}
    return ngettext("%(n)d question", "%(n)d questions", n) % {"n": n}


@require_GET
@door(permissions.BANK)
def question_looks(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what needs a look, kind by kind."""
    now = timezone.now()
    newest = reads.newest(scope.project)
    kinds = []
    for look in reads.LOOKS:
        found = reads.needed(newest, look, shown=10, user=scope.user, now=now)
        kinds.append({"code": look, "name": LOOK_NAMES[look], "n": found.n, "rows": found.rows})
    context = {"scope": scope, "kinds": kinds, "n": any(one["n"] for one in kinds)}
    return render(request, "annotation/question_looks.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.READERS, permissions.BANK)
def question(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a question; a POST does one of the things that may be done with it."""
    versions = question_pages.versions_of(scope.project, pk)
    if not versions:
        raise Http404(_("There is no such question."))
    refusal = None
    if request.method == "POST":
        try:
            return _done(request, scope, versions[0])
        except errors.Refusal as problem:
            refusal = problem
    context = _context(request, scope, versions) | {"refusal": refusal}
    status = refusal.status if refusal else 200
    return render(request, "annotation/question.html", context, status=status)


def _done(request: HttpRequest, scope: Scope, newest: QuestionVersion) -> HttpResponse:
    act, by, now = request.POST.get("act", ""), scope.user, timezone.now()
    here = redirect("question", scope.project.slug, newest.question_id)
    if act == "revise":
        taken = question_pages.suggestion(newest, request.POST.getlist("take"))
        writing.revise(version=newest, by=by, now=now, suggestion=taken)
        return redirect("question_edit", scope.project.slug, newest.question_id)
    if act == "withdraw":
        writing.withdraw(version=newest, by=by, now=now)
        return redirect("question_edit", scope.project.slug, newest.question_id)
    if act == "discard":
        writing.discard(version=newest, by=by, now=now)
        messages.success(request, _("The draft is thrown away."))
        return redirect("questions", scope.project.slug) if newest.number == 1 else here
    if act in LIFE_ACTS:
        reason = request.POST.get("reason", "")
        states.change_life(
            question=newest.question, act=LIFE_ACTS[act], reason=reason, by=by, now=now
        )
        return here
    field = request.POST.get("field", "")
    text = request.POST.get("text", "")
    states.comment(
        question=newest.question,
        text=text,
        field=field,
        version=newest if field else None,
        by=by,
        now=now,
    )
    return here


def _context(request: HttpRequest, scope: Scope, versions: list[QuestionVersion]) -> dict[str, Any]:
    newest = versions[0]
    shown = _chosen(versions, request.GET.get("version", "")) or newest
    before = [one for one in versions if one.number < shown.number]
    old = _chosen(versions, request.GET.get("against", "")) or (before[0] if before else None)
    may_blind = scope.may(permissions.UNBLINDED)
    where = standing.of(newest, scope.user)
    seen = sources.seen_by(scope.project, scope.user, scope.roles)
    return {
        "scope": scope,
        "versions": versions,
        "newest": newest,
        "shown": shown,
        "face": question_faces.of_version(shown),
        "old": old if old and old.pk != shown.pk else None,
        "both": request.GET.get("view") == "both",
        "changes": _changes(old, shown, seen) if old else [],
        "cited": corpus.cited(
            question_pages.citations(shown),
            timezone.now().date(),
            seen,
        ),
        "drafted": corpus.machine_drafts_of(shown),
        "decided": question_faces.decided(shown),
        "suggestions": question_faces.suggestions(newest),
        "comments": question_faces.comments(newest),
        "area": reads.paths(scope.project).get(shown.domain_id or 0, ""),
        "rounds": question_pages.rounds_with(newest) if may_blind else [],
        "items": question_pages.items_of(newest),
        "history": question_pages.life_of(newest),
        "possible": {one.value for one in rules.possible(where)},
        "fields": [(key, FIELD_NAMES[key]) for key in checklists.FIELDS if key in FIELD_NAMES],
        "today": timezone.now().date(),
    }


def _chosen(versions: list[QuestionVersion], number: str) -> QuestionVersion | None:
    return next((one for one in versions if str(one.number) == number), None)


def _changes(
    old: QuestionVersion, new: QuestionVersion, seen: frozenset[int] | None
) -> list[dict[str, Any]]:
    return [
        {"name": FIELD_NAMES.get(one.field, one.field), "change": one}
        for one in question_pages.changes(old, new, seen)
    ]
