import json

import numpy as np
import pytest

from scoring.stats.people import severity
from scoring.stats.plain import Reason, plain
from tests.scoring.ratings import frame_of, rated

PLANTED = (-1.0, -0.4, 0.0, 0.4, 1.0)


def simulated(*, n=150, seed=0, seats=3, top=3):
    """Grade two systems by the model; system A is seen by lenient raters more often."""
    rng = np.random.default_rng(seed)
    tau = np.linspace(-1, 1, top)
    records = []
    for k in range(n):
        for release, worth in (("A", 0.0), ("B", 0.0)):
            lean = np.array([5, 3, 1, 1, 1] if release == "A" else [1, 1, 1, 3, 5]) / 11
            at = rng.normal(worth, 1)
            for i in rng.choice(5, seats, replace=False, p=lean):
                chance = 1 / (1 + np.exp(-(at - PLANTED[i] - tau)))
                mark = int((rng.random() < chance).sum())
                records.append(
                    rated(
                        f"q{k}",
                        mark,
                        release=release,
                        response=f"{k}{release}",
                        rater=f"r{i}",
                        top=top,
                    )
                )
    return frame_of(records)


class TestSeverities:
    def test_come_back_as_they_were_planted(self):
        found = severity.severities(simulated(n=400))

        values = [one.severity for one in found.raters]
        assert values == pytest.approx(PLANTED, abs=0.25)
        assert sum(values) == pytest.approx(0, abs=1e-9)
        assert all(
            one.low < truth < one.high
            for one, truth in zip(found.raters[1:4], PLANTED[1:4], strict=True)
        )

    @pytest.mark.parametrize("seats", [2, 5])
    def test_have_intervals_that_hold_what_was_planted(self, seats):
        held = [
            one.low <= truth <= one.high
            for seed in range(30)
            for one, truth in zip(
                severity.severities(simulated(n=30, seed=seed, seats=seats)).raters,
                PLANTED,
                strict=True,
            )
        ]

        assert np.mean(held) + 2.6 * (0.92 * 0.08 / 30) ** 0.5 >= 0.92

    def test_of_two_raters_are_known_equally_well_whoever_graded_more(self):
        # Their severities less their mean are one number with two signs.
        records = [
            rated(f"q{k}", k % 3, rater=rater, response=f"{k}", top=3)
            for k in range(12)
            for rater in ("x", "y")
        ] + [rated(f"p{k}", k % 4, rater="x", response=f"p{k}", top=3) for k in range(20)]
        one, other = severity.severities(frame_of(records)).raters

        assert one.high - one.low == pytest.approx(other.high - other.low)

    def test_of_very_many_raters_have_nearly_the_same_intervals(self, monkeypatch):
        rows = simulated(n=60)
        exact = severity.severities(rows).raters
        monkeypatch.setattr(severity, "MOST_CENTRED", 0)
        found = severity.severities(rows).raters

        assert [one.high - one.low for one in found] == pytest.approx(
            [one.high - one.low for one in exact], rel=0.35
        )

    def test_of_groups_are_means_of_their_annotators(self):
        known = {
            "one": ["r0"],
            "mild": ["r0", "r1"],
            "all": [f"r{i}" for i in range(5)],
            "away": ["x"],
        }
        found = severity.severities(simulated(n=60), groups=known)

        one, mild, everybody = found.groups
        first, second = found.raters[:2]
        assert (one.severity, one.low, one.high, one.points) == pytest.approx(
            (first.severity, first.low, first.high, first.points)
        )
        assert mild.severity == pytest.approx((first.severity + second.severity) / 2)
        assert mild.high - mild.low < max(each.high - each.low for each in (first, second))
        assert (mild.n_raters, mild.n_grades) == (2, first.n_grades + second.n_grades)
        assert everybody.severity == pytest.approx(0, abs=1e-9)
        assert everybody.high - everybody.low == pytest.approx(0, abs=1e-6)

    @pytest.mark.parametrize("seats", [2, 5])
    def test_of_groups_have_intervals_that_hold_what_was_planted(self, seats):
        known = {"mild": ["r0", "r1"], "severe": ["r3", "r4"], "apart": ["r0", "r4"]}
        truth = {"mild": -0.7, "severe": 0.7, "apart": 0}
        held = [
            one.low <= truth[one.group] <= one.high
            for seed in range(40)
            for one in severity.severities(
                simulated(n=30, seed=seed, seats=seats), groups=known
            ).groups
        ]

        assert np.mean(held) + 2.6 * (0.95 * 0.05 / 40) ** 0.5 >= 0.95

    def test_of_groups_of_very_many_raters_are_nearly_as_sure(self, monkeypatch):
        rows, known = simulated(n=60), {"mild": ["r0", "r1"]}
        (exact,) = severity.severities(rows, groups=known).groups
        monkeypatch.setattr(severity, "MOST_CENTRED", 0)
        (found,) = severity.severities(rows, groups=known).groups

        assert found.high - found.low == pytest.approx(exact.high - exact.low, rel=0.5)

    def test_make_scores_fair(self):
        found = severity.severities(simulated(n=400))

        a, b = found.releases
        assert a.raw - b.raw > 0.08
        assert abs(a.fair - b.fair) < (a.raw - b.raw) / 2
        assert found.raters[0].points < 0 < found.raters[4].points
        assert json.dumps(plain(found), allow_nan=False)

    def test_do_not_depend_on_the_order_of_rows(self):
        ratings = simulated(n=40)

        one, other = (
            severity.severities(each) for each in (ratings, ratings.sample(frac=1, random_state=1))
        )

        assert [r.severity for r in one.raters] == pytest.approx(
            [r.severity for r in other.raters], abs=1e-7
        )

    def test_show_who_grades_at_random(self):
        ratings = simulated(n=200)
        noisy = (ratings["rater"] == "r2").to_numpy()
        ratings.loc[noisy, "value"] = np.random.default_rng(0).integers(0, 4, noisy.sum())

        misfit = {one.rater: one.misfit for one in severity.severities(ratings).raters}

        assert max(misfit, key=lambda rater: misfit[rater]) == "r2"

    def test_leave_out_open_scales(self):
        records = [
            rated("q", value, rater=rater, response="x", criterion=criterion, top=top)
            for criterion, top in (("c", 3), ("open", float("inf")))
            for rater, value in (("r1", 1), ("r2", 2))
        ]

        assert severity.severities(frame_of(records)).n_left_out == 2

    def test_of_a_criterion_with_one_used_level_are_all_the_same(self):
        records = [
            rated(f"q{k}", 1, rater=rater, response=f"q{k}")
            for k in range(3)
            for rater in ("a", "b")
        ]

        found = severity.severities(frame_of(records))

        assert [one.severity for one in found.raters] == pytest.approx([0, 0])
        assert found.releases[0].fair == pytest.approx(1 / 3)

    @pytest.mark.parametrize(
        ("records", "reason"),
        [
            ([rated("q", None)], Reason.NO_GRADES),
            ([rated("q", 1, response="x")], Reason.ONE_RATER),
            (
                [rated("q", 1, response="x", rater="a"), rated("k", 1, response="y", rater="b")],
                Reason.NO_OVERLAP,
            ),
        ],
    )
    def test_are_undefined_with_a_reason(self, records, reason):
        found = severity.severities(frame_of(records))

        assert (found.raters, found.reason) == ((), reason)


def test_labels_far_apart_are_numbered_in_their_order():
    code = np.array([10**9, 5, 10**9, 70])

    assert severity._dense(code).tolist() == [2, 0, 2, 1]
