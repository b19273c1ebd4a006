import json

import pytest

from tests import cases
from tests.files import looked_at

TALK = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "Noon"}]
VOTE = {"model_a": "heron", "model_b": "owl", "winner": "tie (bothbad)", "judge": "guest_3"}
PANDA = {"cmp_key": "heron_owl", "instruction": "a", "response1": "Tide", "response2": "Sea"}


class TestPreferences:
    @pytest.mark.parametrize(
        ("shape", "record"),
        [
            ("arena", {**VOTE, "conversation_a": TALK, "conversation_b": TALK}),
            ("pairs", {"id": 1, **VOTE}),
            ("pairs", {"id": 1, "left model": "heron", "right model": "owl", "Better": "left"}),
            ("pandalm", {**PANDA, "annotator1": 1}),
            (
                "dpo_systems",
                {
                    "prompt": "When?",
                    "chosen": "Noon",
                    "rejected": "Never",
                    "chosen-model": "owl",
                    "rejected-model": "heron",
                },
            ),
            ("pairs", {"id": 1, "answer_a": "Noon", "answer_b": "Dusk", "winner": "A"}),
            ("dpo", {"prompt": "When?", "chosen": "Noon", "rejected": "Never"}),
            ("dpo", {"chosen": TALK, "rejected": TALK}),
        ],
    )
    def test_are_told_by_name(self, shape, record):
        layout, _rows = looked_at(json.dumps(record).encode(), "a.jsonl")

        assert layout.shape == shape

    def test_of_chatbot_arena_come_as_a_table_too(self):
        head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie"
        line = '1,heron,owl,"[""When?""]","[""Noon""]","[""Dusk""]",0,1,0'

        assert looked_at(f"{head}\n{line}\n".encode())[0].shape == "arena"

    def test_are_no_figures_of_what_was_chosen(self):
        layout, _rows = looked_at(b"rater,chosen,rejected\nada,3,4\nbo,2,5\n")

        assert layout.shape == ""

    @pytest.mark.parametrize(
        ("name", "shape"),
        [("mtbench_human.jsonl", "arena"), ("pandalm.json", "pandalm"), ("dpo_pairs.jsonl", "dpo")],
    )
    def test_of_a_file(self, name, shape):
        assert looked_at(cases.file(name))[0].shape == shape
