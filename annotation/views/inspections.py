"""Quality inspection: what waits, and one question with the checklist."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import inspections as forms
from annotation.forms.inspections import QueueFilter, Sheet
from annotation.models import Checklist, Difficulty, Inspection, QuestionVersion
from annotation.operations.bank import inspecting
from annotation.permissions import Scope, door
from annotation.queries import corpus, standing
from annotation.queries import inspections as reads
from annotation.rules import checklists
from annotation.rules import questions as rules
from annotation.views import hints, texts
from evalsite import errors, keyset


@require_GET
@door(permissions.INSPECTORS)
def inspections(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what waits for this inspector, never their own."""
    form = QueueFilter(request.GET, project=scope.project)
    filters = form.filters()
    found = reads.queue(scope.project, scope.user, filters).count()
    page = reads.page(scope.project, scope.user, filters, after=request.GET.get("after", ""))
    context = {
        "scope": scope,
        "form": form,
        "page": page,
        "lines": [{"version": one, "inspectors": reads.line_of(one)} for one in page.rows],
        "n_mine": reads.queue(scope.project, scope.user).count() if form.is_set else found,
        "n_all": reads.waiting(scope.project).count(),
        "query": _query(request.GET),
        "count_text": ngettext("%(n)d question", "%(n)d questions", found) % {"n": found},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_curate": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/inspections.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.INSPECTORS)
def inspection(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a question with its checklist; a decision leads to the next one that waits."""
    version = reads.version_of(scope.project, pk)
    if version is None:
        raise Http404(_("There is no such question, or it is still a draft."))
    checklist = inspecting.current_checklist(project=scope.project, now=timezone.now())
    rubric = reads.rubric_for(version)
    sheet = Sheet(
        checklists.from_rows(checklist.lines),
        inspecting.stands(version),
        reads.scales_of(rubric),
        request.POST if request.method == "POST" else None,
    )
    status = 200
    if request.method == "POST":
        try:
            made = inspecting.inspect(
                version=version,
                verdict=sheet.verdict,
                checked=sheet.checked(),
                by=scope.user,
                now=timezone.now(),
                checklist=_seen(request.POST, checklist),
                note=sheet.whole_note(),
                suggestion=sheet.suggestion(),
            )
        except errors.Refusal as refusal:
            sheet.show(refusal)
            status = refusal.status
        else:
            messages.success(request, _done(made))
            return _on(request, scope)
    context = _context(request, scope, version, sheet, checklist) | {"rubric": rubric}
    return render(request, "annotation/inspection.html", context, status=status)


def _seen(post: QueryDict, current: Checklist) -> Checklist:
    """Return the checklist that was on the page; the current one if the page does not say."""
    pk = post.get("checklist", "")
    if not pk.isascii() or not pk.isdigit():
        return current
    return Checklist.objects.filter(project=current.project_id, pk=int(pk[:18])).first() or current


def _done(made: Inspection) -> str:
    version = QuestionVersion.objects.select_related("question").get(pk=made.version_id)
    name = version.question.external_id
    if version.state == QuestionVersion.State.SUBMITTED:
        return _("%(id)s is passed by you. A second inspector follows.") % {"id": name}
    if version.state == QuestionVersion.State.ACCEPTED:
        return _("%(id)s is accepted. Rounds can draw it.") % {"id": name}
    return _("%(id)s goes back to its author.") % {"id": name}


def _on(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = QueueFilter(request.GET, project=scope.project)
    following = reads.first_of(reads.queue(scope.project, scope.user, form.filters()))
    query = _query(request.GET)
    if following is None:
        return redirect(reverse("inspections", args=[scope.project.slug]) + query)
    return redirect(reverse("inspection", args=[scope.project.slug, following]) + query)


def _query(given: QueryDict) -> str:
    query = QueryDict(mutable=True)
    for name in ("capability", "designer"):
        if value := given.get(name):
            query[name] = value
    return f"?{query.urlencode()}" if query else ""


def _context(
    request: HttpRequest,
    scope: Scope,
    version: QuestionVersion,
    sheet: Sheet,
    checklist: Checklist,
) -> dict[str, Any]:
    where = standing.of(version, scope.user)
    filters = QueueFilter(request.GET, project=scope.project).filters()
    queue = reads.queue(scope.project, scope.user, filters)
    old = reads.before(version)
    return {
        "scope": scope,
        "version": version,
        "sheet": sheet,
        "checklist": checklist,
        "may_inspect": rules.allows(rules.Act.INSPECT, where),
        "why_not": _why_not(where),
        "place": reads.place_of(queue, version),
        "query": _query(request.GET),
        "inspectors": reads.line_of(version),
        "turns": texts.turns(version.turns[:-1]),
        "asked": texts.rendered(str(version.turns[-1]["content"])) if version.turns else "",
        "answer": texts.rendered(version.answer),
        "principle": texts.rendered(version.principle) if version.principle else "",
        "cited": corpus.cited(reads.citations_of(version), timezone.now().date()),
        "drafted": corpus.machine_drafts_of(version),
        "definitions": _definitions(version),
        "old": old,
        "changes": [
            {"name": forms.FIELD_NAMES[one.field], "change": one}
            for one in (reads.changes(old, version) if old else [])
        ],
        "said": _said(old, version) if old else [],
        "decided": _decided(version),
        **hints.beside(
            scope, version.turns, version.answer, version.key_points, version.question_id
        ),
        "reasons": [(key, _(text)) for key, text in checklists.REASONS.items()],
        "fields": list(forms.FIELD_NAMES.items()),
    }


def _why_not(where: rules.Standing) -> str:
    if where.is_author:
        return _("This version is yours: somebody else inspects it.")
    if where.inspected_by_me:
        return _("You have inspected this version.")
    if where.version is not rules.Version.SUBMITTED:
        return _("This version is decided.")
    if where.life is not rules.Life.LIVE:
        return _("This question is out of use. A curator can take it back.")
    if where.wrote_before:
        return _(
            "You wrote a version before it that nobody has accepted: somebody else inspects it."
        )
    return _("Your role does not inspect questions.")


def _definitions(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return what the capability says of each difficulty, the one that was chosen marked."""
    if version.capability is None:
        return []
    said = version.capability.difficulties or {}
    return [
        {"label": label, "chosen": key == version.difficulty, **_described(said.get(key))}
        for key, label in Difficulty.choices
        if said.get(key) or key == version.difficulty
    ]


def _described(said: Any) -> dict[str, str]:
    if isinstance(said, dict):
        return {"text": str(said.get("definition", "")), "example": str(said.get("example", ""))}
    return {"text": str(said or ""), "example": ""}


def _said(old: QuestionVersion, version: QuestionVersion) -> list[dict[str, Any]]:
    """Return what inspectors found in the version before, each with the author's reply."""
    return [
        {**one, "reply": version.replies.get(one["key"], "")}
        for inspection in reads.inspections_of(old)
        for one in _findings(inspection)
    ]


def _decided(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return how a version was decided. While it waits, nobody is told what others found."""
    if version.state not in {QuestionVersion.State.ACCEPTED, QuestionVersion.State.RETURNED}:
        return []
    return [{"inspection": one, "failed": _findings(one)} for one in reads.inspections_of(version)]


def _findings(inspection: Inspection) -> list[dict[str, Any]]:
    words = {row["key"]: row["text"] for row in inspection.checklist.lines}
    return [
        {
            "key": one.line,
            "line": words.get(one.line, one.line),
            "reason": _(checklists.REASONS.get(one.reason, one.reason)),
            "field": forms.FIELD_NAMES.get(one.field, one.field),
            "note": one.note,
        }
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    ]
