"""Hints for somebody who writes a question: what asks the same, what gives its answer away."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotation import permissions
from annotation.forms import hints as forms
from annotation.permissions import Scope, door
from annotation.queries import similarity
from annotation.rules import diffs, leaks
from annotation.rules.similarity import Likeness
from evalsite import bodies, errors

LIKENESS = {
    Likeness.SAME: gettext_lazy("the same question"),
    Likeness.NUMBERS: gettext_lazy("the same but for numbers"),
    Likeness.ORDER: gettext_lazy("the same words in another order"),
    Likeness.WORDS: gettext_lazy("nearly the same words"),
}
EXCERPT = 300


@dataclass(frozen=True)
class Shown:
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
    runs: tuple[diffs.Run, ...]


@dataclass(frozen=True)
class Leaked:
    """A place that gives the answer away, as a sentence, with what stands there."""

    sentence: str
    text: str
    turn: int
    start: int
    end: int


@require_POST
@door(permissions.DESIGNERS)
def question_hints(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Return hints as JSON, or as a part of a page for whoever prefers HTML."""
    as_page = request.get_preferred_type(["application/json", "text/html"]) == "text/html"
    try:
        written = forms.read(request)
    except errors.Refusal as refusal:
        if as_page:
            context = {"scope": scope, "refusal": refusal}
            return render(
                request, "annotation/parts/question_hints.html", context, status=refusal.status
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
            "scope": scope,
            "hints": shown,
            "leaks": given_away,
            "is_empty": not "".join(written.asked).strip(),
        }
        return render(request, "annotation/parts/question_hints.html", context)
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


def _shown(scope: Scope, hint: similarity.Hint) -> Shown:
    return Shown(
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
    if leak.source == leaks.Source.ANSWER:
        if last:
            return _("The standard answer stands in the question.")
        return _("The standard answer stands in message %(turn)d.") % given
    if last:
        return _("Key point %(point)d stands in the question.") % given
    return _("Key point %(point)d stands in message %(turn)d.") % given
