import json

import pytest

from tests import cases
from tests.files import looked_at


def rows(*records):
    """Return the shape and the rows of a list of objects."""
    layout, found = looked_at(json.dumps(records).encode(), "a.json")
    return layout.shape, found


class TestOutputs:
    def test_are_answers_to_an_instruction_with_its_input(self):
        shape, (row,) = rows(
            {"instruction": "Translate.", "input": "Marea", "output": "Tide", "generator": "heron"}
        )

        assert shape == "alpaca_outputs"
        assert row == {"question": "Translate.\n\nMarea", "system": "heron", "response": "Tide"}

    @pytest.mark.parametrize("name", ["pine-7b", "oak-13b"])
    def test_of_a_file(self, name):
        layout, found = looked_at(cases.file(f"alpaca_{name}.json"))

        assert layout.shape == "alpaca_outputs"
        assert [one["system"] for one in found] == [name] * 3
        assert found[2]["question"] == "What is 17 percent of 240?"


class TestAnnotations:
    ONE = {
        "instruction": "Name a tide.",
        "output_1": "Neap",
        "output_2": "Spring",
        "generator_1": "heron",
        "generator_2": "owl",
        "annotator": "crow",
    }

    @pytest.mark.parametrize(
        ("preference", "winner"),
        [(1, "a"), (2, "b"), (1.5, "tie"), (0, "tie"), (1.49, "a"), (1.51, "b"), ("2.0", "b")],
    )
    def test_lean_to_the_first_or_the_second(self, preference, winner):
        shape, (row,) = rows({**self.ONE, "preference": preference})

        assert shape == "alpaca_annotations"
        assert (row["winner"], row["preference"]) == (winner, preference)
        assert (row["system_a"], row["system_b"], row["rater"]) == ("heron", "owl", "crow")

    def test_may_be_those_of_a_person_with_a_number(self):
        record = {name: value for name, value in self.ONE.items() if name != "annotator"}

        _shape, (row,) = rows({**record, "annotator_index": 0, "preference": 2})

        assert row["rater"] == 0

    @pytest.mark.parametrize("preference", [None, 3, "owl"])
    def test_without_a_preference_are_refused(self, preference):
        _shape, found = rows({**self.ONE, "preference": 1}, {**self.ONE, "preference": preference})

        assert found[1] == {"problem": "no_winner"}

    def test_of_a_file_name_the_winner_in_whichever_order(self):
        layout, found = looked_at(cases.file("alpaca_annotations.json"))

        assert layout.shape == "alpaca_annotations"
        assert [one[f"system_{one['winner']}"] for one in found] == ["oak-13b", "oak-13b"]
        assert [one["system_a"] for one in found] == ["pine-7b", "oak-13b"]
