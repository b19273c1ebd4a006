from types import SimpleNamespace
from typing import Any

from scoring.beside.asked import few_questions


def _on(n: int) -> Any:
    return SimpleNamespace(interval=SimpleNamespace(n_groups=n))


class TestFewQuestions:
    def test_are_told_below_ten(self):
        cells: list[Any] = [_on(2), SimpleNamespace(interval=None)]

        assert few_questions(cells) == 2
        assert few_questions([*cells, _on(24)]) == 0
