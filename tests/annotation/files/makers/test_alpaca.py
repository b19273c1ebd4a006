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

    def test_are_told_by_name(self):
        shape, _rows = rows({**self.ONE, "preference": 1.49})

        assert shape == "alpaca_annotations"
        assert looked_at(cases.file("alpaca_annotations.json"))[0].shape == "alpaca_annotations"
