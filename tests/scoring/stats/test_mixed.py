import numpy as np
import pytest

from scoring.stats.plain import Reason
from scoring.stats.scores import mixed
from tests.scoring.ratings import frame_of, rated

#: Shrout and Fleiss (1979), table 2: six targets by four judges.
SHROUT_FLEISS = (
    (9, 2, 5, 8),
    (6, 1, 3, 2),
    (8, 4, 6, 8),
    (7, 1, 2, 6),
    (10, 5, 6, 9),
    (6, 2, 4, 7),
)


def grades(*, systems=3, questions=12, raters=3, criteria=1, seed=0, own=8):
    """Marks from 0 to 100 that are sums of what everything brings; later systems are better."""
    rng = np.random.default_rng(seed)
    of_question, of_rater = rng.normal(0, 12, questions), rng.normal(0, 6, raters)
    of_both = rng.normal(0, own, (systems, questions))
    with_rater = rng.normal(0, 5, (systems, raters))
    return frame_of(
        [
            rated(
                f"q{k}",
                round(
                    40
                    + 5 * s
                    + 4 * c
                    + of_question[k]
                    + of_rater[r]
                    + of_both[s, k]
                    + with_rater[s, r]
                    + rng.normal(0, 6),
                    3,
                ),
                release=f"s{s}",
                rater=f"r{r}",
                response=f"s{s}q{k}",
                criterion=f"c{c}",
                top=100,
            )
            for s in range(systems)
            for k in range(questions)
            for r in range(raters)
            for c in range(criteria)
        ]
    )


def variances(found):
    return {one.name: one.variance for one in found.components}


class TestMixed:
    def test_has_the_published_variances_of_six_targets(self):
        rows = [
            rated(f"t{t}", mark, release=f"j{j}", rater="r", response=f"t{t}j{j}", top=10)
            for t, marks in enumerate(SHROUT_FLEISS)
            for j, mark in enumerate(marks)
        ]

        found = mixed.mixed(frame_of(rows))

        parts = variances(found)
        # Their ICC(3,1), of fixed judges, is .71; 2.56 and 1.02 are their mean squares, made variances.
        assert parts["question"] / (parts["question"] + parts["rest"]) == pytest.approx(
            0.7148, abs=1e-3
        )
        assert 100 * parts["question"] == pytest.approx(2.556, abs=0.005)
        assert 100 * parts["rest"] == pytest.approx(1.019, abs=0.005)
        assert [parts[name] for name in ("annotator", "system_question", "system_annotator")] == [
            None
        ] * 3

    def test_of_a_complete_design_has_the_plain_means(self):
        rows = grades(criteria=2)

        found = mixed.mixed(rows)

        plain = rows.groupby("release", observed=True)["value"].mean() / 100
        assert found.converged
        for one in found.systems:
            assert one.value == pytest.approx(plain[one.release], abs=1e-6)
            assert one.low < one.value < one.high
        first = found.differences[0]
        assert (first.left, first.right) == ("s0", "s1")
        assert first.value == pytest.approx(plain["s0"] - plain["s1"], abs=1e-6)

    def test_of_a_complete_design_has_the_variances_of_its_mean_squares(self):
        rows = grades(systems=3, questions=20, raters=4, seed=3)
        table = rows["value"].to_numpy().reshape(3, 20, 4) / 100

        found = variances(mixed.mixed(rows))

        by_system = table - table.mean(axis=(1, 2), keepdims=True)
        q, r = (by_system.mean(axis=axis, keepdims=True) for axis in (2, 1))
        rest = ((by_system - q - r) ** 2).sum() / (3 * 19 * 3)
        # Given the system: questions within it, common and own, as of Searle, Casella, McCulloch (1992).
        whole = 4 * (q**2).sum() / (3 * 19)
        both = found["question"] + found["system_question"]
        assert both == pytest.approx((whole - rest) / 4, rel=0.02)
        assert found["rest"] == pytest.approx(rest, rel=0.08)

    def test_corrects_for_harder_questions(self):
        rows = grades(systems=2, questions=40, seed=5, own=1)
        hard = rows.groupby("group", observed=True)["value"].mean() < rows["value"].mean()
        seen = ~((rows["release"] == "s1") & rows["group"].map(hard).astype(bool))
        alone = rows[seen]

        fitted = mixed.mixed(alone).differences[0].value
        plain = alone.groupby("release", observed=True)["value"].mean() / 100
        whole = mixed.mixed(rows).differences[0].value

        assert abs(fitted - whole) < abs((plain["s0"] - plain["s1"]) - whole) / 2

    @pytest.mark.parametrize(
        ("rows", "reason"),
        [
            (lambda: grades(systems=1), Reason.ONE_SYSTEM),
            (lambda: grades(questions=1), Reason.FEW_QUESTIONS),
            (lambda: grades().assign(value=50.0), Reason.ALL_THE_SAME),
            (lambda: grades().assign(value=np.nan), Reason.NO_GRADES),
            (lambda: grades(questions=170), Reason.TOO_MANY_GRADES),
        ],
    )
    def test_says_why_there_is_none(self, rows, reason):
        found = mixed.mixed(rows())

        assert (found.reason, found.systems, found.components) == (reason, (), ())

    def test_leaves_out_what_the_design_cannot_tell_apart(self):
        alone = variances(mixed.mixed(grades(raters=1)))

        assert alone["annotator"] is None
        assert alone["system_question"] is None
        assert alone["question"] > 0
