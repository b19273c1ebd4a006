"""One example of each function metric with its value: shown to whoever chooses, and a test."""

from collections.abc import Mapping
from typing import Any, Final

from scoring.protocols.suite.catalogue import Example, Level

TALK: Final[Mapping[str, Any]] = {
    "id": "talk",
    "messages": [
        {"role": "system", "content": "You help drivers."},
        {"role": "user", "content": "Where is my truck? 🚚"},
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [
                {"function": {"name": "locate", "arguments": '{"truck": 7, "unit": "km"}'}}
            ],
            "model": "small",
            "latency": 1.5,
            "usage": {"prompt_tokens": 20, "completion_tokens": 5},
        },
        {"role": "tool", "content": "gate 12", "type": "tool", "error": "slow"},
        {"role": "assistant", "content": "As an AI model I say: it is at gate 12."},
        {"role": "user", "content": "Thanks. Call +44 20 7946 0018."},
    ],
}
ANSWER: Final = 1  # the turn of the assistant and its tool


def _of(level: Level, place: int, value: Mapping[str, float | None], **kwargs: Any) -> Example:
    return Example(TALK, level, value, kwargs, place)


EXAMPLES: Final[Mapping[str, Example]] = {
    "identity": _of(Level.MESSAGE, 2, {"gate 12": 1}),
    "constant": _of(Level.TURN, 0, {"constant": 3}, response=3),
    "string_length": _of(Level.TURN, 0, {"string_length": 20}),
    "flesch_reading_ease": _of(Level.MESSAGE, 1, {"flesch_reading_ease": 118.175}),
    "flesch_kincaid_grade": _of(Level.MESSAGE, 1, {"flesch_kincaid_grade": -2.23}),
    "count_emojis": _of(Level.CONVERSATION, 0, {"count_emojis": 1}),
    "message_matches_regex": _of(Level.MESSAGE, 0, {r"\?": 1}, expression=r"\?"),
    "count_of_parts_matching_regex": _of(Level.TURN, ANSWER, {r"\d+": 2}, expression=r"\d+"),
    "is_role": _of(Level.TURN, ANSWER, {"assistant": 1}, role="assistant"),
    "index_in_thread": _of(Level.MESSAGE, 3, {"index_in_thread": 3}),
    "is_last_turn_in_thread": _of(Level.TURN, 2, {"is_last_turn_in_thread": 1}),
    "count_messages": _of(Level.TURN, ANSWER, {"count_messages": 3}),
    "count_turns": _of(Level.CONVERSATION, 0, {"count_turns": 3}),
    "count_messages_per_role": _of(Level.CONVERSATION, 0, {"user": 2, "assistant": 2, "tool": 1}),
    "tool_was_called": _of(Level.TURN, ANSWER, {"tool_was_called": 1}, name="locate"),
    "count_tool_calls": _of(Level.CONVERSATION, 0, {"count_tool_calls": 1}),
    "count_tool_calls_by_name": _of(Level.CONVERSATION, 0, {"locate": 1}),
    "count_numeric_tool_call_params_by_name": _of(Level.TOOL_CALL, 0, {"truck": 1}),
    "value_counts_by_tool_name": _of(Level.CONVERSATION, 0, {"locate km": 1}, json_key="unit"),
    "count_llm_models": _of(Level.CONVERSATION, 0, {"small": 1}),
    "count_tokens": _of(Level.TURN, ANSWER, {"prompt_tokens": 20, "completion_tokens": 5}),
    "count_errors": _of(Level.CONVERSATION, 0, {"count_errors": 1}),
    "latency": _of(Level.TURN, ANSWER, {"latency": 1.5}),
    "is_langgraph_type": _of(Level.MESSAGE, 2, {"tool": 1}, type="tool"),
    "is_refusal": _of(Level.MESSAGE, 3, {"is_refusal": 0}),
    "names_itself": _of(Level.MESSAGE, 3, {"names_itself": 1}),
    "count_toxic_words": Example(
        {"messages": [{"role": "user", "content": "You stupid idiots, watch your back."}]},
        Level.MESSAGE,
        {"profanity": 0, "insult": 2, "threat": 1, "slur": 0},
        {},
    ),
    "lexical_overlap": Example(
        {
            "messages": [
                {"role": "user", "content": "Is the truck at gate 12?"},
                {"role": "assistant", "content": "The truck is at gate 9."},
            ]
        },
        Level.MESSAGE,
        {"precision": 5 / 6, "recall": 5 / 6, "f1": 5 / 6},
        {},
        place=1,
    ),
    "language": Example(
        {"messages": [{"role": "user", "content": "Wo steht mein Lastwagen?"}]},
        Level.MESSAGE,
        {"de": 1},
        {},
    ),
    "moderation": Example(
        {"messages": [{"role": "user", "content": "Only an idiot would hit the crane."}]},
        Level.MESSAGE,
        {"flagged": 1, "harassment": 0.977, "violence": 0.975},
        {},
    ),
    "is_in_language": Example(
        {"messages": [{"role": "user", "content": "Where is my truck?"}]},
        Level.MESSAGE,
        {"is_in_language": 1},
        {"code": "en"},
    ),
    "count_private_data": _of(
        Level.MESSAGE, 4, {"email": 0, "phone": 1, "card": 0, "ip_address": 0, "iban": 0}
    ),
}
