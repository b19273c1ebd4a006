"""Quality inspection: what waits, and one question with the checklist.

* What inspection shows: figures of designers, reasons, the retraining list; the checklist itself.
* What inspection puts on the first page: what waits, what came back, who is to be retrained.
"""

import csv
import io
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.timesince import timesince

from annotation.bank import checklists, reading, rules
from annotation.bank import editor as hints
from annotation.bank import forms as bank_forms
from annotation.bank import questions as standing
from annotation.bank.models import Checklist, Inspection, QuestionVersion
from annotation.common import forms as refusals
from annotation.common import pages as texts
from annotation.common import texts as sheets
from annotation.common.forms import status_of
from annotation.common.names import isolated
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.domains.models import Difficulty
from annotation.inspection import forms
from annotation.inspection import operations as inspecting
from annotation.inspection import queries as inspection_figures_reads
from annotation.inspection.forms import InspectionSheet, QueueFilter
from annotation.inspection.rules import MedianSpell
from annotation.people import permissions
from annotation.people import queries as projects
from annotation.people.permissions import Scope, asks, does, shows
from annotation.sources import queries as corpus
from evalsite import errors
from evalsite.web import keyset


@shows(permissions.INSPECTORS)
def inspections(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List what waits for this inspector, never their own."""
    form = QueueFilter(request.GET, project=scope.project)
    filters = form.filters()
    found = reading.queue(scope.project, scope.user, filters).count()
    page = reading.page(scope.project, scope.user, filters, after=request.GET.get("after", ""))
    context = {
        "form": form,
        "page": page,
        "lines": [{"version": one, "inspectors": reading.line_of(one)} for one in page.rows],
        "n_mine": reading.queue(scope.project, scope.user).count() if form.is_set else found,
        "n_all": reading.waiting(scope.project).count(),
        "query": _query(request.GET),
        "count_text": ngettext("%(n)d question", "%(n)d questions", found) % {"n": found},
        **keyset.links(request.GET, page),
        "may_curate": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/inspection/inspections.html", context)


@asks(permissions.INSPECTORS)
def inspection(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a question with its checklist; a decision leads to the next one that waits."""
    version = reading.version_of(scope.project, pk)
    if version is None:
        raise Http404(_("There is no such question, or it is still a draft."))
    checklist = inspecting.current_checklist(project=scope.project, now=timezone.now())
    rubric = reading.rubric_for(version)
    sheet = InspectionSheet(
        checklists.from_rows(checklist.lines),
        inspecting.stands(version),
        reading.scales_of(rubric),
        request.POST if request.method == "POST" else None,
    )
    status = 200
    if request.method == "POST":
        try:
            made = inspecting.inspect(
                version=version,
                verdict=sheet.verdict,
                checked=sheet.checked(),
                checklist=_seen(request.POST, checklist),
                note=sheet.whole_note(),
                suggestion=sheet.suggestion(),
                **scope.who(),
            )
        except errors.Refusal as refusal:
            sheet.show(refusal)
            status = refusal.status
        else:
            messages.success(request, _done(made))
            return _on(request, scope)
    context = _context(request, scope, version, sheet, checklist) | {"rubric": rubric}
    return render(request, "annotation/inspection/inspection.html", context, status=status)


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
        return _("%(id)s accepted by you. A second inspector follows.") % {"id": name}
    if version.state == QuestionVersion.State.ACCEPTED:
        return _("%(id)s is accepted.") % {"id": name}
    return _("%(id)s is returned.") % {"id": name}


def _on(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = QueueFilter(request.GET, project=scope.project)
    following = reading.first_of(reading.queue(scope.project, scope.user, form.filters()))
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
    sheet: InspectionSheet,
    checklist: Checklist,
) -> dict[str, Any]:
    where = standing.standing_of(version, scope.user)
    filters = QueueFilter(request.GET, project=scope.project).filters()
    queue = reading.queue(scope.project, scope.user, filters)
    old = reading.before(version)
    return {
        "scope": scope,
        "version": version,
        "sheet": sheet,
        "checklist": checklist,
        "may_inspect": rules.allows(rules.Act.INSPECT, where),
        "why_not": _why_not(where),
        "place": reading.place_of(queue, version),
        "query": _query(request.GET),
        "inspectors": reading.line_of(version),
        "turns": texts.turns(version.turns[:-1]),
        "asked": texts.rendered(str(version.turns[-1]["content"])) if version.turns else "",
        "answer": texts.rendered(version.answer),
        "principle": texts.rendered(version.principle) if version.principle else "",
        "cited": corpus.cited(reading.citations_of(version), timezone.now().date()),
        "drafted": corpus.machine_drafts_of(version),
        "definitions": _definitions(version),
        "old": old,
        "changes": [
            {"name": bank_forms.FIELD_NAMES[one.field], "change": one}
            for one in (reading.changes(old, version) if old else [])
        ],
        "said": _said(old, version) if old else [],
        "decided": _decided(version),
        **hints.beside(
            scope, version.turns, version.answer, version.key_points, version.question_id
        ),
        "reasons": [(key, _(text)) for key, text in checklists.REASONS.items()],
        "fields": list(bank_forms.FIELD_NAMES.items()),
    }


def _why_not(where: rules.QuestionStanding) -> str:
    if where.is_author:
        return _("This version is yours: somebody else inspects it.")
    if where.inspected_by_me:
        return _("Inspected by you.")
    if where.version is not rules.VersionState.SUBMITTED:
        return _("This version is decided.")
    if where.life is not rules.Life.LIVE:
        return _("This question is out of use.")
    if where.wrote_before:
        return _("An earlier version is yours: somebody else inspects this one.")
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
        for inspection in reading.inspections_of(old)
        for one in _findings(inspection)
    ]


def _decided(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return how a version was decided. While it waits, nobody is told what others found."""
    if version.state not in {QuestionVersion.State.ACCEPTED, QuestionVersion.State.RETURNED}:
        return []
    return [
        {"inspection": one, "failed": _findings(one)} for one in reading.inspections_of(version)
    ]


def _findings(inspection: Inspection) -> list[dict[str, Any]]:
    words = {row["key"]: row["text"] for row in inspection.checklist.lines}
    return [
        {
            "key": one.line,
            "line": words.get(one.line, one.line),
            "reason": _(checklists.REASONS.get(one.reason, one.reason)),
            "field": bank_forms.FIELD_NAMES.get(one.field, one.field),
            "note": one.note,
        }
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    ]


COLUMNS = (
    "designer",
    "submitted",
    "decided",
    "returned",
    "return_rate",
    "first_decisions",
    "accepted_at_once",
    "hours_to_decision_median",
    "n_decisions",
    "hours_to_mend_median",
    "n_mended",
)


@shows(permissions.BANK)
def inspection_figures(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the figures: everybody's to curators, to others their own."""
    return _figures(request, scope, forms.LimitForm(initial={"percent": _limit(scope)}))


@does(permissions.BANK, permissions.CURATORS)
def retraining_limit(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set the share of returns above which a designer stands on the list."""
    form = forms.LimitForm(request.POST)
    if form.is_valid():
        inspecting.set_limit(percent=form.cleaned_data["percent"], **scope.deed())
        messages.success(request, _("Saved."))
        return redirect("inspection_figures", scope.project.slug)
    return _figures(request, scope, form)


@asks(permissions.CURATORS)
def retraining_settle(request: HttpRequest, scope: Scope, person: str) -> HttpResponse:
    """Take a designer off the retraining list, with a note on what was done."""
    designer = get_object_or_404(projects.members_of(scope.project), public_id=person)
    form = forms.SettleForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals.shown(form):
            inspecting.settle(designer=designer, note=form.cleaned_data["note"], **scope.deed())
            messages.success(request, _("Saved."))
            return redirect("inspection_figures", scope.project.slug)
    entries = inspection_figures_reads.retraining(scope.project)
    context = {
        "designer": designer,
        "form": form,
        "entry": next((one for one in entries if one.designer == designer), None),
    }
    return render(request, "annotation/inspection/retraining.html", context, status=status_of(form))


@shows(permissions.BANK)
def inspection_figures_csv(request: HttpRequest, scope: Scope) -> HttpResponse:
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    period = forms.PeriodFilter(request.GET)
    for line in inspection_figures_reads.lines(
        scope.project, _whose(scope), period.since(timezone.now())
    ):
        table.writerow(_row(line))
    name = f"{scope.project.slug}-inspection.csv"
    return HttpResponse(
        text.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@asks(permissions.INSPECTORS, permissions.CURATORS)
def checklist(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the checklist with its history; curators write the next version of it."""
    now = timezone.now()
    current = inspecting.current_checklist(project=scope.project, now=now)
    may_edit = scope.may(permissions.CURATORS)
    editor = forms.ChecklistEditor(current, request.POST if request.method == "POST" else None)
    if editor.is_sent:
        try:
            inspecting.save_checklist(
                project=scope.project,
                lines=editor.lines(),
                base=reading.checklist_of(scope.project, editor.base) or current,
                by=scope.user,
                now=now,
            )
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("checklist", scope.project.slug)
    versions = reading.checklists_of(scope.project)
    context = {
        "editor": editor,
        "current": current,
        "may_edit": may_edit,
        "history": _history(versions),
        "reasons": [(key, _(text)) for key, text in checklists.REASONS.items()],
    }
    return render(
        request,
        "annotation/inspection/checklist.html",
        context,
        status=422 if editor.problems else 200,
    )


def _figures(request: HttpRequest, scope: Scope, form: Any) -> HttpResponse:
    whose = _whose(scope)
    period = forms.PeriodFilter(request.GET)
    since = period.since(timezone.now())
    reasons = inspection_figures_reads.reasons(scope.project, whose, since)
    may_curate = whose is None
    lines = inspection_figures_reads.lines(scope.project, whose, since)
    context = {
        "is_bare": not lines and not inspection_figures_reads.lines(scope.project, whose),
        "lines": [
            {
                "line": one,
                "rate": _percent(one.figures.n_returned, one.figures.n_decided),
                "at_once": _percent(one.figures.n_at_once, one.figures.n_first),
                "inspecting": _spoken(one.figures.inspecting),
                "mending": _spoken(one.figures.mending),
            }
            for one in lines
        ],
        "reasons": [
            {"text": _(checklists.REASONS.get(one.reason, one.reason)), "share": one}
            for one in reasons
        ],
        "most": reasons[0].n if reasons else 1,
        "n_reasons": sum(one.n for one in reasons),
        "entries": inspection_figures_reads.retraining(scope.project) if may_curate else [],
        "settled": inspection_figures_reads.settled_entries(scope.project) if may_curate else [],
        "limit": _limit(scope),
        "period": period,
        "query": f"?{request.GET.urlencode()}" if request.GET else "",
        "form": form,
        "may_curate": may_curate,
        "may_inspect": scope.may(permissions.INSPECTORS),
    }
    return render(
        request, "annotation/inspection/inspection_figures.html", context, status=status_of(form)
    )


def _whose(scope: Scope) -> Any:
    return None if scope.may(permissions.CURATORS) else scope.user


def _limit(scope: Scope) -> int:
    return inspection_figures_reads.limit_of(scope.project)


def _percent(part: int, whole: int) -> str:
    return f"{round(100 * part / whole)} %" if whole else ""


def _spoken(spell: MedianSpell) -> str:
    """Say a spell of time in hours or days, as one would."""
    if spell.median is None:
        return ""
    hours = spell.median / timedelta(hours=1)
    if hours < 1:
        return _("under an hour")
    if hours < 48:
        return _("%(n)d h") % {"n": round(hours)}
    return _("%(n)d d") % {"n": round(hours / 24)}


def _hours(spell: MedianSpell) -> str:
    return "" if spell.median is None else f"{spell.median / timedelta(hours=1):.2f}"


def _row(line: inspection_figures_reads.DesignerLine) -> list[Any]:
    found = line.figures
    rate = found.return_rate
    return [
        sheets.neutral(str(line.designer.display_name)),
        found.n_submitted,
        found.n_decided,
        found.n_returned,
        "" if rate is None else f"{rate:.4f}",
        found.n_first,
        found.n_at_once,
        _hours(found.inspecting),
        found.inspecting.n,
        _hours(found.mending),
        found.mending.n,
    ]


def _history(versions: list[Any]) -> list[dict[str, Any]]:
    """Return the versions, the newest first, each with what changed since the one before."""
    older = [*versions[1:], None]
    return [
        {"version": one, "changes": forms.changes(before, one) if before else []}
        for one, before in zip(versions, older, strict=True)
    ]


#: So many that came back are named one by one.
NAMED = 5


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what needs a look: title, text and address each."""
    return [*_returned(scope), *_waiting(scope, now), *_to_retrain(scope)]


def _waiting(scope: Scope, now: datetime) -> list[dict[str, str]]:
    if not scope.may(permissions.INSPECTORS):
        return []
    n, oldest = reading.queue_since(scope.project, scope.user)
    if not n:
        return []
    title = _("Waiting for your inspection: %(n)d")
    text = _("the oldest for %(spell)s") % {"spell": timesince(oldest or now, now, depth=1)}
    return [_look(title % {"n": n}, text, reverse("inspections", args=[scope.project.slug]))]


def _returned(scope: Scope) -> list[dict[str, str]]:
    if not scope.may(permissions.BANK):
        return []
    rows = reading.returned_to(scope.project, scope.user)
    found = [
        _look(
            _("%(id)s came back to you") % {"id": one.question.external_id},
            "; ".join(dict.fromkeys(_reasons(one))),
            _page_of(scope, one),
        )
        for one in rows[:NAMED]
    ]
    more = len(rows) - NAMED
    if more > 0:
        said = _("%(n)d more came back to you")
        figures = reverse("inspection_figures", args=[scope.project.slug])
        found.append(_look(said % {"n": more}, "", figures))
    return found


def _reasons(version: QuestionVersion) -> list[str]:
    return [
        _(checklists.REASONS.get(one.reason, one.reason))
        for inspection in version.inspections.all()
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    ]


def _page_of(scope: Scope, version: QuestionVersion) -> str:
    try:
        return reverse("question", args=[scope.project.slug, version.question_id])
    except NoReverseMatch:
        return reverse("inspection_figures", args=[scope.project.slug])


def _to_retrain(scope: Scope) -> list[dict[str, str]]:
    if not scope.may(permissions.CURATORS):
        return []
    entries = inspection_figures_reads.retraining(scope.project)
    if not entries:
        return []
    n = len(entries)
    title = _("Designers to retrain: %(n)d") % {"n": n}
    names = ", ".join(isolated(one.designer.display_name) for one in entries[:NAMED])
    url = reverse("inspection_figures", args=[scope.project.slug]) + "#retraining"
    return [_look(title, names, url)]


def _look(title: str, text: str, url: str) -> dict[str, str]:
    return {"title": title, "text": text, "url": url}
