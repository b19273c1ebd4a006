"""Entries of `interact_details.json` in words of our own, for tests."""

from typing import Any


def verdict(overall: int, *, stop: str = "") -> dict[str, Any]:
    """Return a verdict as older files of the released tools have it."""
    said = {"accuracy": 3, "reasoning": 2, "relevance": 4, "coherence": 3, "conciseness": 4}
    return {
        **{name: {"comment": f"About {name}.", "score": score} for name, score in said.items()},
        "overall_comment": "It knows some of it.",
        "overall_score": overall,
        "stop_conversation": bool(stop),
        "stop_reason": stop or "none",
    }


def details(
    uuid: str,
    *,
    stop: str = "",
    lost: int | None = None,
    role: str = "candidate",
    verdicts: int | None = None,
) -> dict[str, Any]:
    """Return an entry of two exchanges; `lost` is one without a verdict."""
    said: list[Any] = [verdict(3), verdict(2, stop=stop)]
    if lost is not None:
        said[lost] = None
    talk = [
        {"role": "interactor", "content": "Why that one?"},
        {"role": role, "content": "It does not slip."},
        {"role": "evaluator", "content": "Noted."},
        {"role": "interactor", "content": "And when it is wet?"},
        {"role": "candidate", "content": "It holds all the same."},
        {"role": "evaluator", "content": "Noted."},
    ]
    return {
        "uuid": uuid,
        "prompt": "Which knot holds a ship?",
        "messages": [{"role": "user", "content": "Which knot holds a ship?"}],
        "random_seed": 42,
        "stop_interaction": bool(stop),
        "all_messages": talk,
        "role_messages": {
            "candidate": [
                {"role": "system", "content": "Answer."},
                {"role": "user", "content": "Which knot holds a ship?"},
                {"role": "assistant", "content": "A bowline."},
            ]
        },
        "evaluation_results": said if verdicts is None else [verdict(3)] * verdicts,
        "aggregated_result": None,
    }
