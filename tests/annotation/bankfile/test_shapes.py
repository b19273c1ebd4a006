import pytest

from annotation.bankfile import rules as shapes


class TestAShape:
    @pytest.mark.parametrize(
        ("check", "value", "code"),
        [
            (shapes.text(3), "abcd", "too_long"),
            (shapes.text(), "\ud800", "bad_characters"),
            (shapes.number(1), True, "no_number"),
            (shapes.name(9), "a\u202eb", "unseen_sign"),
            (shapes.name(9), "a\x00b", "bad_characters"),
            (shapes.name(9), "", "empty"),
            (shapes.name(9), "much too long", "too_long"),
            (shapes.decimal(4, 2), "100", "no_decimal"),
            (shapes.decimal(4, 2), "NaN", "no_decimal"),
            (shapes.moment, "2026-03-31T09:00:00", "no_moment"),
            (shapes.day, "2026-02-30", "no_day"),
            (shapes.anything(list), [float("inf")], "no_number"),
            (shapes.record({"a": shapes.flag}), {"a": True, "b": 1}, "unknown_field"),
        ],
    )
    def test_says_what_is_wrong(self, check: shapes.Check, value: object, code: str) -> None:
        assert [one.code for one in check(value)] == [code]

    @pytest.mark.parametrize("value", ["a\x00b", "a\ud800b"])
    def test_tells_of_characters_that_no_database_keeps_without_them(self, value: str) -> None:
        [fault] = shapes.text()(value)

        assert (fault.code, fault.found) == ("bad_characters", "a\N{REPLACEMENT CHARACTER}b")

    def test_says_where(self) -> None:
        check = shapes.record({"a": shapes.many(shapes.record({"b": shapes.flag}))})

        assert [one.place for one in check({"a": [{"b": True}, {"b": 1}]})] == ["a[1].b"]

    def test_ends_where_lists_stand_too_deep(self) -> None:
        deep: list[object] = []
        for _ in range(5000):
            deep = [deep]

        assert [one.code for one in shapes.anything(list)(deep)] == ["too_deep"]
