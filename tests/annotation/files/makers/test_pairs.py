import json

import pytest

from tests import cases
from tests.files import looked_at


def rows(*records, name="a.jsonl"):
    """Return the shape and the rows of objects, a line each."""
    layout, found = looked_at("\n".join(map(json.dumps, records)).encode(), name)
    return layout.shape, found


def talk(*texts):
    return [
        {"role": ("user", "assistant")[place % 2], "content": text}
        for place, text in enumerate(texts)
    ]


class TestArena:
    ONE = {
        "question_id": "q7",
        "model_a": "heron",
        "model_b": "owl",
        "judge": "guest_3",
        "conversation_a": talk("When?", "Noon"),
        "conversation_b": talk("When?", "Dusk"),
    }

    @pytest.mark.parametrize(
        ("written", "winner"),
        [
            ("model_a", "a"),
            ("model_b", "b"),
            ("tie", "tie"),
            ("tie (bothbad)", "tie"),
            ("both_bad", "tie"),
        ],
    )
    def test_names_who_won(self, written, winner):
        shape, (row,) = rows({**self.ONE, "winner": written})

        assert shape == "arena"
        assert row["winner"] == winner
        assert row["both_bad"] is ("bad" in written)
        assert (row["question"], row["answer_a"], row["answer_b"]) == ("When?", "Noon", "Dusk")
        assert (row["system_a"], row["system_b"], row["rater"]) == ("heron", "owl", "guest_3")

    def test_keeps_later_turns_with_the_answer(self):
        longer = {"conversation_a": talk("When?", "Noon", "And then?", "Dusk")}

        _shape, (row,) = rows({**self.ONE, **longer, "winner": "model_a"})

        assert row["question"] == "When?"
        assert [one["content"] for one in row["answer_a"]] == ["Noon", "And then?", "Dusk"]

    def test_comes_as_a_table_too(self):
        head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie"
        line = '1,heron,owl,"[""When?""]","[""Noon""]","[""Dusk""]",0,1,0'

        layout, (row,) = looked_at(f"{head}\n{line}\n".encode())

        assert layout.shape == "arena"
        assert (row["question"], row["answer_b"], row["winner"]) == ("When?", "Dusk", "b")

    def test_refuses_a_winner_that_nobody_is(self):
        _shape, found = rows(
            {**self.ONE, "winner": "model_a"}, {**self.ONE, "winner": "heron of the north"}
        )

        assert found[1] == {"problem": "no_winner"}

    def test_of_a_file(self):
        layout, found = looked_at(cases.file("mtbench_human.jsonl"))

        assert layout.shape == "arena"
        assert [(one["rater"], one["winner"], one["both_bad"]) for one in found] == [
            ("expert_0", "a", False),
            ("expert_1", "tie", False),
            ("expert_0", "b", False),
            ("expert_1", "tie", True),
        ]
        assert {(one["system_a"], one["system_b"]) for one in found} == {("pine", "oak")}


class TestPandaLM:
    ONE = {
        "idx": 3,
        "cmp_key": "heron_owl",
        "instruction": "Translate.",
        "input": "Marea",
        "response1": "Tide",
        "response2": "Sea",
    }

    def test_has_a_row_for_each_annotator_who_chose(self):
        shape, found = rows({**self.ONE, "annotator1": 1, "annotator2": 0, "annotator3": None})

        assert shape == "pandalm"
        assert [(one["rater"], one["winner"]) for one in found] == [
            ("annotator1", "a"),
            ("annotator2", "tie"),
        ]
        assert found[0]["question"] == "Translate.\n\nMarea"

    @pytest.mark.parametrize(
        ("key", "systems"),
        [("my_heron_my_owl", ("my_heron", "my_owl")), ("my_heron_owl", None), ("heron", None)],
    )
    def test_tells_two_systems_from_their_key(self, key, systems):
        _shape, found = rows(
            {**self.ONE, "annotator1": 1}, {**self.ONE, "cmp_key": key, "annotator1": 1}
        )

        if systems:
            assert (found[1]["system_a"], found[1]["system_b"]) == systems
        else:
            assert found[1] == {"problem": "not_two_systems"}

    def test_of_a_file(self):
        layout, found = looked_at(cases.file("pandalm.json"))

        assert layout.shape == "pandalm"
        assert [one["winner"] for one in found] == ["b", "b", "a", "tie", "a", "a"]
        assert [one["system_b"] for one in found] == ["oak"] * 3 + ["elm"] * 3
        assert (found[0]["question"], found[3]["question"]) == (
            "Shorten.\n\nA long line.",
            "Shorten.",
        )


class TestChosenAndRejected:
    def test_are_the_first_and_the_second(self):
        shape, (row,) = rows({"prompt": "When?", "chosen": "Noon", "rejected": "Never", "id": 4})

        assert shape == "dpo"
        assert (row["question"], row["answer_a"], row["answer_b"]) == ("When?", "Noon", "Never")
        assert (row["winner"], row["external_id"]) == ("a", 4)

    def test_may_hold_the_whole_conversation(self):
        given = {"chosen": talk("When?", "Noon"), "rejected": talk("When?", "Never")}

        _shape, (row,) = rows(given)

        assert (row["question"], row["answer_a"], row["answer_b"]) == ("When?", "Noon", "Never")

    def test_may_be_one_text_in_which_both_speak(self):
        said = "\n\nHuman: When?\n\nAssistant: "

        _shape, (row,) = rows({"chosen": f"{said}Noon", "rejected": f"{said}Never"})

        assert (row["question"], row["answer_a"], row["answer_b"]) == ("When?", "Noon", "Never")

    def test_keep_a_system_prompt(self):
        given = {"system": "Be brief.", "prompt": "When?", "chosen": "Noon", "rejected": "Never"}

        _shape, (row,) = rows(given)

        assert [one["role"] for one in row["question"]] == ["system", "user"]

    def test_are_no_figures(self):
        layout, _rows = looked_at(b"rater,chosen,rejected\nada,3,4\nbo,2,5\n")

        assert layout.shape == ""

    def test_of_a_file(self):
        layout, found = looked_at(cases.file("dpo_pairs.jsonl"))

        assert layout.shape == "dpo"
        assert [(one["question"], one["answer_a"], one["answer_b"]) for one in found] == [
            ("Hi", "Hello!", "What.")
        ]
