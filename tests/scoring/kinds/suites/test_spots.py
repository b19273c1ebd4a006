import pytest

from scoring.kinds.suites.protocol import definition as spots
from scoring.kinds.suites.protocol.definition import UnusableSuite


class TestRead:
    def test_keeps_the_lines_of_values(self):
        found = spots.read_yaml("name: x\nlist:\n  - 1\n  - {deep: yes}\n")

        assert found.plain() == {"name": "x", "list": [1, {"deep": True}]}
        assert found.value["list"].value[1].line == 4

    def test_takes_dates_for_text(self):
        assert spots.read_yaml("a: 2024-01-02").plain() == {"a": "2024-01-02"}

    @pytest.mark.parametrize(
        ("text", "line", "why"),
        [
            ("a: &x [1]\nb: *x", 1, "References"),
            ("a: 1\nb: [1, 2", 2, "no YAML"),
            ("a: 1\na: 2", 2, "there twice"),
            ("? [a]\n: 1", 1, "plain word"),
            ("a: " + "[" * 30 + "]" * 30, 1, "nested deeper"),
            ("a:\n" + "- 1\n" * 20_001, None, "at most"),
            ("a: !!python/object:os.system x", 1, "cannot be read"),
            ("x" * (513 * 1024), 0, "longer than"),
            ("a: \ud800", 0, "no YAML"),
        ],
    )
    def test_refuses_what_could_grow_run_or_mislead(self, text, line, why):
        with pytest.raises(UnusableSuite, match=why) as refused:
            spots.read_yaml(text)

        if line is not None:
            assert refused.value.problems[0].line == line
