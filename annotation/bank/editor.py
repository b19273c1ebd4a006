"""A passage that was marked in a source, as the editor of a question cites it.

* Hints for somebody who writes a question: what asks the same, what gives its answer away.
* Write a question: the editor, its autosave, and handing it in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.bank import forms, leaks, reading, rules
from annotation.bank import operations as bank
from annotation.bank import pages as question_faces
from annotation.bank import questions as standing
from annotation.bank.forms import QuestionEditor, SourceRow, places
from annotation.bank.models import QuestionVersion
from annotation.common import diffs
from annotation.common import forms as refusals
from annotation.common import texts as passages
from annotation.common.forms import show
from annotation.common.similarity import Likeness
from annotation.domains import queries as taxonomy
from annotation.domains.models import Capability
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does
from annotation.search import similarity
from annotation.sources import operations as sources
from annotation.sources import queries as reads
from annotation.sources.models import SourceVersion
from evalsite import errors, panels
from evalsite.web import bodies


class NoSuchPassage(errors.Invalid): ...


def row(version: SourceVersion, start: int, end: int) -> SourceRow:
    """Return a passage as a row of the editor, with its place in words.

    Raises:
        NoSuchPassage: the text does not hold it, or it is too long; says which.
    """
    try:
        start, end = passages.trimmed(version.text, start, end)
    except passages.UnheldPassage as problem:
        raise NoSuchPassage(_why(str(problem))) from problem
    title = f"{version.source.title}, v{version.number}"
    return SourceRow(version.pk, title, reads.place_of(version.text, start, end), start, end)


def _why(problem: str) -> str:
    if problem == "long":
        most = {"n": passages.MAX_PASSAGE}
        return (
            _("A passage has at most %(n)d characters. Mark the part the answer rests on.") % most
        )
    return _("The text of this version holds no such passage. Mark it again.")


LIKENESS = {
    Likeness.SAME: gettext_lazy("the same question"),
    Likeness.NUMBERS: gettext_lazy("the same but for numbers"),
    Likeness.ORDER: gettext_lazy("the same words in another order"),
    Likeness.WORDS: gettext_lazy("nearly the same words"),
}
EXCERPT = 300


@dataclass(frozen=True)
class LikeQuestion:
    """A near-duplicate as it is shown."""

    external_id: str
    url: str
    kind: str
    state: str
    likeness: str
    code: str
    percent: int
    text: str
    differences: tuple[tuple[str, str], ...]
    runs: tuple[diffs.DiffRun, ...]


@dataclass(frozen=True)
class Leaked:
    """A place that gives the answer away, as a sentence, with what stands there."""

    sentence: str
    text: str
    turn: int
    start: int
    end: int


@does(permissions.DESIGNERS)
def question_hints(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Return hints as JSON, or as a part of a page for whoever prefers HTML."""
    as_page = request.get_preferred_type(["application/json", "text/html"]) == "text/html"
    try:
        written = forms.read_sent(request)
    except errors.Refusal as refusal:
        if as_page:
            context: dict[str, Any] = {"refusal": refusal}
            return render(
                request, "annotation/bank/parts/question_hints.html", context, status=refusal.status
            )
        return bodies.refusal(refusal)
    found = similarity.near(scope.project, written.turns, written.answer, but=written.question)
    shown = [_shown(scope, hint) for hint in found]
    given_away = [
        _leaked(leak, len(written.turns))
        for leak in leaks.find(written.asked, written.answer, written.key_points)
    ]
    if as_page:
        context = {
            "hints": shown,
            "leaks": given_away,
            "is_empty": not "".join(written.asked).strip(),
        }
        return render(request, "annotation/bank/parts/question_hints.html", context)
    return JsonResponse(
        {
            "near": [
                {
                    "id": one.external_id,
                    "url": one.url,
                    "kind": one.kind,
                    "state": one.state,
                    "likeness": one.code,
                    "words": one.likeness,
                    "percent": one.percent,
                    "text": one.text,
                    "differences": [list(pair) for pair in one.differences],
                    "runs": [[run.kind, run.text] for run in one.runs],
                }
                for one in shown
            ],
            "leaks": [
                {
                    "sentence": one.sentence,
                    "text": one.text,
                    "turn": one.turn,
                    "start": one.start,
                    "end": one.end,
                }
                for one in given_away
            ],
        }
    )


def beside(
    scope: Scope,
    turns: list[dict[str, Any]],
    answer: str,
    key_points: list[str],
    but: int,
) -> dict[str, Any]:
    """Return what the part `question_hints.html` shows of a question that is written already."""
    asked = [str(one.get("content") or "") for one in turns]
    found = similarity.near(scope.project, turns, answer, but=but)
    return {
        "hints": [_shown(scope, hint) for hint in found],
        "leaks": [_leaked(leak, len(turns)) for leak in leaks.find(asked, answer, key_points)],
        "is_empty": not "".join(asked).strip(),
    }


def _shown(scope: Scope, hint: similarity.Hint) -> LikeQuestion:
    return LikeQuestion(
        external_id=hint.external_id,
        url=_url(scope, hint),
        kind=hint.kind,
        state=hint.state,
        likeness=str(LIKENESS[hint.likeness]),
        code=hint.likeness.value,
        percent=hint.percent,
        text=Truncator(hint.text).chars(EXCERPT),
        differences=hint.differences[:6],
        runs=hint.runs,
    )


def _url(scope: Scope, hint: similarity.Hint) -> str:
    try:
        return reverse(hint.kind, args=[scope.project.slug, hint.pk])
    except NoReverseMatch:
        return ""


def _leaked(leak: leaks.Leak, n_turns: int) -> Leaked:
    return Leaked(_sentence(leak, n_turns), leak.text, leak.turn, leak.start, leak.end)


def _sentence(leak: leaks.Leak, n_turns: int) -> str:
    given = {"point": (leak.point or 0) + 1, "turn": leak.turn + 1}
    last = leak.turn == n_turns - 1
    if leak.source == leaks.LeakSource.ANSWER:
        if last:
            return _("The standard answer stands in the question.")
        return _("The standard answer stands in message %(turn)d.") % given
    if last:
        return _("Key point %(point)d stands in the question.") % given
    return _("Key point %(point)d stands in message %(turn)d.") % given


@asks(permissions.DESIGNERS)
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
        made = bank.create_question(text=editor.text(), **scope.deed())
    except errors.Refusal as refusal:
        return _refused(request, scope, editor, None, refusal)
    if _wants_json(request):
        return JsonResponse(_saved(scope, made), status=201)
    return _after(request, scope, editor, made)


@asks(permissions.DESIGNERS)
def question_edit(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Go on with the draft of a question; only its author may."""
    version = _draft(scope, pk)
    if version is None:
        messages.info(request, _("A new version begins here."))
        return redirect("question", scope.project.slug, pk)
    if request.method == "GET":
        titles = reading.titles(scope.project, _seen(scope), version)
        rows = [
            SourceRow(
                one.source_version_id,
                titles[one.source_version_id],
                one.locator,
                one.start,
                one.end,
            )
            for one in reading.citations(version)
        ]
        return _page(request, scope, forms.of_version(version, scope.project, rows), version)
    editor, acted = _sent(request, scope, version)
    if acted:
        return _page(request, scope, editor, version)
    try:
        saved = _save(request, scope, editor, version)
    except errors.Refusal as refusal:
        return _refused(request, scope, editor, version, refusal)
    return _after(request, scope, editor, saved)


def _save(
    request: HttpRequest, scope: Scope, editor: QuestionEditor, version: QuestionVersion
) -> QuestionVersion:
    _refuse_unreadable(editor)
    rev = _number(request.POST.get("rev", ""))
    return bank.save_draft(version=version, text=editor.text(), base_rev=rev, **scope.who())


@does(permissions.DESIGNERS)
def question_draft(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Save a draft as it is written: JSON back, with its new revision or why it was refused."""
    version = _draft(scope, pk)
    if version is None:
        return bodies.refusal(errors.NotNow(_("Your draft is gone.")))
    editor, _acted = _sent(request, scope, version)
    try:
        saved = _save(request, scope, editor, version)
    except errors.Refusal as refusal:
        return bodies.refusal(refusal)
    return JsonResponse(_saved(scope, saved))


def _after(
    request: HttpRequest, scope: Scope, editor: QuestionEditor, saved: QuestionVersion
) -> HttpResponse:
    """Go where the button leads: on with the draft, or to the question once it is handed in."""
    slug = scope.project.slug
    if request.POST.get("act") != "submit":
        messages.success(request, _("Draft saved."))
        return redirect("question_edit", slug, saved.question_id)
    try:
        bank.submit(version=saved, base_rev=saved.rev, **scope.who())
    except errors.Refusal as refusal:
        editor.kept = True
        return _refused(request, scope, editor, saved, refusal)
    messages.success(request, _("Submitted for review."))
    return redirect("question", slug, saved.question_id)


def _draft(scope: Scope, pk: int) -> QuestionVersion | None:
    found = reading.under_way(scope.project, pk)
    if found is None:
        raise Http404(_("There is no such question."))
    mine = rules.allows(rules.Act.EDIT, standing.standing_of(found, scope.user))
    return found if mine else None


def _sent(
    request: HttpRequest, scope: Scope, version: QuestionVersion | None = None
) -> tuple[QuestionEditor, bool]:
    """Return the editor after the button that was pressed, and whether that is all it does."""
    titles = reading.titles(scope.project, _seen(scope), version)
    editor = forms.posted(request.POST, scope.project, titles)
    act = request.POST.get("act", "save")
    if act == "new_source":
        _add_source(editor, scope)
        return editor, True
    if act == "add_source":
        forms.cite(editor, _chosen(request.POST, titles))
    return editor, forms.applied(editor, act)


def _seen(scope: Scope) -> frozenset[int] | None:
    return reads.seen_by(scope.project, scope.user, scope.roles)


def _cite_passage(request: HttpRequest, scope: Scope, editor: QuestionEditor, asked: str) -> None:
    """Cite the passage that was marked in a source; say so if it is none."""
    pk, _colon, span = asked.partition(":")
    start, end = places(span)
    visible = reads.visible_to(scope.project, scope.user, scope.roles)
    found = reads.version_of(visible, _number(pk))
    if found is not None and start is not None and end is not None:
        with refusals.told(request):
            forms.cite(editor, row(found, start, end))
        return
    messages.error(request, _("This passage is in no source that you may see. Mark it again."))


def _chosen(post: QueryDict, titles: Mapping[int, str]) -> SourceRow | None:
    pk = _number(post.get("chosen", ""))
    if pk not in titles:
        return None
    return SourceRow(pk, titles[pk], post.get("chosen_locator", "")[:300])


def _add_source(editor: QuestionEditor, scope: Scope) -> None:
    form = editor.new_source
    if not form.is_valid():
        return
    given = form.cleaned_data
    try:
        made = sources.add_source(
            about=sources.SourceAbout(
                given["title"], given["kind"] or "DOCUMENT", given["address"]
            ),
            said=sources.SourceSaid(text=given["text"], valid_until=given["valid_until"]),
            **scope.deed(),
        )
    except errors.Refusal as refusal:
        show(form, refusal)
        return
    forms.cite(editor, SourceRow(made.pk, f"{made.source.title}, v1", given["locator"]))
    editor.new_source = forms.NewSource()


def _refuse_unreadable(editor: QuestionEditor) -> None:
    if not editor.is_valid():
        found = editor.details.errors.items()
        fields = {name: [str(one) for one in said] for name, said in found}
        raise errors.Incomplete(next(iter(fields.values()))[0], fields=fields)


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
    editor: QuestionEditor,
    version: QuestionVersion | None,
    refusal: errors.Refusal,
) -> HttpResponse:
    if _wants_json(request):
        return bodies.refusal(refusal)
    editor.show(refusal.message, refusal.fields)
    stale = version is not None and isinstance(refusal, bank.StaleDraft)
    theirs = reading.under_way(scope.project, version.question_id) if version and stale else None
    return _page(request, scope, editor, version, status=refusal.status, theirs=theirs)


def _page(
    request: HttpRequest,
    scope: Scope,
    editor: QuestionEditor,
    version: QuestionVersion | None,
    status: int = 200,
    theirs: QuestionVersion | None = None,
) -> HttpResponse:
    text = editor.text() if editor.details.is_bound else None
    capability = editor.details["capability"].value()
    context = {
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
        "choices": reading.sources(scope.project, _seen(scope)),
        "cited": _cited(scope, editor),
        "asks_meaning": version is not None and bank.asks_meaning(version),
        "returned": _returned(version, editor) if version else [],
        "longest_reply": rules.MAX_REPLY,
        "panels": _panels(request, scope, version) if version else [],
        "drafted": reads.machine_drafts_of(version) if version else [],
        **_beside(scope, editor, version),
    }
    return render(request, "annotation/bank/question_edit.html", context, status=status)


def _cited(scope: Scope, editor: QuestionEditor) -> list[tuple[SourceRow, str]]:
    """Return the sources that are cited, each with the words of its passage."""
    marked = {one: (one.version, one.start or 0, one.end or 0) for one in editor.sources}
    wanted = [marked[one] for one in editor.sources if one.passage]
    quotes = reading.quotes(scope.project, wanted, _seen(scope)) if wanted else {}
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


def _beside(
    scope: Scope, editor: QuestionEditor, version: QuestionVersion | None
) -> dict[str, Any]:
    turns = [{"role": one.role, "content": one.content} for one in editor.turns]
    points = [one for one in editor.key_points.splitlines() if one.strip()]
    return beside(scope, turns, editor.answer, points, but=version.question_id if version else 0)


def _returned(version: QuestionVersion, editor: QuestionEditor) -> list[dict[str, Any]]:
    """Return what sent the version before this one back, each with the reply so far."""
    return [
        {
            **one,
            "reply": editor.replies.get(one["key"], ""),
            "problems": editor.problems.get(f"reply-{one['key']}", []),
        }
        for inspection in reading.returned_by(version)
        for one in question_faces.failed(inspection)
    ]


def _differences(editor: QuestionEditor, theirs: QuestionVersion) -> list[dict[str, Any]]:
    """Return what differs between the draft as it was saved elsewhere and what stands here."""
    wording = reading.wording(theirs)
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
