import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import diffs
from annotation.common.diffs import DiffRun, RunFate

VECTORS = json.loads(
    Path(__file__).parents[3].joinpath("fixtures/examples/diff_vectors.json").read_text("utf-8")
)
PROSE = st.lists(st.sampled_from(["the", "box", "ship", "port", "货", "港", ".", "20"])).map(
    " ".join
)


def side(runs, left_out):
    return "".join(run.text for run in runs if run.kind != left_out)


class TestBetween:
    @pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
    def test_agrees_with_the_vectors_the_browser_is_tested_with(self, vector):
        runs = diffs.between(vector["before"], vector["after"])

        assert [[run.kind, run.text] for run in runs] == vector["runs"]

    @given(PROSE, PROSE)
    def test_loses_no_sign_of_either_text(self, before, after):
        runs = diffs.between(before, after)

        assert side(runs, RunFate.NEW) == before
        assert side(runs, RunFate.GONE) == after

    @given(st.text())
    def test_finds_nothing_where_nothing_changed(self, text):
        assert diffs.between(text, text) == ((DiffRun(RunFate.SAME, text),) if text else ())

    @pytest.mark.timeout(10)
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("a. " * 20_000, "b. a. " * 20_000),
            ("ab " * 30_000, "ba ab " * 30_000),
            (
                " ".join(str(n) for n in range(30_000)),
                " ".join(str(n * 7) for n in range(30_000)),
            ),
            (
                ". ".join(str(n) for n in range(30_000)),
                ". ".join(str(n) for n in range(30_000, 0, -1)),
            ),
        ],
    )
    def test_keeps_nobody_waiting_for_texts_that_are_made_to_be_slow(self, before, after):
        runs = diffs.between(before, after)

        assert "".join(one.text for one in runs if one.kind != RunFate.NEW) == before
        assert "".join(one.text for one in runs if one.kind != RunFate.GONE) == after

    def test_takes_long_texts_sentence_by_sentence(self):
        before = [f"Box {n} stands in row {n % 7} of the yard. " for n in range(4000)]
        after = [*before[:10], "A new one. ", *before[10:3000], *before[3001:]]
        after[0] = "Crate 0 stands in row 0 of the yard. "
        began = time.perf_counter()

        runs = diffs.between("".join(before), "".join(after))

        assert time.perf_counter() - began < 10
        assert [run for run in runs if run.kind != RunFate.SAME] == [
            DiffRun(RunFate.GONE, "Box"),
            DiffRun(RunFate.NEW, "Crate"),
            DiffRun(RunFate.NEW, "A new one. "),
            DiffRun(RunFate.GONE, before[3000]),
        ]

    def test_gives_up_on_words_where_everything_changed_in_a_long_text(self):
        before, after = "a " * 3000, "b " * 3000

        runs = diffs.between(before, after)

        assert runs == (DiffRun(RunFate.GONE, before), DiffRun(RunFate.NEW, after))


class TestFields:
    def test_go_in_the_order_of_the_new_version(self):
        changes = diffs.fields({"old": "x", "answer": "20 t"}, {"question": "q", "answer": "25 t"})

        assert [(one.field, one.changed) for one in changes] == [
            ("question", True),
            ("answer", True),
            ("old", True),
        ]
        assert changes[1].before == (DiffRun(RunFate.GONE, "20"), DiffRun(RunFate.SAME, " t"))
        assert changes[1].after == (DiffRun(RunFate.NEW, "25"), DiffRun(RunFate.SAME, " t"))

    def test_say_that_a_field_is_as_it_was(self):
        assert [one.changed for one in diffs.fields({"a": "x"}, {"a": "x"})] == [False]


class TestReplaced:
    def test_pairs_what_is_gone_with_what_is_new(self):
        runs = diffs.between("Risk passes on board at 20 t.", "Risk passes at the quay at 25 t.")

        assert diffs.replaced(runs) == (("on board", "at the quay"), ("20", "25"))

    def test_leaves_spaces_out(self):
        assert diffs.replaced(diffs.between("a  b", "a b")) == ()

    def test_knows_what_was_only_added_or_only_taken_away(self):
        assert diffs.replaced(diffs.between("a b c", "b c d")) == (("a", ""), ("", "d"))
