from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.files import scores
from annotation.files.cells import FileProblem, FileRecord, Unfit
from annotation.files.mappings import ColumnTarget
from annotation.files.scores import ScoreMapping, ScoresReader
from annotation.files.values import ValueReader

WHO = (ColumnTarget("i", "item"), ColumnTarget("s", "system"))
WIDE = (
    *WHO,
    ColumnTarget("r", "score", rater="rouge"),
    ColumnTarget("j_c", "score", "", "", "j", "coh"),
)
LONG = (
    *WHO,
    ColumnTarget("j", "rater"),
    ColumnTarget("c", "criterion"),
    ColumnTarget("v", "value"),
    ColumnTarget("o", "outcome"),
    ColumnTarget("w", "reason"),
    ColumnTarget("t", "text"),
    ColumnTarget("at", "at"),
    ColumnTarget("n", "sample_no"),
)


def read(places, cells, ordinal=0, **options):
    mapping = ScoreMapping(places, (), **options)
    return ScoresReader(mapping).read(FileRecord(2, {"i": "Q1", "s": "K", **cells}), ordinal)


def codes(row):
    return [(one.code, one.column) for one in row.problems]


class TestReader:
    def test_reads_a_wide_row(self):
        row = read(WIDE, {"r": "0.41894", "j_c": 4}, ordinal=10)

        assert [(one.number, one.rater, one.criterion, one.value) for one in row.scores] == [
            (21, "rouge", "score", 0.41894),
            (22, "j", "coh", 4.0),
        ]

    @pytest.mark.parametrize("cell", ["", None, "NA", "nan", "N/A", "null", "-", " "])
    def test_takes_what_is_missing_as_no_score(self, cell):
        row = read(WIDE, {"r": cell, "j_c": 4})

        assert (len(row.scores), row.n_empty, row.problems) == (1, 1, [])

    def test_tells_a_word_that_is_no_number_and_leaves_it_out(self):
        row = read(WIDE, {"r": "good", "j_c": "4;5"})

        assert row.scores == []
        assert codes(row) == [("no_score", "r"), ("no_score", "j_c")]

    def test_keeps_a_failure_that_stands_in_a_cell(self):
        row = read(WIDE, {"r": "refused", "j_c": "Error"})

        assert [(one.outcome, one.value, one.reason) for one in row.scores] == [
            ("REFUSED", None, "refused"),
            ("UNSCORED", None, "Error"),
        ]

    def test_reads_a_long_row(self):
        cells = {"j": "gpt", "c": "coh", "v": "4.5", "t": "Well.", "at": "2026-03-10", "n": 2}
        row = read(LONG, cells)

        (one,) = row.scores
        assert (one.number, one.rater, one.criterion, one.value, one.text) == (
            1,
            "gpt",
            "coh",
            4.5,
            "Well.",
        )
        assert one.at == datetime(2026, 3, 10, tzinfo=UTC)
        assert row.sample_no == 2

    @pytest.mark.parametrize(
        ("cells", "outcome", "reason"),
        [
            ({"o": "refused"}, "REFUSED", "refused"),
            ({"o": "error", "w": "timeout after 60 s"}, "UNSCORED", "timeout after 60 s"),
            ({"o": "Parse error", "v": "nan"}, "UNSCORED", "Parse error"),
            ({"o": "skipped", "w": "too long"}, "SKIPPED", "too long"),
            ({"w": "no reply"}, "UNSCORED", "no reply"),
        ],
    )
    def test_keeps_a_failure_with_its_reason(self, cells, outcome, reason):
        row = read(LONG, {"j": "gpt", **cells})

        (one,) = row.scores
        assert (one.outcome, one.value, one.reason) == (outcome, None, reason)
        assert row.problems == []

    def test_never_counts_a_number_beside_a_failure(self):
        row = read(LONG, {"j": "gpt", "v": "0", "o": "error"})

        assert (row.scores[0].value, row.scores[0].outcome) == (None, "UNSCORED")
        assert [(one.code, one.warning) for one in row.problems] == [("score_of_failure", True)]

    def test_leaves_a_row_without_score_and_outcome_out(self):
        row = read(LONG, {"j": "gpt", "v": ""})

        assert (row.scores, row.n_empty, row.problems) == ([], 1, [])

    def test_tells_everything_that_is_wrong(self):
        cells = {"i": "", "j": "", "v": "x", "o": "perhaps", "at": "never", "n": 0, "new": 1}

        assert codes(read(LONG, cells)) == [
            ("new_column", "new"),
            ("empty_cell", "i"),
            ("no_whole_number", "n"),
            ("empty_cell", "j"),
            ("unknown_outcome", "o"),
            ("no_moment", "at"),
            ("no_score", "v"),
        ]
        assert codes(read(LONG, {"j": "gpt", "o": "ok"})) == [("scored_without_score", "v")]

    def test_names_the_machine_for_the_whole_file(self):
        places = tuple(place for place in LONG if place.target != "rater")

        assert read(places, {"v": "1"}, rater="gpt").scores[0].rater == "gpt"

    def test_takes_words_for_their_numbers(self):
        row = read(WIDE, {"r": "a BETTER", "j_c": "-"}, words={"A better": "1", "-": "0"})

        assert [(one.value, one.label) for one in row.scores] == [(1.0, "A better"), (0.0, "-")]

    def test_hands_the_problems_of_a_broken_row_on(self):
        broken = FileRecord(2, {}, (FileProblem("broken_json", 2),))

        assert codes(ScoresReader(ScoreMapping(WIDE)).read(broken, 0)) == [("broken_json", "")]


class TestAWideRow:
    def test_beside_a_column_of_judges_is_of_criteria(self):
        places = (
            ColumnTarget("i", "item"),
            ColumnTarget("s", "system"),
            ColumnTarget("j", "rater"),
            ColumnTarget("depth", "score", criterion="depth"),
        )
        record = FileRecord(2, {"i": "Q1", "s": "K", "j": "gpt", "depth": 3})

        (score,) = scores.ScoresReader(ScoreMapping(places)).read(record, 0).scores

        assert (score.rater, score.criterion, score.value) == ("gpt", "depth", 3)

    def test_beside_a_column_of_criteria_is_of_judges(self):
        places = (
            ColumnTarget("i", "item"),
            ColumnTarget("s", "system"),
            ColumnTarget("c", "criterion"),
            ColumnTarget("gpt", "score", rater="gpt"),
        )
        record = FileRecord(2, {"i": "Q1", "s": "K", "c": "depth", "gpt": 3})

        (score,) = scores.ScoresReader(ScoreMapping(places)).read(record, 0).scores

        assert (score.rater, score.criterion) == ("gpt", "depth")


class TestReadValue:
    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_keeps_every_number(self, number):
        found = scores.read_value(repr(number), {}, ValueReader())

        assert found is not None
        assert found[1] == number

    @pytest.mark.parametrize("written", ["1e999", "inf", "0x1", "1_0", "5/0", "scored"])
    def test_refuses_what_is_no_number(self, written):
        with pytest.raises(Unfit, match="no_score"):
            scores.read_value(written, {}, ValueReader())

    @pytest.mark.parametrize(
        ("written", "number"), [("85%", 0.85), ("9/10", 0.9), (True, 1), (False, 0), ("false", 0)]
    )
    def test_reads_shares_and_truths(self, written, number):
        assert scores.read_value(written, {}, ValueReader()) == (
            "SCORED",
            number,
            str(written).lower(),
            "",
        )

    def test_reads_letters_where_a_person_says_so(self):
        values = ValueReader({"letters": "yes"})

        read = [scores.read_value(letter, {}, values) for letter in "CIPN"]
        assert [one[1] for one in read if one] == [1, 0, 0.5, 0]


class TestSurvey:
    def test_finds_machines_ranges_words_and_criteria(self):
        records = [
            FileRecord(2, {"i": "Q1", "s": "K", "j": "gpt", "c": "coh", "v": 4}),
            FileRecord(3, {"i": "Q2", "s": "K", "j": "gpt", "c": "flu", "v": "1.5"}),
            FileRecord(4, {"i": "Q2", "s": "K", "j": "duel", "c": "", "v": "tie"}),
        ]
        found = scores.survey(records, ScoreMapping(LONG))

        assert list(found) == ["gpt", "duel"]
        assert (found["gpt"].low, found["gpt"].high) == (1.5, 4.0)
        assert list(found["gpt"].criteria) == ["coh", "flu"]
        assert list(found["duel"].words) == ["tie"]

    def test_knows_columns_in_which_nothing_stands(self):
        assert list(scores.survey([], ScoreMapping(WIDE))) == ["rouge", "j"]
        words = scores.survey(
            [FileRecord(2, {"i": "Q1", "s": "K", "r": "tie"})], ScoreMapping(WIDE)
        )
        assert list(words["rouge"].words) == ["tie"]
