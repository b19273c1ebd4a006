"""What pages of the bank show of a question: its face as annotators see it, what was said of it.

* The question bank: its list, and one question with versions, comments, use and life.
* What the bank puts on the first page: dates that have passed, drafts forgotten, meanings unsaid.
* Items: the filtered list, and one item with everything that is known of it.
"""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.bank import checklists, keeping, reading, rules
from annotation.bank import list_pages as bank_lists
from annotation.bank import lists as both
from annotation.bank import operations as bank
from annotation.bank import questions as standing
from annotation.bank.forms import FIELD_NAMES, LOOK_NAMES, SUGGESTED_NAMES
from annotation.bank.models import Inspection, QuestionVersion, SavedFilter
from annotation.common import diffs, traces
from annotation.common import pages as texts
from annotation.domains.models import Capability
from annotation.domains.queries import domain_paths
from annotation.files.choices import ANSWER, OPTIONS
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from annotation.rounds.models import RoundItem
from annotation.sources import queries as sources
from annotation.systems import queries as systems
from annotation.systems.models import Item
from evalsite import errors
from evalsite.web import keyset


def of_version(version: QuestionVersion) -> dict[str, Any]:
    """Return a version as an annotator sees it, by the code that writes it into rounds."""
    return _face(
        Item(
            messages=version.turns,
            reference=version.answer,
            key_points=version.key_points,
            capability=version.capability,
            difficulty=version.difficulty,
            as_of=version.as_of,
            extra={"principle": version.principle} if version.principle else {},
        )
    )


def of_text(text: bank.WholeDraft, capability: Capability | None) -> dict[str, Any]:
    """Return what is being written as an annotator would see it."""
    return _face(
        Item(
            messages=[dict(one) for one in text.turns],
            reference=text.answer,
            key_points=[one for one in text.key_points if one.strip()],
            capability=capability,
            difficulty=text.difficulty,
            as_of=text.as_of,
            extra={"principle": text.principle} if text.principle else {},
        )
    )


def _face(item: Item) -> dict[str, Any]:
    found = systems.face(RoundItem(item=item))
    for name in ("question", "reference", "principle"):
        found[name] = _safe(found.get(name, ""))
    found["turns"] = [{**one, "html": _safe(one["html"])} for one in found["turns"]]
    return found


def _safe(html: str) -> SafeString:
    return traces.worded(html)


def decided(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return how a version was decided, and what failed."""
    return [{"inspection": one, "failed": failed(one)} for one in reading.inspections_told(version)]


def failed(inspection: Inspection) -> list[dict[str, Any]]:
    words = {row["key"]: row["text"] for row in inspection.checklist.lines}
    return [
        {
            "key": one.line,
            "line": words.get(one.line, one.line),
            "reason": _(checklists.REASONS.get(one.reason, one.reason)),
            "field": FIELD_NAMES.get(one.field, one.field),
            "place": one.field,
            "note": one.note,
        }
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    ]


def suggestions(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return what inspectors proposed instead, each with the difference to what stands there."""
    if version.state != QuestionVersion.State.RETURNED:
        return []
    now = {
        "question": str(version.turns[-1]["content"]) if version.turns else "",
        "answer": version.answer,
        "key_points": "\n".join(version.key_points),
        "principle": version.principle,
    }
    taken = reading.suggestion(version, checklists.SUGGESTED)
    return [
        {
            "field": name,
            "name": SUGGESTED_NAMES.get(name, name),
            "change": diffs.FieldChange(name, diffs.between(now[name], _plain(text))),
        }
        for name, text in taken.items()
        if _plain(text) != now[name]
    ]


def _plain(text: Any) -> str:
    return "\n".join(text) if isinstance(text, list) else str(text)


def comments(version: QuestionVersion) -> list[dict[str, Any]]:
    return [
        {"comment": one, "field": FIELD_NAMES.get(one.field, "")}
        for one in reading.comments_of(version)
    ]


Act = rules.Act
LIFE_ACTS = {"retire": Act.RETIRE, "invalidate": Act.INVALIDATE, "revive": Act.REVIVE}


@shows(permissions.READERS)
def questions(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _list(request, scope)


def _list(
    request: HttpRequest, scope: Scope, refusal: errors.Refusal | None = None
) -> HttpResponse:
    """Show the questions of the bank and what imports brought as it is."""
    asked, saved = bank_lists.asked(scope, request.GET)
    page = both.listing(
        scope.project,
        asked.form.filters(),
        request.GET.get("after", ""),
        user=scope.user,
        now=timezone.now(),
        order=asked.order,
    )
    may_write = scope.may(permissions.DESIGNERS)
    context = {
        **_stock(scope),
        "asked": asked,
        "form": asked.form,
        "saved": bank_lists.tabs(asked, saved),
        "may_change": asked.saved is not None and _is_theirs(scope, asked.saved),
        "page": page,
        "lines": page.rows,
        "count_text": _counted(page.n),
        "next_url": keyset.next_url(asked.query, page),
        "first_url": keyset.first_url(asked.query, page),
        "here": asked.query.urlencode(),
        "may_share": scope.may(permissions.CURATORS),
        "may_write": may_write,
        "may_edit": may_write
        and any(isinstance(one, standing.BankQuestionLine) for one in page.rows),
        "may_adopt": may_write and any(isinstance(one, both.BankItemLine) for one in page.rows),
        "ticked": request.POST.getlist("id"),
        "refusal": refusal,
        "mine": str(scope.user.pk),
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/bank/questions.html", context, status=status)


def _stock(scope: Scope) -> dict[str, int]:
    """Return how many questions there are, of either origin, and how many are out of use."""
    by_life = standing.by_life(scope.project)
    n_imported = both.imported(scope.project, standing.BankFilters()).count()
    n_here = sum(by_life.values())
    n_left = n_here - by_life.get("LIVE", 0)
    return {"n_all": n_here + n_imported, "n_left": n_left, "n_imported": n_imported}


def _is_theirs(scope: Scope, saved: SavedFilter) -> bool:
    return keeping.may_change(saved, scope.user, frozenset(str(one) for one in scope.roles))


def _counted(n: int) -> str:
    if n > standing.MOST_COUNTED:
        return _("more than %(n)d questions") % {"n": standing.MOST_COUNTED}
    return ngettext("%(n)d question", "%(n)d questions", n) % {"n": n}


@shows(permissions.BANK)
def question_looks(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what needs a look, kind by kind."""
    now = timezone.now()
    newest = standing.newest(scope.project)
    found = standing.needed(newest, standing.LOOKS, shown=10, user=scope.user, now=now)
    kinds = [
        {"code": look, "name": LOOK_NAMES[look], "n": one.n, "rows": one.rows}
        for look, one in found.items()
    ]
    context = {"kinds": kinds, "n": any(one["n"] for one in kinds)}
    return render(request, "annotation/bank/question_looks.html", context)


@asks(permissions.READERS, permissions.BANK)
def question(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a question; a POST does one of the things that may be done with it."""
    versions = reading.versions_of(scope.project, pk)
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
    return render(request, "annotation/bank/question.html", context, status=status)


def _done(request: HttpRequest, scope: Scope, newest: QuestionVersion) -> HttpResponse:
    act, by, now = request.POST.get("act", ""), scope.user, timezone.now()
    here = redirect("question", scope.project.slug, newest.question_id)
    if act == "revise":
        taken = reading.suggestion(newest, request.POST.getlist("take"))
        bank.revise(version=newest, by=by, now=now, suggestion=taken)
        return redirect("question_edit", scope.project.slug, newest.question_id)
    if act == "withdraw":
        bank.withdraw(version=newest, by=by, now=now)
        return redirect("question_edit", scope.project.slug, newest.question_id)
    if act == "discard":
        bank.discard(version=newest, by=by, now=now)
        messages.success(request, _("Draft deleted."))
        return redirect("questions", scope.project.slug) if newest.number == 1 else here
    if act in LIFE_ACTS:
        reason = request.POST.get("reason", "")
        bank.change_life(
            question=newest.question, act=LIFE_ACTS[act], reason=reason, by=by, now=now
        )
        return here
    field = request.POST.get("field", "")
    text = request.POST.get("text", "")
    bank.comment(
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
    where = standing.standing_of(newest, scope.user)
    seen = sources.seen_by(scope.project, scope.user, scope.roles)
    return {
        "scope": scope,
        "versions": versions,
        "newest": newest,
        "shown": shown,
        "face": of_version(shown),
        "old": old if old and old.pk != shown.pk else None,
        "both": request.GET.get("view") == "both",
        "changes": _changes(old, shown, seen) if old else [],
        "cited": sources.cited(
            reading.citations(shown),
            timezone.now().date(),
            seen,
        ),
        "drafted": sources.machine_drafts_of(shown),
        "decided": decided(shown),
        "suggestions": suggestions(newest),
        "comments": comments(newest),
        "area": domain_paths(scope.project).get(shown.domain_id or 0, ""),
        "rounds": reading.rounds_with(newest) if may_blind else [],
        "items": reading.items_of(newest),
        "history": reading.life_of(newest),
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
        for one in reading.changes_told(old, new, seen)
    ]


#: What came back and what waits is said by inspection itself.
SAID_ELSEWHERE = {"returned", "waiting"}


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what needs a look in the bank: curators see everybody's, designers their own."""
    if not scope.may(permissions.DESIGNERS):
        return []
    rows = standing.newest(scope.project)
    if not scope.may(permissions.CURATORS):
        rows = rows.filter(author=scope.user)
    here = [look for look in standing.LOOKS if look not in SAID_ELSEWHERE]
    found = standing.needed(rows, here, shown=5, user=scope.user, now=now)
    return [
        {
            "title": f"{LOOK_NAMES[look]}: {one.n}",
            "text": ", ".join(version.question.external_id for version in one.rows),
            "url": _url(scope, look),
        }
        for look, one in found.items()
        if one.n
    ]


def _url(scope: Scope, look: str) -> str:
    url = reverse("questions", args=[scope.project.slug]) + f"?look={look}"
    return url if scope.may(permissions.CURATORS) else f"{url}&author={scope.user.pk}"


@does(permissions.READERS, permissions.DESIGNERS)
def items_adopt(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Take imported items into the bank, each as a draft of the person who asks."""
    chosen = [one.replace("\0", "") for one in request.POST.getlist("id")]
    try:
        made = bank.adopt(external_ids=chosen, **scope.deed())
    except errors.Refusal as refusal:
        return _list(request, scope, refusal)
    messages.success(request, _("New drafts: %(n)d.") % {"n": len(made)})
    if len(made) == 1:
        return redirect("question_edit", scope.project.slug, made[0].question_id)
    listed = reverse("questions", args=[scope.project.slug])
    return redirect(f"{listed}?author={scope.user.pk}&state=DRAFT")


@shows(permissions.READERS)
def item(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show an item; its responses only to those who may know which system gave them."""
    found = get_object_or_404(
        systems.items_of(scope.project).select_related("capability", "domain", "batch", "project"),
        pk=pk,
    )
    may_see_systems = scope.may(permissions.UNBLINDED)
    context: dict[str, Any] = {
        "item": found,
        "extra": [pair for pair in found.extra.items() if pair[0] not in {OPTIONS, ANSWER}],
        "options": _options(found),
        "turns": texts.turns(found.messages),
        "reference": texts.rendered(found.reference) if found.reference else "",
        "may_see_systems": may_see_systems,
        "answers": _answers(found) if may_see_systems else [],
        "rounds": systems.rounds_with(found) if may_see_systems else [],
        "question": systems.in_bank(scope.project, [found.external_id]).get(found.external_id),
        "may_adopt": scope.may(permissions.DESIGNERS) and found.question_version_id is None,
        "versions": [one for one in systems.versions_of(found) if one.pk != found.pk],
    }
    return render(request, "annotation/bank/item.html", context)


def _options(found: Item) -> list[dict[str, Any]]:
    """Return the options of a question of multiple choice; none of any other."""
    options = found.extra.get(OPTIONS)
    right = found.extra.get(ANSWER)
    known = options if isinstance(options, dict) else {}
    return [{"label": name, "text": text, "right": name == right} for name, text in known.items()]


def _answers(found: Item) -> list[dict[str, Any]]:
    return [
        {
            "release": answers.release,
            "responses": [
                {"response": response, "turns": texts.turns(response.messages)}
                for response in answers.responses
            ],
        }
        for answers in systems.answers_to(found)
    ]
