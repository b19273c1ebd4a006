import pytest

from annotation.people.models import Role
from annotation.search import queries as text_search
from annotation.search import rules as searching
from annotation.sources import operations as sources
from tests import make

pytestmark = pytest.mark.django_db


def found(words: str) -> list[str]:
    rows = text_search.questions(make.project(), searching.folded(words))
    return [one.question.external_id for one in rows.select_related("question")]


@pytest.fixture
def bank():
    text = make.question_text("What does FCA mean?", "Free carrier, 100 % of it_all.")
    make.question_version("DRAFT", external_id="LG-1", text=text)
    turns = [
        {"role": "user", "content": "海运提单是什么？"},
        {"role": "assistant", "content": "A title."},
        {"role": "user", "content": "And a waybill?"},
    ]
    make.question_version("DRAFT", external_id="LG-2", text=make.question_text(turns=turns))


class TestQuestions:
    @pytest.mark.parametrize(
        ("words", "ids"),
        [
            ("fca", ["LG-1"]),
            ("FREE  CARRIER", ["LG-1"]),
            ("ca", ["LG-1"]),
            ("ＦＣＡ", ["LG-1"]),
            ("提单", ["LG-2"]),
            ("单", ["LG-2"]),
            ("A title", ["LG-2"]),
            ("waybill", ["LG-2"]),
            ("lg-", ["LG-2", "LG-1"]),
            ("100 %", ["LG-1"]),
            ("t_a", ["LG-1"]),
            ("t%a", []),
            ("nowhere", []),
        ],
    )
    def test_have_the_words_in_id_turns_or_answer(self, bank, words, ids):
        assert found(words) == ids

    def test_are_of_one_project(self, bank):
        south = make.project("southgate")
        make.question_version("DRAFT", in_=south, external_id="SG-1")

        assert found("sg-1") == []


class TestCounts:
    def test_are_those_of_what_is_found(self):
        author = make.member(Role.DESIGNER)
        made = make.question_version("DRAFT", author=author)
        project, asked = made.question.project, searching.sought("handbook")
        limits = text_search.Limits({"QUESTION", "SOURCE"}, None)

        counts = text_search.counts(project, asked, limits)

        assert counts == text_search.found_texts(project, asked, limits).counts
        assert counts == {"SOURCE": 1}

    def test_are_unknown_where_there_are_too_many(self):
        first, second = (
            make.source_version(title).source for title in ("Handbook 1", "Handbook 2")
        )
        asked, limits = searching.sought("handbook"), text_search.Limits({"SOURCE"}, None)

        assert text_search.counts(first.project, asked, limits, most=1) is None
        assert second.project == first.project


class TestTogether:
    def test_finds_what_the_index_has_no_place_for(self):
        """PostgreSQL keeps 255 places of a word: behind them it is looked into the text."""
        text = "bill lading " * 300 + "bill of lading"
        made = sources.add_version(
            source=make.source_version("Handbook").source,
            said=sources.SourceSaid(text=text),
            by=make.member(Role.DESIGNER),
            now=make.NOW,
        )
        limits = text_search.Limits({"SOURCE"}, None)

        def found(words):
            return text_search.found_texts(
                made.source.project, searching.sought(words), limits
            ).hits

        assert [one.of for one in found('"bill of lading"')] == [made.source_id]
        assert found('"of bill"') == []
