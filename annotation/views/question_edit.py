"""Write a question: the editor, its autosave, and handing it in."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import questions as forms
from annotation.forms.cites import SourceRow, places
from annotation.forms.questions import Editor
from annotation.forms.refusals import show
from annotation.models import Capability, QuestionVersion
from annotation.operations.bank import refusals, sources, writing
from annotation.permissions import Scope, door
from annotation.queries import corpus as corpus_marks
from annotation.queries import inspections, question_pages, standing, taxonomy
from annotation.queries import sources as corpus
from annotation.rules import diffs
from annotation.rules import questions as rules
from annotation.views import hints, question_faces, source_passages
from evalsite import bodies, errors, panels


@require_http_methods(["GET", "POST"])
@door(permissions.DESIGNERS)
def question_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Begin a question. Its first saving makes a draft of it."""
    if request.method == "GET":
        editor = forms.empty(scope.project, request.GET)
        if asked := request.GET.get("passage", ""):
            _cite_passage(request, scope, editor, asked)
        return _page(request, scope, editor, None)
    editor, acted = _sent(request, scope)
    if acted:
        return _page(request, scope, editor, None)
    try:
        _refuse_unreadable(editor)
        made = writing.create_question(
            project=scope.project, text=editor.text(), by=scope.user, now=timezone.now()
        )
    except errors.Refusal as refusal:
        return _refused(request, scope, editor, None, refusal)
    if _wants_json(request):
        return JsonResponse(_saved(scope, made), status=201)
    return _after(request, scope, editor, made)


@require_http_methods(["GET", "POST"])
@door(permissions.DESIGNERS)
def question_edit(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Go on with the draft of a question; only its author may."""
    version = _draft(scope, pk)
    if version is None:
        messages.info(request, _("There is no draft of yours. A new version is begun here."))
        return redirect("question", scope.project.slug, pk)
    if request.method == "GET":
        titles = question_pages.titles(scope.project, _seen(scope), version)
        rows = [
            SourceRow(
                one.source_version_id,
                titles[one.source_version_id],
                one.locator,
                one.start,
                one.end,
            )
            for one in question_pages.citations(version)
        ]
        return _page(request, scope, forms.of_version(version, scope.project, rows), version)
    editor, acted = _sent(request, scope, version)
    if acted:
        return _page(request, scope, editor, version)
    try:
        _refuse_unreadable(editor)
        saved = writing.save_draft(
            version=version,
            text=editor.text(),
            base_rev=_number(request.POST.get("rev", "")),
            by=scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        return _refused(request, scope, editor, version, refusal)
    return _after(request, scope, editor, saved)


@require_POST
@door(permissions.DESIGNERS)
def question_draft(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Save a draft as it is written: JSON back, with its new revision or why it was refused."""
    version = _draft(scope, pk)
    if version is None:
        return bodies.refusal(refusals.NotNow(_("There is no draft of yours any more.")))
    editor, _acted = _sent(request, scope, version)
    try:
        _refuse_unreadable(editor)
        saved = writing.save_draft(
            version=version,
            text=editor.text(),
            base_rev=_number(request.POST.get("rev", "")),
            by=scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    return JsonResponse(_saved(scope, saved))


def _after(
    request: HttpRequest, scope: Scope, editor: Editor, saved: QuestionVersion
) -> HttpResponse:
    """Go where the button leads: on with the draft, or to the question once it is handed in."""
    slug = scope.project.slug
    if request.POST.get("act") != "submit":
        messages.success(request, _("The draft is saved."))
        return redirect("question_edit", slug, saved.question_id)
    try:
        writing.submit(version=saved, base_rev=saved.rev, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        editor.kept = True
        return _refused(request, scope, editor, saved, refusal)
    messages.success(request, _("The question waits for inspection now."))
    return redirect("question", slug, saved.question_id)


def _draft(scope: Scope, pk: int) -> QuestionVersion | None:
    found = question_pages.under_way(scope.project, pk)
    if found is None:
        raise Http404(_("There is no such question."))
    mine = rules.allows(rules.Act.EDIT, standing.of(found, scope.user))
    return found if mine else None


def _sent(
    request: HttpRequest, scope: Scope, version: QuestionVersion | None = None
) -> tuple[Editor, bool]:
    """Return the editor after the button that was pressed, and whether that is all it does."""
    titles = question_pages.titles(scope.project, _seen(scope), version)
    editor = forms.posted(request.POST, scope.project, titles)
    act = request.POST.get("act", "save")
    if act == "new_source":
        _add_source(editor, scope)
        return editor, True
    if act == "add_source":
        forms.cite(editor, _chosen(request.POST, titles))
    return editor, forms.applied(editor, act)


def _seen(scope: Scope) -> frozenset[int] | None:
    return corpus.seen_by(scope.project, scope.user, scope.roles)


def _cite_passage(request: HttpRequest, scope: Scope, editor: Editor, asked: str) -> None:
    """Cite the passage that was marked in a source; say so if it is none."""
    pk, _colon, span = asked.partition(":")
    start, end = places(span)
    visible = corpus.visible_to(scope.project, scope.user, scope.roles)
    found = corpus.version_of(visible, _number(pk))
    if found is not None and start is not None and end is not None:
        try:
            forms.cite(editor, source_passages.row(found, start, end))
        except errors.Refusal as refusal:
            messages.error(request, refusal.message)
        return
    messages.error(request, _("This passage is in no source that you may see. Mark it again."))


def _chosen(post: QueryDict, titles: Mapping[int, str]) -> SourceRow | None:
    pk = _number(post.get("chosen", ""))
    if pk not in titles:
        return None
    return SourceRow(pk, titles[pk], post.get("chosen_locator", "")[:300])


def _add_source(editor: Editor, scope: Scope) -> None:
    form = editor.new_source
    if not form.is_valid():
        return
    given = form.cleaned_data
    try:
        made = sources.add_source(
            project=scope.project,
            about=sources.About(given["title"], given["kind"] or "DOCUMENT", given["address"]),
            said=sources.Said(text=given["text"], valid_until=given["valid_until"]),
            by=scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        show(form, refusal)
        return
    forms.cite(editor, SourceRow(made.pk, f"{made.source.title}, v1", given["locator"]))
    editor.new_source = forms.NewSource()


def _refuse_unreadable(editor: Editor) -> None:
    if not editor.is_valid():
        found = editor.details.errors.items()
        fields = {name: [str(one) for one in said] for name, said in found}
        raise refusals.Incomplete(next(iter(fields.values()))[0], fields=fields)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else -1


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def _saved(scope: Scope, version: QuestionVersion) -> dict[str, Any]:
    where = [scope.project.slug, version.question_id]
    return {
        "rev": version.rev,
        "saved_at": version.saved_at.isoformat(),
        "question": version.question_id,
        "id": version.question.external_id,
        "edit_url": reverse("question_edit", args=where),
        "save_url": reverse("question_draft", args=where),
    }


def _refused(
    request: HttpRequest,
    scope: Scope,
    editor: Editor,
    version: QuestionVersion | None,
    refusal: errors.Refusal,
) -> HttpResponse:
    if _wants_json(request):
        return bodies.refusal(refusal)
    editor.show(refusal.message, refusal.fields)
    stale = version is not None and isinstance(refusal, refusals.StaleDraft)
    theirs = (
        question_pages.under_way(scope.project, version.question_id) if version and stale else None
    )
    return _page(request, scope, editor, version, status=refusal.status, theirs=theirs)


def _page(
    request: HttpRequest,
    scope: Scope,
    editor: Editor,
    version: QuestionVersion | None,
    status: int = 200,
    theirs: QuestionVersion | None = None,
) -> HttpResponse:
    text = editor.text() if editor.details.is_bound else None
    capability = editor.details["capability"].value()
    context = {
        "scope": scope,
        "editor": editor,
        "version": version,
        "theirs": theirs,
        "differences": _differences(editor, theirs) if theirs else [],
        "rev": _rev(request, version, theirs),
        "face": question_faces.of_text(text, _capability(scope, text.capability_id))
        if text
        else question_faces.of_version(version)
        if version
        else None,
        "helped": taxonomy.help_of(scope.project, str(capability or "")),
        "difficulty": editor.details["difficulty"].value() or "",
        "choices": question_pages.sources(scope.project, _seen(scope)),
        "cited": _cited(scope, editor),
        "asks_meaning": version is not None and writing.asks_meaning(version),
        "returned": _returned(version, editor) if version else [],
        "longest_reply": rules.MAX_REPLY,
        "panels": _panels(request, scope, version) if version else [],
        "drafted": corpus_marks.machine_drafts_of(version) if version else [],
        **_beside(scope, editor, version),
    }
    return render(request, "annotation/question_edit.html", context, status=status)


def _cited(scope: Scope, editor: Editor) -> list[tuple[SourceRow, str]]:
    """Return the sources that are cited, each with the words of its passage."""
    marked = {one: (one.version, one.start or 0, one.end or 0) for one in editor.sources}
    wanted = [marked[one] for one in editor.sources if one.passage]
    quotes = question_pages.quotes(scope.project, wanted, _seen(scope)) if wanted else {}
    return [(one, quotes.get(marked[one], "")) for one in editor.sources]


def _panels(request: HttpRequest, scope: Scope, version: QuestionVersion) -> list[Any]:
    return list(panels.fill("draft", scope=scope, version=version, request=request))


def _rev(
    request: HttpRequest, version: QuestionVersion | None, theirs: QuestionVersion | None
) -> str:
    """Return the revision the next saving goes by; after a conflict the one that was compared."""
    if version is None:
        return ""
    if theirs is not None:
        return str(theirs.rev)
    kept = request.POST.get("rev", "") if request.POST.get("act") not in {"save", "submit"} else ""
    return kept or str(version.rev)


def _capability(scope: Scope, pk: int | None) -> Capability | None:
    return Capability.objects.filter(project=scope.project, pk=pk).first() if pk else None


def _beside(scope: Scope, editor: Editor, version: QuestionVersion | None) -> dict[str, Any]:
    turns = [{"role": one.role, "content": one.content} for one in editor.turns]
    points = [one for one in editor.key_points.splitlines() if one.strip()]
    return hints.beside(
        scope, turns, editor.answer, points, but=version.question_id if version else 0
    )


def _returned(version: QuestionVersion, editor: Editor) -> list[dict[str, Any]]:
    """Return what sent the version before this one back, each with the reply so far."""
    return [
        {
            **one,
            "reply": editor.replies.get(one["key"], ""),
            "problems": editor.problems.get(f"reply-{one['key']}", []),
        }
        for inspection in question_pages.returned_by(version)
        for one in question_faces.failed(inspection)
    ]


def _differences(editor: Editor, theirs: QuestionVersion) -> list[dict[str, Any]]:
    """Return what differs between the draft as it was saved elsewhere and what stands here."""
    wording = inspections.wording(theirs)
    mine = {
        "turns": "\n\n".join(one.content for one in editor.turns),
        "answer": editor.answer,
        "key_points": editor.key_points,
        "principle": editor.details["principle"].value() or "",
    }
    names = {
        "turns": _("Question"),
        "answer": _("Standard answer"),
        "key_points": _("Key points"),
        "principle": _("Principle of this question"),
    }
    return [
        {"name": names[one.field], "change": one}
        for one in diffs.fields({name: wording[name] for name in mine}, mine)
        if one.changed
    ]
