from itertools import islice

import pytest

from annotation.common import texts as contents
from annotation.imports.questions import Finder
from tests import make, planted

pytestmark = pytest.mark.django_db


def like(finder, line, text, answer=""):
    return finder.like(line, f"F{line}", contents.as_messages(text), answer)


class TestFinder:
    def test_finds_what_the_bank_asks(self):
        make.question_version("DRAFT", external_id="B-1")

        found = like(Finder(make.project()), 2, "What is the bill of LADING?")

        assert (found.external_id, found.line) == ("B-1", None)
        assert found.percent > 90

    def test_finds_what_an_earlier_row_asks(self):
        finder = Finder(make.project())

        assert like(finder, 2, "Who pays demurrage in a port of call?") is None
        assert like(finder, 3, "What is a quay?") is None
        assert like(finder, 4, "In a port of call, who pays demurrage?").line == 2

    def test_lets_other_answers_speak_against_it(self):
        finder = Finder(make.project())
        like(
            finder, 2, "Who pays the freight to the port named under this term?", "The buyer does."
        )

        assert like(
            finder, 3, "Who pays the freight to the port named under that term?", "Nobody, ever"
        )

    def test_keeps_to_its_project(self):
        make.question_version("DRAFT", external_id="B-1")

        assert like(Finder(make.project("southgate")), 2, "What is a bill of lading?") is None

    def test_finds_nine_of_ten_planted_pairs_and_hardly_others(self):
        made = list(islice(planted.questions("likenesses"), 300))
        pairs = planted.pairs(made, 60, "pairs")
        finder = Finder(make.project())

        false = [one for line, one in enumerate(made) if like(finder, line, one.text)]
        found = [like(finder, 1000 + n, one.text) for n, one in enumerate(pairs)]
        right = [
            one.line is not None and one.line < 1000 and made[one.line].subject == pair.subject
            for one, pair in zip(found, pairs, strict=True)
            if one
        ]

        assert sum(right) >= 54
        assert len(false) <= 6
