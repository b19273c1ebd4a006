"""What the evaluator says of an exchange: its form, and how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from annotation.common import reasoning
from scoring.protocols import reading

ASPECTS: Final = ("accuracy", "logic", "relevance", "coherence", "conciseness")
OVERALL: Final = "overall"
#: What is scored, in the order in which it is shown.
SCORED: Final = (*ASPECTS, OVERALL)
SCORES: Final = (1, 2, 3, 4)
#: Keys that the verdict's JSON has; text of the candidate may not imitate them.
KEYS: Final = (
    *ASPECTS,
    "overall_comment",
    "overall_score",
    "stop_conversation",
    "stop_reason",
    "comment",
    "decision",
)


DECISIONS: Final = frozenset({"right", "wrong", "unclear"})


class StopReason(StrEnum):
    OFF_TOPIC = "off_topic"
    EMPTY_RESPONSE = "empty_response"
    RULE_VIOLATION = "rule_violation"
    REPETITION = "repetition"
    ROLE_SHIFT = "unpermitted_role_shift"
    HALLUCINATION = "hallucination"
    NONE = "none"


class Unreadable(ValueError):
    """There is no verdict here; the message says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Scores by aspect and overall, 1 to 4, with their comments."""

    scores: Mapping[str, int]
    comments: Mapping[str, str]
    stop: bool
    stop_reason: StopReason

    def plain(self) -> dict[str, Any]:
        return {
            "scores": dict(self.scores),
            "comments": dict(self.comments),
            "stop": self.stop,
            "stop_reason": self.stop_reason.value,
        }


def _aspect() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "comment": {"type": "string"},
            "score": {"type": "integer", "enum": list(SCORES)},
        },
        "required": ["comment", "score"],
        "additionalProperties": False,
    }


SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        **{name: _aspect() for name in ASPECTS},
        "overall_comment": {"type": "string"},
        "overall_score": {"type": "integer", "enum": list(SCORES)},
        "stop_conversation": {"type": "boolean"},
        "stop_reason": {"type": "string", "enum": [one.value for one in StopReason]},
    },
    "required": [
        *ASPECTS,
        "overall_comment",
        "overall_score",
        "stop_conversation",
        "stop_reason",
    ],
    "additionalProperties": False,
}
#: The same form as an example, for endpoints that cannot hold a model to a schema.
FORM: Final = (
    "{"
    + ", ".join(f'"{name}": {{"comment": "…", "score": 1}}' for name in ASPECTS)
    + ', "overall_comment": "…", "overall_score": 1, "stop_conversation": false, "stop_reason": "none"}'
)


def read(text: str) -> Verdict:
    """Return the verdict in a reply: JSON, also in fences, with text around or trailing commas.

    Raises:
        Unreadable: there is none, it lacks a part, or a score is no whole number from 1 to 4.
    """
    said = reading.objects(reasoning.split(text).answer)
    found = [one for one in said if "overall_score" in one or ASPECTS[0] in one]
    if not found:
        raise Unreadable("The reply holds no verdict.")
    several = [_verdict(one) for one in found]
    if any((one.scores, one.stop) != (several[0].scores, several[0].stop) for one in several):
        raise Unreadable("The reply holds several verdicts that differ.")
    return several[0]


def _verdict(made: Mapping[str, Any]) -> Verdict:
    scores: dict[str, int] = {}
    comments: dict[str, str] = {}
    for name in ASPECTS:
        said = made.get(name)
        if not isinstance(said, Mapping):
            raise Unreadable(f"The verdict lacks “{name}”.")
        scores[name] = _score(said.get("score"), name)
        comments[name] = _text(said.get("comment"))
    scores[OVERALL] = _score(made.get("overall_score"), OVERALL)
    comments[OVERALL] = _text(made.get("overall_comment"))
    return Verdict(scores, comments, *_stop(made))


def decided(decision: str) -> bool | None:
    """Return whether a decision calls the first answer right; None where it is unclear, or there is none."""
    return {"right": True, "wrong": False}.get(decision)


def decision(text: str) -> str:
    """Return "right", "wrong" or "unclear", as a reply says; nothing where it says none or several."""
    objects = reading.objects(reasoning.split(text).answer)
    said = {str(one["decision"]).strip().casefold() for one in objects if "decision" in one}
    return found if len(said) == 1 and (found := said.pop()) in DECISIONS else ""


def _stop(made: Mapping[str, Any]) -> tuple[bool, StopReason]:
    stop = made.get("stop_conversation")
    if isinstance(stop, str) and stop.strip().casefold() in {"true", "false"}:
        stop = stop.strip().casefold() == "true"
    if not isinstance(stop, bool):
        raise Unreadable("The verdict does not say whether to stop.")
    said = str(made.get("stop_reason") or "none").strip().casefold().replace(" ", "_")
    # Older files call it so.
    said = {"meaningless_repetition": "repetition"}.get(said, said)
    reason = StopReason(said) if said in set(StopReason) else StopReason.NONE
    return stop, reason if stop else StopReason.NONE


def _score(said: object, name: str) -> int:
    if isinstance(said, str) and said.strip().isdecimal():
        said = int(said.strip())
    if isinstance(said, float | Decimal) and said == said.__trunc__():
        said = int(said)
    if isinstance(said, bool) or not isinstance(said, int) or said not in SCORES:
        raise Unreadable(f"The score of “{name}” is no whole number from 1 to 4.")
    return said


def _text(said: object) -> str:
    return said.strip()[:2000] if isinstance(said, str) else ""
