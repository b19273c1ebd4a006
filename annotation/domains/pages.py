"""Moving a node of a tree, for areas and capabilities alike.

* Capabilities: the tree, one of them, and what it means wherever somebody must choose one.
* Subject areas: the tree with its coverage, its picture, and one area of it.
* The question plan: the table, one cell of it, and the gaps as a file.
"""

import csv
from collections.abc import Iterator, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from annotation.common import forms as refusals
from annotation.common import texts as sheets
from annotation.common import trees
from annotation.common.forms import status_of
from annotation.common.sentences import gettext as _
from annotation.domains import coverage, forms, operations
from annotation.domains import plan as stock
from annotation.domains import queries as reads
from annotation.domains.coverage import Covered
from annotation.domains.models import Capability, Difficulty, Domain, PlanCell, PlanShare
from annotation.people import permissions
from annotation.people.models import Role
from annotation.people.permissions import Scope, asks, does, shows
from evalsite import errors, panels

N = TypeVar("N", Capability, Domain)


def move(request: HttpRequest, scope: Scope, model: type[N], pk: int, back: str) -> HttpResponse:
    """Move a node as a button or a drag says, and return to its line in the tree."""
    node = get_object_or_404(model._default_manager, project=scope.project, pk=pk)
    form = forms.MoveNodeForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say where to: a step, or a new place. Nothing was moved."))
    else:
        with refusals.told(request):
            _moved(scope, node, form)
    return redirect(f"{reverse(back, args=[scope.project.slug])}#node-{pk}")


def _moved(scope: Scope, node: N, form: forms.MoveNodeForm) -> None:
    given = form.cleaned_data
    if given["step"]:
        operations.step(node=node, step=trees.TreeStep(given["step"]), **scope.who())
        return
    operations.move(
        node=node,
        parent=_of(node, given["parent"]),
        before=_of(node, given["before"]),
        **scope.who(),
    )


def _of(node: N, pk: int | None) -> N | None:
    if pk is None:
        return None
    found = type(node)._default_manager.filter(project=node.project, pk=pk).first()
    if found is None:
        raise Http404(_("What you moved it to is gone. Load the page again."))
    return found


@shows(permissions.READERS)
def capabilities(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is evaluated, in general and in the field, with what the bank holds of it."""
    lines = coverage.of_capabilities(scope.project)
    context = {
        "lines": lines,
        "overlapping": [one for one in lines if one.overlaps],
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/domains/capabilities.html", context)


@asks(permissions.CURATORS)
def capability_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _capability(request, scope, None)


@asks(permissions.READERS, permissions.CURATORS)
def capability(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a capability to whoever may read; curators change it."""
    return _capability(request, scope, get_object_or_404(Capability, project=scope.project, pk=pk))


@does(permissions.READERS, permissions.CURATORS)
def capability_move(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    return move(request, scope, Capability, pk, "capabilities")


@shows(permissions.READERS)
def capability_help(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what a capability and its difficulties mean, or all of them, where one is chosen."""
    if "all" in request.GET:
        helps = {"helps": reads.helps(scope.project)}
        return render(request, "includes/capability_helps_body.html", helps)
    helped = reads.help_of(scope.project, request.GET.get("capability", ""))
    context = {"helped": helped, "difficulty": request.GET.get("difficulty", "")}
    return render(request, "includes/capability_help_body.html", context)


@does(permissions.READERS, permissions.CURATORS)
def capability_remove(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    with refusals.told(request):
        operations.remove_capability(capability=node, **scope.who())
        messages.success(request, _("%(name)s is removed.") % {"name": node.name})
        return redirect("capabilities", scope.project.slug)
    return redirect("capability", scope.project.slug, pk)


def _capability(request: HttpRequest, scope: Scope, old: Capability | None) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = forms.CapabilityForm(
        sent, project=scope.project, old=old, below=request.GET.get("below", "")
    )
    if form.is_valid():
        with refusals.shown(form):
            made = operations.save_capability(text=form.text(), old=old, **scope.deed())
            messages.success(request, _("Saved."))
            where = reverse("capabilities", args=[scope.project.slug])
            return redirect(f"{where}#node-{made.pk}")
    context = {"form": form, "node": old, "may_edit": scope.may(permissions.CURATORS)}
    return render(request, "annotation/domains/capability.html", context, status=status_of(form))


@shows(permissions.READERS)
def domains(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the tree, and beside it the area that was chosen (`?area=`), or the first."""
    kinds = stock.by_kind(scope.project)
    lines = coverage.of_domains(scope.project, kinds)
    asked = request.GET.get("area", "")
    chosen = next((one for one in lines if str(one.node.pk) == asked), None)
    chosen = chosen or (lines[0] if lines else None)
    scores = scores_for(scope)
    left_out = request.GET.get("left_out") == "hide"
    context = {
        "tabs": tabs(scope, "domains"),
        "lines": [one for one in lines if one.node.in_scope] if left_out else lines,
        "hides": left_out,
        "n": len(lines),
        "n_levels": max((one.branch.depth + 1 for one in lines), default=0),
        "n_in_scope": sum(one.node.in_scope for one in lines),
        "overlapping": [one for one in lines if one.overlaps],
        "chosen": chosen,
        "beside": beside(lines, chosen.node) if chosen else [],
        "parts": [one for one in lines if chosen and one.node.parent_id == chosen.node.pk],
        "missing": coverage.missing_in(chosen.node, kinds) if chosen else [],
        "score": scores.get(chosen.node.pk, "") if chosen else "",
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/domains/domains.html", context)


@shows(permissions.READERS)
def domains_picture(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Draw the tree with the bank's coverage and the newest final scores on it."""
    lines = coverage.of_domains(scope.project)
    scores = scores_for(scope)
    picture, boxes = coverage.picture(lines, scores)
    context = {
        "tabs": tabs(scope, "domains_picture"),
        "picture": picture,
        "boxes": boxes,
        "has_scores": bool(scores),
    }
    return render(request, "annotation/domains/domains_picture.html", context)


@asks(permissions.CURATORS)
def domain_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _domain(request, scope, None)


@asks(permissions.CURATORS)
def domain(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Change an area, with what stands beside it in sight."""
    return _domain(request, scope, get_object_or_404(Domain, project=scope.project, pk=pk))


@does(permissions.READERS, permissions.CURATORS)
def domain_move(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    return move(request, scope, Domain, pk, "domains")


@does(permissions.READERS, permissions.CURATORS)
def domain_remove(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    node = get_object_or_404(Domain, project=scope.project, pk=pk)
    with refusals.told(request):
        operations.remove_domain(domain=node, **scope.who())
        messages.success(request, _("%(name)s is removed.") % {"name": node.name})
        return redirect("domains", scope.project.slug)
    return redirect("domain", scope.project.slug, pk)


def scores_for(scope: Scope) -> dict[int, str]:
    """Return the scores by area that other parts of the product know, for those who may see them."""
    found: dict[int, str] = {}
    for scores in panels.fill("domain_scores", scope=scope):
        found.update(scores)
    return found


def beside(lines: Sequence[Covered[Domain]], node: Domain) -> list[Covered[Domain]]:
    """Return the areas that stand beside this one."""
    return [one for one in lines if one.node.parent_id == node.parent_id and one.node != node]


def tabs(scope: Scope, current: str) -> list[dict[str, object]]:
    pages = (("domains", _("Tree")), ("domains_picture", _("Picture")))
    return [
        {
            "label": label,
            "url": reverse(name, args=[scope.project.slug]),
            "current": name == current,
        }
        for name, label in pages
    ]


def _domain(request: HttpRequest, scope: Scope, old: Domain | None) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    form = forms.DomainForm(
        sent, project=scope.project, old=old, below=request.GET.get("below", "")
    )
    if form.is_valid():
        with refusals.shown(form):
            made = operations.save_domain(text=form.text(), old=old, **scope.deed())
            messages.success(request, _("Saved."))
            where = reverse("domains", args=[scope.project.slug])
            return redirect(f"{where}?area={made.pk}#node-{made.pk}")
    lines = coverage.of_domains(scope.project)
    context = {
        "form": form,
        "node": old,
        "beside": beside(lines, old) if old else form.beside(lines),
        "parts": [one for one in lines if old and one.node.parent_id == old.pk],
        "alike": next((one.overlaps for one in lines if old and one.node == old), ()),
    }
    return render(request, "annotation/domains/domain.html", context, status=status_of(form))


SHOWN_GAPS = 20


@asks(permissions.READERS, permissions.CURATORS)
def plan(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what is wanted and what there is, what is missing most first; curators type it in."""
    view = forms.PlanViewForm(request.GET, project=scope.project)
    may_edit = scope.may(permissions.CURATORS)
    sent = forms.wanted(request.POST, view.chosen) if request.method == "POST" else None
    problem = ""
    if sent is not None and not sent.problems:
        try:
            changed = operations.set_wanted(wanted=sent.spots, **scope.deed())
        except errors.Refusal as refusal:
            problem = refusal.message
        else:
            messages.success(request, _("Numbers changed: %(n)d.") % {"n": len(changed)})
            return redirect(_address(scope, view))
    matrix = stock.matrix(scope.project, domain=view.chosen, gaps_first=view.gaps_first)
    gaps = [line for line in matrix.lines if line.missing]
    context = {
        "view": view,
        "matrix": matrix,
        "difficulties": list(Difficulty),
        "gaps": gaps[:SHOWN_GAPS],
        "n_gaps": len(gaps),
        "helps": reads.helps(scope.project),
        "typed": sent.typed if sent else {},
        "problems": sent.problems if sent else {},
        "problem": problem,
        "may_edit": may_edit,
        "editing": may_edit and (sent is not None or "edit" in request.GET),
        "address": _address(scope, view),
    }
    status = 422 if problem or (sent and sent.problems) else 200
    return render(request, "annotation/domains/plan.html", context, status=status)


@asks(permissions.READERS, permissions.CURATORS)
def plan_cell(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show one number of the plan and who was asked for it; curators ask somebody."""
    cells = PlanCell.objects.select_related("project", "capability", "domain")
    cell = get_object_or_404(cells, project=scope.project, pk=pk)
    line = stock.line_of(cell)
    form = forms.PlanShareForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        initial={"n": line.unassigned or 1},
    )
    if form.is_valid():
        with refusals.shown(form):
            share = operations.assign(
                cell=cell,
                designer=form.chosen,
                n=form.cleaned_data["n"],
                due_on=form.cleaned_data["due_on"],
                **scope.who(),
            )
            done = _("%(name)s is asked for %(n)d.")
            messages.success(request, done % {"name": share.designer.display_name, "n": share.n})
            return redirect("plan_cell", scope.project.slug, pk)
    context = {
        "line": line,
        "form": form,
        "helped": reads.help_of(scope.project, str(cell.capability_id)),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/domains/plan_cell.html", context, status=status_of(form))


@does(permissions.READERS, permissions.CURATORS)
def plan_release(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Take back what somebody was asked for."""
    share = get_object_or_404(
        PlanShare.objects.select_related("cell__project", "designer__person"),
        cell__project=scope.project,
        pk=pk,
    )
    cell = share.cell_id
    operations.release(share=share, **scope.who())
    messages.success(request, _("Saved."))
    return redirect("plan_cell", scope.project.slug, cell)


@shows(permissions.READERS)
def plan_gaps_csv(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Hand out what is missing as a table, a line a number of the plan."""
    response = StreamingHttpResponse(_gaps(scope), content_type="text/csv; charset=utf-8")
    name = f"{scope.project.slug}-plan-gaps.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def tasks(*, scope: Scope, **_context: object) -> SafeString | None:
    """Return the part of the home page that says what somebody is to write."""
    if not scope.may({Role.DESIGNER, Role.CURATOR, Role.OWNER}):
        return None
    mine = stock.tasks_of(scope.project, scope.user)
    if not mine:
        return None
    today = timezone.localdate()
    context = {
        "scope": scope,
        "tasks": [(task, task.is_late(today)) for task in mine],
    }
    return render_to_string("annotation/domains/parts/plan_tasks.html", context)


class _PlanEcho:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line


COLUMNS = (
    "capability",
    "difficulty",
    "domain",
    "priority",
    "wanted",
    "accepted",
    "in_inspection",
    "drafted",
    "missing",
    "assigned",
    "designers",
)


def _gaps(scope: Scope) -> Iterator[str]:
    writer = csv.writer(_PlanEcho())
    yield "\ufeff" + writer.writerow(COLUMNS)
    for line in stock.lines(scope.project):
        if not line.missing:
            continue
        cell = line.cell
        due = [
            f"{share.designer.display_name} {share.n}"
            + (f" {share.due_on.isoformat()}" if share.due_on else "")
            for share in line.shares
        ]
        texts = [
            cell.capability.name,
            cell.difficulty,
            cell.domain.name if cell.domain else "",
            cell.domain.priority if cell.domain else "",
        ]
        numbers = [
            cell.wanted,
            line.stock.accepted,
            line.stock.inspected,
            line.stock.drafted,
            line.missing,
            line.assigned,
        ]
        yield writer.writerow(
            [*map(sheets.neutral, texts), *numbers, sheets.neutral("; ".join(due))]
        )


def _address(scope: Scope, view: forms.PlanViewForm) -> str:
    query = urlencode(
        {name: value for name, value in view.cleaned_data.items() if value not in {None, ""}}
    )
    url = reverse("plan", args=[scope.project.slug])
    return f"{url}?{query}" if query else url
