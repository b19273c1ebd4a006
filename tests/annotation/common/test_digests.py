import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import texts as digests

VECTORS = json.loads(
    Path(__file__).parents[3].joinpath("fixtures/examples/digest_vectors.json").read_text("utf-8")
)


def rows_of(vector):
    return [(letter, key, Decimal(value)) for letter, key, value in vector["rows"]]


class TestGradesDigest:
    @pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
    def test_agrees_with_the_vectors_the_browser_is_tested_with(self, vector):
        assert digests.canonical_grades(rows_of(vector)) == vector["canonical"]
        assert digests.grades_digest(rows_of(vector)) == vector["digest"]

    @given(
        st.lists(
            st.tuples(
                st.sampled_from("ABCDEFGH"),
                st.text(st.characters(codec="utf-8")),
                st.decimals(-9, 9, places=2),
            )
        ).flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows)))
    )
    def test_does_not_see_the_order_of_rows(self, pair):
        rows, turned = pair

        assert digests.grades_digest(rows) == digests.grades_digest(turned)

    def test_does_not_see_how_a_number_was_written(self):
        assert digests.grades_digest([("A", "c", Decimal("2.0"))]) == digests.grades_digest(
            [("A", "c", Decimal(2))]
        )

    def test_sees_every_change(self):
        shas = {
            digests.grades_digest([row])
            for row in [("A", "c", Decimal(1)), ("B", "c", Decimal(1)), ("A", "d", Decimal(1))]
        }

        assert len(shas) == 3
