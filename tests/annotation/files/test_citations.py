import datetime

import pytest

from annotation.files import answers as citations
from annotation.files.answers import CitedPlace
from annotation.files.cells import Unfit


class TestRead:
    @pytest.mark.parametrize(
        ("cell", "found"),
        [
            ("Handbook", CitedPlace("Handbook")),
            ("Handbook | p. 3", CitedPlace("Handbook", locator="p. 3")),
            (
                "Handbook | https://a.example/b | § 2",
                CitedPlace("Handbook", "https://a.example/b", "§ 2"),
            ),
            ("https://a.example/b", CitedPlace("https://a.example/b", "https://a.example/b")),
            ('[{"title": "Handbook", "page": "7"}]', CitedPlace("Handbook", locator="7")),
            (
                {"name": "Handbook", "URL": "https://a.example"},
                CitedPlace("Handbook", "https://a.example"),
            ),
            ({"标题": "手册", "页码": 3}, CitedPlace("手册", locator="3")),
            (
                {"title": "H", "kind": "web", "valid_until": "2026-01-31", "version": 2},
                CitedPlace("H", kind="WEB", valid_until=datetime.date(2026, 1, 31), version=2),
            ),
            (["Handbook"], CitedPlace("Handbook")),
            ("[not json", CitedPlace("[not json")),
        ],
    )
    def test_takes_titles_lines_and_objects(self, cell, found):
        assert citations.read_sources(cell) == [found]

    def test_takes_one_from_every_line(self):
        assert [one.title for one in citations.read_sources("A | p. 1\n\nB\n")] == ["A", "B"]

    @pytest.mark.parametrize(
        ("cell", "code"),
        [
            ("a | b | c", "no_source"),
            ("https://a.example | https://b.example", "no_source"),
            ({"locator": "p. 3"}, "no_source"),
            ({"title": "H", "kind": "rumour"}, "unknown_source_kind"),
            ({"title": "H", "valid_until": "soon"}, "no_date"),
            ({"title": "H" * 301}, "name_too_long"),
            ([["H"]], "not_one_value"),
        ],
    )
    def test_says_what_it_cannot_use(self, cell, code):
        with pytest.raises(Unfit) as refused:
            citations.read_sources(cell)

        assert refused.value.code == code


class TestListed:
    @pytest.mark.parametrize(
        ("value", "found"),
        [('["a"]', ["a"]), ('{"a": 1}', {"a": 1}), ("[a", "[a"), ("text", "text"), (3, 3)],
    )
    def test_takes_json_apart_where_it_is_some(self, value, found):
        assert citations.listed(value) == found


class TestCited:
    def test_comes_back_from_its_record(self):
        one = CitedPlace(
            "H", "https://a.example", "p. 3", "WEB", valid_until=datetime.date(2026, 1, 31)
        )

        assert citations.read_sources([one.as_record()]) == [one]
        assert "publisher" not in one.as_record()
