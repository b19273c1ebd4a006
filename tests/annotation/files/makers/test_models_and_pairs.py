from typing import Any

import pytest

from annotation.files.cells import Unfit
from annotation.files.makers import alpaca, conversations, mtbench, pairs
from annotation.files.shapes import Sample

SHAPES = {
    shape.key: shape
    for module in (alpaca, conversations, mtbench, pairs)
    for shape in module.SHAPES
}
HI: dict[str, Any] = {"role": "user", "content": "Hi"}
PAIR = {"model_a": "heron", "model_b": "owl", "winner": "tie", "judge": "crow"}
#: A record of each shape.
RECORDS: dict[str, dict[str, Any]] = {
    "mtbench_questions": {"question_id": 1, "turns": ["a"], "reference": ["b"]},
    "mtbench_answers": {"question_id": 1, "model_id": "owl", "choices": [{"turns": ["a"]}]},
    "mtbench_single": {"question_id": 1, "model": "owl", "judge": ["a"], "score": 1, "judgment": ""},
    "mtbench_pair": {"question_id": 1, "model_1": "a", "model_2": "b", "judge": "c", "g1_winner": "tie"},
    "arena": {**PAIR, "conversation_a": [HI], "conversation_b": [HI]},
    "pandalm": {
        "cmp_key": "a_b", "instruction": "a", "input": "b", "response1": "c", "response2": "d", "annotator1": 1,
    },
    "dpo_systems": {
        "prompt": "a", "chosen": "b", "rejected": [HI], "chosen_model": "owl", "rejected_model": "heron",
    },
    "dpo": {"prompt": "a", "chosen": [HI], "rejected": "c", "system": "d"},
    "alpaca_outputs": {"instruction": "a", "input": "b", "output": "c", "generator": "d"},
    "alpaca_annotations": {
        "instruction": "a", "output_1": "b", "output_2": "c", "generator_1": "d", "generator_2": "e", "preference": 1,
    },
    "batch_output": {"custom_id": "a", "response": {"body": {"choices": [{"message": HI}]}}, "error": None},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "systemInstruction": {"parts": []}},
    "openai_responses": {"input": "a", "output": [HI], "instructions": "b"},
    "lmsys": {"conversation_id": "a", "conversation": [HI]},
    "openai_chat": {"messages": [HI], "tools": []},
    "anthropic": {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": "a"}]}], "system": "b"},
}  # fmt: skip
ODD: tuple[Any, ...] = (
    None,
    5,
    float("nan"),
    True,
    "x",
    "",
    [],
    {},
    [1],
    ["x"],
    [None],
    [{}],
    {"x": 1},
    [[]],
)


def broken(key: str) -> list[dict[str, Any]]:
    """Return a record with each of its values left out in turn, or something odd instead."""
    record = RECORDS[key]
    short = [{name: record[name] for name in record if name != left} for left in record]
    return short + [{**record, name: odd} for name in record for odd in ODD]


def is_read_or_refused(key: str, record: dict[str, Any]) -> bool:
    try:
        return isinstance(list(SHAPES[key].rows(record, {})), list)
    except Unfit as unfit:
        return bool(unfit.code)


class TestBrokenRecords:
    @pytest.mark.parametrize("key", RECORDS)
    def test_are_refused_and_stop_nothing(self, key):
        assert [one for one in broken(key) if not is_read_or_refused(key, one)] == []

    @pytest.mark.parametrize("key", RECORDS)
    def test_may_begin_a_file(self, key):
        for one in broken(key):
            sample = Sample("a.jsonl", "lines", tuple(one), (one,))

            assert {shape.fits(sample) for shape in SHAPES.values()} <= {True, False}
