from collections.abc import Mapping
from typing import Any

from scoring.beside.asked import few_questions


class TestFewQuestions:
    def test_are_told_below_ten(self):
        cells: list[Mapping[str, Any]] = [{"interval": {"n_groups": 2}}, {"interval": None}]

        assert few_questions(cells) == 2
        assert few_questions([*cells, {"interval": {"n_groups": 24}}]) == 0
