import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.claims import Certainty
from scoring.stats.plain import Reason, plain
from scoring.stats.scores import groups
from tests.scoring.ratings import frame_of, rated

LEFT, RIGHT = ("l1", "l2", "l3"), ("r1", "r2", "r3")
BOTH = {"left": LEFT, "right": RIGHT}


def one_cell(marks, *, release="A", top=10):
    """Grades of a response to each question: by question a mark of each rater."""
    return [
        rated(f"q{k}", mark, rater=rater, release=release, response=f"{k}{release}", top=top)
        for k, by in enumerate(marks)
        for rater, mark in by.items()
    ]


def apart(records, groups_=BOTH, **more):
    return groups.group_differences(frame_of(records), groups_, **more)


def simulated(rng, *, n=12, sizes=(3, 3), share=1.0, spread=0.3, steps=True):
    """Two groups drawn alike grade two systems; returns the frame and what these annotators differ by."""
    n_raters = sum(sizes)
    severity = rng.normal(0, spread, n_raters)
    off = severity[:, None] + rng.normal(0, spread / 2, (n_raters, 2))
    names = [*(f"l{i}" for i in range(sizes[0])), *(f"r{i}" for i in range(sizes[1]))]
    records = []
    for k in range(n):
        at = rng.normal(0, 0.6) + rng.normal(0, 0.4, 2)
        own, by_group = rng.normal(0, 0.2, n_raters), rng.normal(0, 0.2)
        for system in range(2):
            for i in np.flatnonzero(rng.random(n_raters) < share):
                eta = at[system] + off[i, system] + own[i] + by_group * (i < sizes[0])
                eta += rng.normal(0, 0.6)
                value = float(np.clip(np.round(1.5 + eta), 0, 3)) if steps else 1.5 + eta / 4
                records.append(
                    rated(
                        f"q{k}",
                        value,
                        rater=names[i],
                        release=f"s{system}",
                        response=f"{k}{system}",
                    )
                )
    mean = off.mean(axis=1)
    truth = (mean[: sizes[0]].mean() - mean[sizes[0] :].mean()) / 12
    return frame_of(records), {"l": names[: sizes[0]], "r": names[sizes[0] :]}, truth


class TestDifferencesOfGroups:
    def test_of_two_raters_are_a_paired_t_test(self):
        x, y = [7, 9, 4, 6, 8, 5, 9], [5, 8, 5, 4, 5, 5, 6]
        found = apart(
            one_cell([{"l1": a, "r1": b} for a, b in zip(x, y, strict=True)]),
            {"left": ["l1"], "right": ["r1"]},
        )

        (one,) = found.overall
        known = stats.ttest_rel(x, y)
        ends = known.confidence_interval(0.95)
        assert float(one.value) == pytest.approx(1 / 7)
        assert one.these.p == pytest.approx(known.pvalue)
        assert [one.these.low, one.these.high] == pytest.approx([ends.low / 10, ends.high / 10])
        assert one.others.interval_reason is Reason.FEW_IN_GROUP
        assert one.certainty is Certainty.LIKELY

    def test_for_others_have_the_variance_of_annotators_by_hand(self):
        # Annotators are 1, 2, 3 apart and 0 apart; every question adds the same to all but one grade.
        lift = [0, 3, 1, 4, 2, 5]
        marks = [
            {"l1": 3 + up, "l2": 4 + up, "l3": 5 + up, "r1": 2 + up, "r2": 2 + up, "r3": 2 + up}
            for up in lift
        ]
        marks[0]["l1"] += 1
        (one,) = apart(one_cell(marks)).overall

        assert float(one.value) == pytest.approx(0.2 + 0.1 / 18)
        # Of the left, less the right's mean: their means are 7/6, 2, 3 of ten.
        layout = np.array(
            [[m[name] - 2 - up for name in LEFT] for m, up in zip(marks, lift, strict=True)]
        )
        between = 6 * layout.mean(axis=0).var(ddof=1)
        centred = layout - layout.mean(axis=0) - layout.mean(axis=1, keepdims=True) + layout.mean()
        rater = (between - (centred**2).sum() / 10) / 6
        cells = layout.mean(axis=1)
        whole = cells.var(ddof=1) / 6 + rater / 3
        loss = (cells.var(ddof=1) / 6) ** 2 / 5 + (between / 6 / 3) ** 2 / 2
        half = stats.t.ppf(0.975, whole**2 / loss) * whole**0.5 / 10
        assert one.others.high - float(one.value) == pytest.approx(half, rel=1e-2)

    def test_leave_out_what_only_one_group_graded_and_whoever_is_in_both(self):
        both = [{"l1": 6, "l2": 5, "r1": 4, "r2": 2 + k % 3} for k in range(8)]
        more = [{"l1": 9, "l2": 9}, {"r1": 0}, {"x": 10}]
        known = {"left": ["l1", "l2"], "right": ["r1", "r2"]}
        found = apart(one_cell(both), known)

        assert apart(one_cell([*both, *more]), known) == found
        crossed = [{**one, "x": 10} for one in both]
        assert (
            apart(one_cell(crossed), {name: [*members, "x"] for name, members in known.items()})
            == found
        )

    def test_tell_systems_apart_and_correct_for_all_of_them(self):
        mild = one_cell(
            [{"l1": 8 + k % 2, "l2": 8, "r1": 4, "r2": 4 + k % 3 % 2} for k in range(9)]
        )
        same = one_cell(
            [{"l1": k % 3, "l2": 1, "r1": 1, "r2": k % 3 + k % 2} for k in range(9)], release="B"
        )
        found = apart([*mild, *same], {"left": ["l1", "l2"], "right": ["r1", "r2"]})

        a, b = found.systems
        assert (a.release, b.release) == ("A", "B")
        assert float(a.value) > 0.35
        assert float(b.value) == pytest.approx(-0.2 / 9)
        assert a.these.p_holm == pytest.approx(min(1, 2 * a.these.p))
        assert found.overall[0].n_responses == a.n_responses + b.n_responses == 18
        assert json.dumps(plain(found), allow_nan=False)

    def test_say_why_there_are_none(self):
        nothing = apart(one_cell([{"l1": 1}, {"r1": 2}])).overall[0]
        few = apart(one_cell([{"l1": 1, "r1": 2 + k % 2} for k in range(5)])).overall[0]
        flat = apart(one_cell([{"l1": 1, "r1": 2} for _k in range(9)])).overall[0]

        assert (nothing.value, nothing.reason) == (None, Reason.NO_OVERLAP)
        assert few.these.interval_reason is Reason.UNDER_SIX
        assert flat.these.interval_reason is Reason.NO_SPREAD
        assert float(flat.value) == pytest.approx(-0.1)

    @pytest.mark.parametrize("wrong", [{"margin": 0}, {"level": 1}])
    def test_refuse_a_margin_and_a_level_that_are_none(self, wrong):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            apart(one_cell([{"l1": 1, "r1": 1}]), **wrong)

    @settings(max_examples=25)
    @given(st.integers(0, 10_000))
    def test_turn_round_with_the_groups_and_with_no_order_of_rows(self, seed):
        ratings, known, _truth = simulated(np.random.default_rng(seed), n=8, share=0.7)
        found = groups.group_differences(ratings, known).overall[0]
        turned = groups.group_differences(
            ratings.sample(frac=1, random_state=seed), dict(reversed(known.items()))
        ).overall[0]

        assert float(turned.value) == pytest.approx(-float(found.value))
        for claim in ("these", "others"):
            one, other = getattr(found, claim), getattr(turned, claim)
            assert one.interval_reason == other.interval_reason
            if one.low is not None:
                assert [other.low, other.high] == pytest.approx([-one.high, -one.low])
        if found.others.low is not None:
            width = [one.high - one.low for one in (found.these, found.others)]
            assert width[1] >= 0.9 * width[0]

    @pytest.mark.parametrize(
        ("sizes", "n", "share"), [((2, 2), 8, 1.0), ((2, 4), 30, 0.6), ((3, 6), 12, 1.0)]
    )
    def test_have_intervals_that_hold_what_other_annotators_would_find(self, sizes, n, share):
        rng, held = np.random.default_rng(1), []
        for _trial in range(120):
            ratings, known, _truth = simulated(rng, n=n, sizes=sizes, share=share)
            (one,) = groups.group_differences(ratings, known).overall
            if one.others.low is not None:
                held.append(one.others.low <= 0 <= one.others.high)

        assert len(held) > 100
        assert np.mean(held) + 2.6 * (0.95 * 0.05 / len(held)) ** 0.5 >= 0.95

    def test_have_intervals_that_hold_what_these_annotators_differ_by(self):
        rng, held = np.random.default_rng(2), []
        for _trial in range(150):
            ratings, known, truth = simulated(rng, n=10, steps=False)
            (one,) = groups.group_differences(ratings, known).overall
            held.append(one.these.low <= truth <= one.these.high)

        assert np.mean(held) >= 0.95 - 2.6 * (0.95 * 0.05 / 150) ** 0.5
