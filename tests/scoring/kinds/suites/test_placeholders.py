import pytest

from scoring.kinds.suites.protocol import definition as placeholders


class TestFill:
    def test_replaces_what_it_knows_and_leaves_every_other_brace(self):
        prompt = 'Reply {"choice": {x}} about {content}{content} and {tool_calls!r}'

        filled = placeholders.fill(prompt, {"content": "{context}"})

        assert filled == 'Reply {"choice": {x}} about {context}{context} and {tool_calls!r}'
        assert placeholders.used(prompt) == ["content"]


class TestNormal:
    @pytest.mark.parametrize(
        ("one", "other"),
        [("YES", "**Yes.**"), ("10", "10.0"), ("0.5", " 0.50 "), ("N/A", "n/a"), ("１０", "10")],
    )
    def test_forgets_dress(self, one, other):
        assert placeholders.normal(one) == placeholders.normal(other)

    @pytest.mark.parametrize(("one", "other"), [("1", "10"), ("CONSISTENT", "INCONSISTENT")])
    def test_keeps_what_differs(self, one, other):
        assert placeholders.normal(one) != placeholders.normal(other)


class TestTwins:
    def test_finds_choices_that_read_alike(self):
        assert placeholders.twins(["a", "b", "A."]) == "A."
        assert placeholders.twins(["1", "1.0"]) == "1.0"
        assert placeholders.twins(["a", "**"]) == "**"
        assert placeholders.twins(["a", "b"]) == ""
