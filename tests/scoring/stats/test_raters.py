import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.people import disputes, raters
from scoring.stats.plain import Reason, plain
from tests.scoring.ratings import frame_of, rated

START = datetime(2026, 3, 2, tzinfo=UTC)


def graded(k, value, rater="x", release="A", **more):
    return rated(
        f"q{k}",
        value,
        rater=rater,
        release=release,
        response=f"{k}{release}",
        item=f"q{k}",
        **{"at": START + timedelta(minutes=k)} | more,
    )


class TestRetest:
    def test_by_hand(self):
        records = [
            graded(k, value, occasion=occasion, rater="x")
            for k, (one, two) in enumerate([(0, 0), (3, 0), (1, 2), (2, 2)])
            for occasion, value in ((1, one), (2, two))
        ]
        (found,) = raters.retest(frame_of(records))

        assert (found.n_pairs, found.same) == (4, 0.5)
        assert found.apart == pytest.approx(4 / 3 / 4)
        assert found.shift == pytest.approx(-2 / 3 / 4)

    def test_of_nothing_twice_has_a_reason(self):
        (found,) = raters.retest(frame_of([graded(1, 1)]))

        assert (found.n_pairs, found.reason) == (0, Reason.NO_REPEATS)

    def test_of_nothing_twice_where_repeats_were_drawn_says_that_they_were_not_met(self):
        (found,) = raters.retest(frame_of([graded(1, 1)]), drawn=True)

        assert (found.n_pairs, found.reason) == (0, Reason.NOT_MET_AGAIN)

    @settings(max_examples=25)
    @given(st.lists(st.integers(0, 3), min_size=1, max_size=10))
    def test_of_the_same_again_is_perfect(self, values):
        records = [graded(k, v, occasion=n) for k, v in enumerate(values) for n in (1, 2)]
        (found,) = raters.retest(frame_of(records))

        assert (found.same, found.apart) == (1, 0)


def course(n, slope, seed=0):
    """Return grades of x, who moves by `slope` from first to last, beside two steady raters."""
    rng = np.random.default_rng(seed)
    records = []
    for k in range(n):
        true = rng.integers(20, 80)
        for rater, shift in (("x", 100 * slope * (k / (n - 1) - 0.5)), ("y", 0), ("z", 0)):
            mark = float(true + shift + rng.normal(0, 3))
            records.append(graded(k, mark, rater=rater, top=100))
    return frame_of(records)


def steady(seed, n=24, n_raters=4):
    """Return grades of people who stay as they are; what a question is to them moves all of it."""
    rng = np.random.default_rng(seed)
    records = []
    for k in range(n):
        at = START + timedelta(minutes=k // 3)
        own = rng.normal(0, 12, n_raters)
        for release in "ABCD":
            marks = 50 + own + rng.normal(0, 5, n_raters)
            records += [
                graded(k, float(mark), rater=f"r{place}", release=release, top=200, at=at)
                for place, mark in enumerate(marks)
            ]
    return frame_of(records)


class TestDrift:
    def test_comes_back_as_it_was_planted(self):
        found = {one.rater: one for one in raters.drift(course(80, 0.2))}["x"]

        assert found.slope == pytest.approx(0.2, abs=0.03)
        assert found.low is not None
        assert found.low > 0.1
        assert found.p is not None
        assert found.p < 0.01
        assert found.course[-1] == pytest.approx(0, abs=1e-9)

    def test_is_not_found_where_there_is_none(self):
        ps = [raters.drift(course(30, 0.0, seed))[0].p for seed in range(40)]

        assert sum(p is not None and p < 0.05 for p in ps) <= 6

    def test_accuses_a_steady_annotator_in_one_round_of_twenty_at_most(self):
        # What is a question's moves all of a rater's grades of it, and three come at one time.
        found = [raters.drift(steady(seed), permutations=200) for seed in range(150)]
        accused = sum(any(one.p_bh <= 0.05 for one in round_) for round_ in found)

        assert accused / 150 <= 0.05 + 2.6 * (0.05 * 0.95 / 150) ** 0.5

    @pytest.mark.parametrize("backwards", [False, True])
    def test_does_not_depend_on_the_order_of_what_was_given_at_one_time(self, backwards):
        rows = steady(1)
        other = rows.iloc[::-1] if backwards else rows.sample(frac=1, random_state=1)
        one, two = raters.drift(rows), raters.drift(other)

        assert [each.p for each in one] == [each.p for each in two]
        assert [each.slope for each in one] == pytest.approx([each.slope for each in two])

    def test_is_corrected_for_the_number_of_annotators(self):
        found = raters.drift(course(40, 0.05))
        ps = sorted(one.p or 0.0 for one in found)
        bounds = [p * 3 / (n + 1) for n, p in enumerate(ps)]

        assert sorted(one.p_bh or 0.0 for one in found) == pytest.approx(
            [min(1, *bounds[n:]) for n in range(3)]
        )

    def test_over_very_many_grades_is_told_by_its_limit(self, monkeypatch):
        rows = course(300, 0.0, 3)
        exact = raters.drift(rows, permutations=4_000)[0]
        monkeypatch.setattr(raters, "MANY", 100)

        found = raters.drift(rows)[0]

        assert found.p == pytest.approx(exact.p, abs=0.06)
        assert (found.n_grades, len(found.course)) == (300, raters.COURSE)
        assert found.course[-1] == pytest.approx(0, abs=1e-9)

    def test_of_few_grades_has_a_reason(self):
        assert {one.reason for one in raters.drift(course(4, 0.1))} == {Reason.FEW_GRADES}

    def test_of_marks_that_never_part_is_nothing(self):
        records = [graded(k, 1, rater=rater) for k in range(10) for rater in ("x", "y")]
        found = raters.drift(frame_of(records))[0]

        assert (found.slope, found.reason) == (0.0, Reason.NO_SPREAD)


def placed(n, effect, seed=0):
    rng = np.random.default_rng(seed)
    records = []
    for k in range(n):
        order = rng.permutation(4)
        for release, place in zip("ABCD", order, strict=True):
            mark = 50 + 100 * effect * (place == 0) + rng.normal(0, 10)
            records.append(graded(k, mark, release=release, position="ABCD"[place], top=100))
    return frame_of(records)


class TestPositionEffect:
    def test_is_found_where_it_was_planted(self):
        found = raters.position_effect(placed(60, 0.1))

        assert found.positions[0].mean == pytest.approx(0.1 * 3 / 4, abs=0.03)
        assert found.positions[0].low is not None
        assert found.positions[0].low > 0
        assert found.p is not None
        assert found.p < 0.001
        assert json.dumps(plain(found))

    def test_is_not_found_where_there_is_none(self):
        ps = [raters.position_effect(placed(40, 0, seed)).p for seed in range(30)]

        assert sum(p is not None and p < 0.05 for p in ps) <= 5

    def test_of_one_position_has_a_reason(self):
        assert (
            raters.position_effect(frame_of([graded(1, 1, position="A")])).reason
            is Reason.NO_POSITIONS
        )

    def test_has_no_p_where_nothing_spreads(self):
        records = [
            graded(k, 1, release=release, position=release) for k in range(5) for release in "AB"
        ]

        assert raters.position_effect(frame_of(records)).p is None


class TestPace:
    def test_counts_a_seat_once_and_flags_the_fast(self):
        records = [
            graded(k, 1, release=release, active_ms=ms, capability="k1")
            for k, ms in enumerate([60_000, 60_000, 70_000, 10_000])
            for release in "AB"
        ]
        (found,) = raters.pace(frame_of(records))

        assert (found.n_seats, found.median, found.n_fast) == (4, 60.0, 1)

    def test_of_no_times_is_nothing(self):
        assert raters.pace(frame_of([graded(1, 1)])) == ()

    @settings(max_examples=25)
    @given(st.lists(st.integers(1, 10**6), min_size=1, max_size=12))
    def test_keeps_the_quartiles_in_order(self, times):
        records = [graded(k, 1, active_ms=ms, capability=None) for k, ms in enumerate(times)]
        for one in raters.pace(frame_of(records)):
            assert one.low <= one.median <= one.high
            assert one.capability is None


class TestTempo:
    def test_stands_beside_how_often_somebody_is_alone(self):
        records = [
            graded(k, value, rater=rater, active_ms=ms, pass_at=1)
            for k in range(4)
            for rater, value, ms in (
                ("x", 0 if k < 3 else 1, 10_000 * (k + 1)),
                ("y", 1, 60_000),
                ("z", 1, 90_000),
            )
        ]
        frame = frame_of(records)

        found = {one.rater: one for one in raters.tempo(frame, disputes.disputes(frame))}

        assert (found["x"].seconds, found["x"].n_seats) == (25.0, 4)
        assert (found["x"].alone, found["x"].n_graded) == (0.75, 4)
        assert [found[name].alone for name in "yz"] == [0, 0]

    def test_of_no_times_is_nothing(self):
        frame = frame_of([graded(1, 1)])

        assert raters.tempo(frame, disputes.disputes(frame)) == ()


class TestWald:
    def test_needs_enough_draws_and_questions(self):
        value, means = np.array([0.1, 0.2, 0.3]), np.random.default_rng(1).normal(size=(200, 3))

        assert raters._wald(value, means[:50], 40) is None
        assert raters._wald(value, means, 2) is None
        assert raters._wald(value, means, 40) is not None
