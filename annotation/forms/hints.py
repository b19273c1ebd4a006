"""What an editor sends to be looked at: messages, answer and key points, as JSON or as a form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from evalsite import bodies, errors

#: More than this is no question that somebody writes; it is not looked at.
MOST_SIGNS = 100_000
MOST_TURNS, MOST_POINTS = 100, 100


class NotAQuestion(errors.Invalid):
    code = "not_a_question"


@dataclass(frozen=True)
class Written:
    """What somebody has written so far; `question` is the one that is edited, if it is in the bank."""

    turns: list[dict[str, str]]
    answer: str
    key_points: list[str]
    question: int | None

    @property
    def asked(self) -> list[str]:
        return [one["content"] for one in self.turns]


def read(request: HttpRequest) -> Written:
    """Return what was sent: a JSON object, or a form with `role` and `content` for each message.

    Raises:
        bodies.NotReadable: the body is no JSON object.
        NotAQuestion: something in it is of the wrong kind or too long; `fields` says what.
    """
    if request.content_type == "application/json":
        body: Mapping[str, Any] = bodies.json_body(request)
    else:
        roles, texts = request.POST.getlist("role"), request.POST.getlist("content")
        roles += ["user"] * (len(texts) - len(roles))
        body = {
            "turns": [
                {"role": role, "content": text} for role, text in zip(roles, texts, strict=False)
            ],
            "answer": request.POST.get("answer", ""),
            "key_points": request.POST.get("key_points", "").splitlines(),
            "question": request.POST.get("question") or None,
        }
    written = Written(
        _turns(body.get("turns", [])),
        _text("answer", body.get("answer", "")),
        [_text("key_points", one) for one in _list("key_points", body.get("key_points", []))],
        _number(body.get("question")),
    )
    if sum(map(len, (*written.asked, written.answer, *written.key_points))) > MOST_SIGNS:
        raise _wrong("turns", _("This is longer than hints are given for. Shorten your texts."))
    return written


def _turns(given: object) -> list[dict[str, str]]:
    turns = []
    for one in _list("turns", given):
        if not isinstance(one, dict):
            raise _wrong("turns", _("A message has a role and a content."))
        turns.append(
            {
                "role": _text("turns", one.get("role", "user")),
                "content": _text("turns", one.get("content", "")),
            }
        )
    return turns


def _list(field: str, given: object) -> list[Any]:
    if not isinstance(given, list) or len(given) > max(MOST_TURNS, MOST_POINTS):
        raise _wrong(field, _("Send a list of at most %(n)d.") % {"n": MOST_TURNS})
    return given


def _text(field: str, given: object) -> str:
    if not isinstance(given, str):
        raise _wrong(field, _("Send text here."))
    return given


def _number(given: object) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not str(given).isdecimal() or len(str(given)) > 18:
        raise _wrong("question", _("Send the number of the question that is edited, or nothing."))
    return int(str(given))


def _wrong(field: str, message: str) -> NotAQuestion:
    return NotAQuestion(message, fields={field: [message]})
