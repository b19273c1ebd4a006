import pytest

from annotation.queries import text_search
from annotation.rules import searching
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
