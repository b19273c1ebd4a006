"""Dialogues as files have them: one plain record each, checked part by part. Nothing of the database.

The record is what our own export writes, a line of JSON for every dialogue; those of released tools are
turned into it (scoring.queries.dialogue_files).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from django.utils.translation import gettext as _

from scoring.models import Dialogue
from scoring.protocols.kieval import verdicts_v1 as verdicts

Record = Mapping[str, Any]
#: As many as a run of interviews may plan.
MOST_EXCHANGES: Final = 20
NO_VERDICT: Final = "The file has no verdict on this exchange."
#: What a stop may give as its reason; empty where nothing was stopped.
STOPS: Final[Sequence[str]] = (*verdicts.StopReason, "")
#: Texts that a record has, and whether one may be empty.
TEXTS: Final[Mapping[str, bool]] = {
    "question": False,
    "system": False,
    "release": False,
    "group": True,
    "dataset": True,
    "reference": True,
    "answer": True,
    "chosen": True,
    "problem": True,
}
LONGEST: Final = {"question": 200, "group": 200, "dataset": 120, "chosen": 40, "problem": 500}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and how to mend it."""

    place: str
    said: str

    def __str__(self) -> str:
        return f"{self.place}: {self.said}"


def problems_of(record: Record) -> Iterator[str]:
    """Yield what is wrong with a record; nothing for one that can be taken."""
    for name, may_be_empty in TEXTS.items():
        yield from _of_text(name, record.get(name), may_be_empty)
    yield from _of_messages(record.get("messages"))
    if not isinstance(record.get("extra"), Mapping):
        yield _("“extra” is no object. Leave it empty: {}.")
    if record.get("right") not in (True, False, None):
        yield _("“right” is true, false, or null where nobody decided.")
    for name, known in (
        ("decided_by", Dialogue.Decided.values),
        ("ended", Dialogue.End.values),
        ("stop_reason", STOPS),
    ):
        if record.get(name) not in known:
            yield _one_of(name, known)
    for name in ("scripted", "scripted_verdicts"):
        if record.get(name) not in (True, False, None):
            yield _("“%(name)s” is true or false.") % {"name": name}
    yield from _of_exchanges(record)


def _of_text(name: str, value: object, may_be_empty: bool) -> Iterator[str]:
    if not isinstance(value, str):
        yield _("“%(name)s” is no text. Give one, or an empty one.") % {"name": name}
    elif not value.strip() and not may_be_empty:
        yield _("“%(name)s” is empty. Give it.") % {"name": name}
    elif len(value) > LONGEST.get(name, len(value)):
        most = {"name": name, "most": LONGEST[name]}
        yield _("“%(name)s” is too long. Shorten it to %(most)d signs.") % most


def _of_messages(messages: object) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield _("“messages” holds no question. It is a list of messages, the user's last.")
        return
    if not all(
        isinstance(one, Mapping)
        and isinstance(one.get("role"), str)
        and isinstance(one.get("content"), str)
        for one in messages
    ):
        yield _("A message has a “role” and a “content”, both texts.")


def _of_exchanges(record: Record) -> Iterator[str]:
    exchanges, planned = record.get("exchanges"), record.get("planned")
    if not isinstance(exchanges, list):
        yield _("“exchanges” is no list. Leave it empty where none was held: [].")
        return
    if not _is_whole(planned) or not len(exchanges) <= planned <= MOST_EXCHANGES or planned < 1:
        yield _("“planned” is a whole number from %(least)d to %(most)d: %(n)d were held.") % {
            "least": max(1, len(exchanges)),
            "most": MOST_EXCHANGES,
            "n": len(exchanges),
        }
    stopped = record.get("stopped_at")
    if stopped is not None and (not _is_whole(stopped) or not 0 <= stopped < len(exchanges)):
        yield _("“stopped_at” is the number of an exchange from 0, or null.")
    for place, one in enumerate(exchanges):
        for said in _of_exchange(one, place):
            yield _("exchange %(n)d: %(said)s") % {"n": place, "said": said}


def _of_exchange(one: object, place: int) -> Iterator[str]:
    if not isinstance(one, Mapping):
        yield _("It is no object.")
        return
    if one.get("k") != place:
        yield _("“k” counts the exchanges from 0; %(k)d is expected here.") % {"k": place}
    for name in ("question", "answer", "unscored"):
        if not isinstance(one.get(name), str):
            yield _("“%(name)s” is no text. Give one, or an empty one.") % {"name": name}
    yield from _of_verdict(one)


def _of_verdict(one: Mapping[str, Any]) -> Iterator[str]:
    scores = one.get("scores")
    if scores is not None and not _are_scores(scores):
        yield _("“scores” has whole numbers from 1 to 4 for %(names)s, or is null.") % {
            "names": ", ".join(verdicts.SCORED)
        }
    if scores is not None and one.get("unscored"):
        yield _("It has scores and a reason for having none. Take one away.")
    if not isinstance(one.get("comments"), Mapping):
        yield _("“comments” is no object. Leave it empty: {}.")
    if not isinstance(one.get("stops"), bool):
        yield _("“stops” is true or false.")
    if one.get("stop_reason") not in STOPS:
        yield _one_of("stop_reason", STOPS)


def _are_scores(scores: object) -> bool:
    return (
        isinstance(scores, Mapping)
        and set(scores) == set(verdicts.SCORED)
        and all(_is_whole(one) and one in verdicts.SCORES for one in scores.values())
    )


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _one_of(name: str, known: Sequence[str]) -> str:
    return _("“%(name)s” is one of: %(known)s.") % {"name": name, "known": ", ".join(known)}
