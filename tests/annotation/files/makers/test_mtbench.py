import json

import pytest

from tests import cases
from tests.files import looked_at


def rows(*records, name="a.jsonl"):
    """Return the shape and the rows of objects, a line each."""
    layout, found = looked_at("\n".join(map(json.dumps, records)).encode(), name)
    return layout.shape, found


class TestQuestions:
    def test_are_what_a_user_says_turn_by_turn(self):
        record = {"question_id": 7, "category": "tides", "turns": ["When?", "And then?"]}

        shape, (row,) = rows({**record, "reference": ["Noon", "Dusk"]})

        assert shape == "mtbench_questions"
        assert row == {
            "category": "tides",
            "external_id": 7,
            "messages": [
                {"role": "user", "content": "When?"},
                {"role": "user", "content": "And then?"},
            ],
            "reference": "Noon\n\nDusk",
        }

    def test_of_a_file(self):
        layout, found = looked_at(cases.file("mtbench_questions.jsonl"))

        assert layout.shape == "mtbench_questions"
        assert [one["external_id"] for one in found] == [81, 82]
        assert [len(one["messages"]) for one in found] == [2, 2]


class TestAnswers:
    ONE = {"question_id": 7, "model_id": "heron"}

    def test_of_two_turns_are_a_conversation(self):
        shape, (row,) = rows({**self.ONE, "choices": [{"index": 0, "turns": ["Noon", "Dusk"]}]})

        assert shape == "mtbench_answers"
        assert row["response"] == [
            {"role": "assistant", "content": "Noon"},
            {"role": "assistant", "content": "Dusk"},
        ]
        assert (row["external_id"], row["system"], row["sample_no"]) == (7, "heron", 1)

    def test_have_a_row_for_each_choice(self):
        choices = [{"turns": ["Noon"]}, {"turns": [{"content": "Dusk", "token_len": 1}]}]
        _shape, found = rows({**self.ONE, "choices": choices})

        assert [(one["response"], one["sample_no"]) for one in found] == [("Noon", 1), ("Dusk", 2)]

    def test_of_a_file(self):
        layout, found = looked_at(cases.file("mtbench_answers.jsonl"))

        assert layout.shape == "mtbench_answers"
        assert [(one["system"], one["external_id"]) for one in found] == [
            ("pine", 81),
            ("pine", 82),
            ("oak", 81),
            ("oak", 82),
        ]
        assert found[2]["response"][1]["content"] == "second oak 81"


class TestScores:
    ONE = {"question_id": 7, "model": "heron", "judgment": "Fine: [[6]]", "score": 6}

    @pytest.mark.parametrize("judge", ["owl", ["owl", "single-v1"]])
    def test_name_the_judge_and_keep_turns_apart(self, judge):
        shape, found = rows(
            {**self.ONE, "judge": judge, "turn": 1},
            {**self.ONE, "judge": judge, "turn": 2, "score": -1},
        )

        assert shape == "mtbench_single"
        assert [(one["rater"], one["criterion"], one["value"]) for one in found] == [
            ("owl", "turn 1", 6),
            ("owl", "turn 2", -1),
        ]

    @pytest.mark.parametrize("name", ["mtbench_single.jsonl", "mtbench_single_flat.jsonl"])
    def test_of_a_file(self, name):
        layout, found = looked_at(cases.file(name))

        assert layout.shape == "mtbench_single"
        assert {one["rater"] for one in found} == {"gpt-4"}
        assert [(one["system"], one["item"], one["value"]) for one in found] == [
            ("pine", 81, 8),
            ("pine", 82, 7),
            ("oak", 81, 8),
            ("oak", 82, -1),
        ]


class TestPairs:
    @pytest.mark.parametrize(("turn", "name"), [(1, "7"), (2, "7 / turn 2")])
    def test_are_grouped_by_their_question(self, turn, name):
        record = {"question_id": 7, "model_1": "heron", "model_2": "owl", "judge": ["crow", "pair"]}

        _shape, (row,) = rows({**record, "g1_winner": "tie", "turn": turn})

        assert (row["external_id"], row["group"]) == (name, "7")

    def test_are_told_by_name(self):
        record = {"question_id": 7, "model_1": "heron", "model_2": "owl", "judge": ["crow", "pair"]}

        assert rows({**record, "g1_winner": "model_1", "g2_winner": "tie"})[0] == "mtbench_pair"
