"""Rubrics: the list, a version as an annotator sees it, the editor."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.common import pages as texts
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from annotation.rubrics import forms, operations, rules
from annotation.rubrics import queries as reads
from annotation.rubrics.forms import RubricEditor
from annotation.rubrics.models import Criterion, RubricVersion
from evalsite import errors


@shows(permissions.READERS)
def rubrics(request: HttpRequest, scope: Scope) -> HttpResponse:
    lines = reads.list_rubrics(scope.project)
    context = {
        "lines": lines,
        "examples": _examples(lines),
        "may_edit": scope.may(permissions.CURATORS),
        "may_copy": reads.has_to_copy(scope.user, scope.project, permissions.READERS),
    }
    return render(request, "annotation/rubrics/rubrics.html", context)


def _examples(lines: list[reads.RubricLine]) -> list[reads.Entry]:
    """Return the examples that the project does not have yet."""
    known = {line.rubric.key for line in lines}
    return [one for one in reads.list_rubrics_examples() if one["key"] not in known]


@does(permissions.READERS, permissions.CURATORS)
def rubric_examples(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write the chosen example rubrics, else all, that the project does not have yet."""
    chosen = reads.list_rubrics_examples(request.POST.getlist("key"))
    made = operations.load_fixture(entries=chosen, **scope.deed())
    messages.success(request, _("Rubrics added: %(n)d.") % {"n": len(made)})
    return redirect("rubrics", scope.project.slug)


@shows(permissions.READERS)
def rubric(request: HttpRequest, scope: Scope, key: str, number: int | None = None) -> HttpResponse:
    """Show a version (the newest, if none is named) as an annotator sees it, and the history."""
    versions = reads.versions_of(scope.project, key)
    shown = [one for one in versions if number is None or one.number == number]
    if not shown:
        raise Http404(_("There is no such rubric."))
    context = {
        "version": shown[0],
        "newest": versions[0],
        "principle": texts.rendered(shown[0].principle) if shown[0].principle else "",
        "history": reads.history(versions),
        "origin": reads.origin(shown[0].rubric, scope.user, permissions.READERS),
        "rounds": reads.rounds_using(shown[0]) if scope.may(permissions.UNBLINDED) else [],
        "capabilities": reads.capabilities_using(shown[0].rubric),
        "given": reads.by_version(shown[0].rubric) if scope.may(permissions.UNBLINDED) else [],
        "may_edit": scope.may(permissions.CURATORS),
        "warnings": reads.warnings(reads.wording(shown[0])),
    }
    return render(request, "annotation/rubrics/rubric.html", context)


@asks(permissions.CURATORS)
def rubric_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a new rubric: from nothing, from an example, or from one that exists (`?from=`)."""
    if request.method == "GET":
        editor = RubricEditor(_start(scope, request.GET.get("from", "")))
        return _editor(request, scope, editor, None)
    editor = _sent(request)
    if editor.is_valid():
        head = editor.head.cleaned_data
        try:
            version = operations.create_rubric(
                key=head["key"], name=head["name"], wording=editor.wording(), **scope.deed()
            )
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("rubric", scope.project.slug, version.rubric.key)
    return _editor(request, scope, editor, None)


@asks(permissions.CURATORS)
def rubric_copy(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Copy a rubric of another project in which this person may read it."""
    projects = reads.to_copy(scope.user, scope.project, permissions.READERS)
    form = forms.CopyRubric(request.POST if request.method == "POST" else None, projects=projects)
    if form.is_valid():
        with refusals.shown(form):
            made = operations.copy_rubric(
                version=form.chosen(), name=form.cleaned_data["name"], **scope.deed()
            )
            messages.success(request, _("Copied."))
            return redirect("rubric", scope.project.slug, made.rubric.key)
    context = {"form": form, "projects": projects}
    status = refusals.status_of(form)
    return render(request, "annotation/rubrics/rubric_copy.html", context, status=status)


@asks(permissions.CURATORS)
def rubric_edit(request: HttpRequest, scope: Scope, key: str) -> HttpResponse:
    """Reword the newest version; a frozen one stays, and what is saved becomes the next."""
    newest = reads.newest_of(scope.project, key)
    if newest is None:
        raise Http404(_("There is no such rubric."))
    if request.method == "GET":
        draft = forms.draft_of(newest.rubric.name, key, reads.wording(newest))
        return _editor(request, scope, RubricEditor(draft), newest)
    editor = _sent(request, key=key)
    if editor.is_valid():
        try:
            version = _save(scope, newest, editor, request.POST.get("base", ""))
        except operations.WordingMoved as refusal:
            editor.show(refusal)
            return _editor(request, scope, editor, newest, base=reads.wording(newest).sha())
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            messages.success(request, _saved(version))
            return redirect("rubric", scope.project.slug, key)
    return _editor(request, scope, editor, newest)


def _saved(version: RubricVersion) -> str:
    """Say what was saved, and how many grades stand by the versions before it."""
    said = _("Saved.")
    n = sum(one.n_grades for one in reads.by_version(version.rubric) if one.number < version.number)
    if not n:
        return said
    affected = _("Grades of earlier versions: %(n)d.")
    return f"{said} {affected % {'n': n}}"


def _save(scope: Scope, newest: RubricVersion, editor: RubricEditor, base: str) -> RubricVersion:
    given: dict[str, Any] = {
        "name": editor.head.cleaned_data["name"],
        "wording": editor.wording(),
        "base_sha": base,
        "by": scope.user,
        "now": timezone.now(),
    }
    if newest.frozen_at is None:
        return operations.save_version(version=newest, **given)
    return operations.new_version(rubric=newest.rubric, **given)


def _sent(request: HttpRequest, key: str = "") -> RubricEditor:
    """Return the editor after the button that was pressed; bound only if that was "save"."""
    draft = forms.posted(request.POST)
    draft["key"] = key or draft["key"]
    act = request.POST.get("act", "save")
    if act == "save":
        return RubricEditor(forms.tidy(draft), bound=True)
    return RubricEditor(forms.apply_act(draft, act))


def _start(scope: Scope, key: str) -> forms.Draft:
    """Return what a new rubric starts from: one of the project, else an example, else nothing."""
    version = reads.newest_of(scope.project, key) if key else None
    if version is not None:
        name, key = forms.free_name(version.rubric, reads.list_rubrics(scope.project))
        return forms.draft_of(name, key, reads.wording(version))
    entry = reads.rubric(key)
    if entry is not None:
        return forms.draft_of(entry["name"], entry["key"], rules.from_entry(entry))
    return forms.empty_draft()


def _editor(
    request: HttpRequest,
    scope: Scope,
    editor: RubricEditor,
    newest: RubricVersion | None,
    base: str = "",
) -> HttpResponse:
    base = base or request.POST.get("base", "")
    if newest and not base:
        base = reads.wording(newest).sha()
    own = reads.list_rubrics(scope.project) if newest is None else []
    context = {
        "editor": editor,
        "newest": newest,
        "base": base,
        "examples": _examples(own) if newest is None else [],
        "own": own,
        "max_criteria": rules.MAX_CRITERIA,
        "marks": Criterion.Mark.choices,
        **_preview(request, editor),
    }
    status = 422 if editor.has_errors else 200
    return render(request, "annotation/rubrics/rubric_edit.html", context, status=status)


def _preview(request: HttpRequest, editor: RubricEditor) -> dict[str, Any]:
    """Return how an annotator would see what is being written, if that was asked for."""
    if request.POST.get("act") != "preview":
        return {}
    probe = RubricEditor(forms.tidy(editor.draft), bound=True)
    if not probe.is_valid() or rules.problems(wording := probe.wording().settled()):
        return {"asked": True}
    return {
        "asked": True,
        "preview": reads.preview(wording),
        "warnings": reads.warnings(wording),
        "principle": texts.rendered(wording.principle) if wording.principle else "",
    }
