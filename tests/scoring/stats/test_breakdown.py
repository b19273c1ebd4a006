from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.plain import plain
from scoring.stats.scores import scores
from tests.scoring.ratings import frame_of, rated

TOP = 2
LEVELS, AREAS = ("easy", "hard", None), ("air", "sea", None)


def broken(records, **options):
    return scores.breakdown(frame_of(records), **options)


def values(found, figure="score"):
    """{(release, capability or group or None, *at): value}"""
    return {
        (one.score.release, one.group or one.capability, *one.at): one.score.value
        for one in found
        if one.score.figure == figure and one.score.criterion is None
    }


#: Two capabilities, two difficulties; the sums are those of LalaEval's Grade(qj), by hand.
EXAMPLE = [
    rated(f"g{n}", value, capability=capability, difficulty=level, domain="air", top=TOP)
    for n, (capability, level, value) in enumerate(
        [
            ("law", "easy", 2),
            ("law", "easy", 1),
            ("law", "hard", 0),
            ("cold", "easy", 2),
            ("cold", "hard", 1),
            ("cold", "hard", 1),
        ]
    )
]


class TestKnownBreakdown:
    def test_is_each_part_by_itself(self):
        found = values(broken(EXAMPLE, by=("difficulty",), weights={"law": 3}))

        assert found["A", "law", "easy"] == Fraction(3, 4)
        assert found["A", "law", "hard"] == 0
        assert found["A", "cold", "hard"] == Fraction(1, 2)
        assert found["A", None, "easy"] == (3 * Fraction(3, 4) + 1) / 4
        assert found["A", None, "hard"] == Fraction(1, 2) / 4

    def test_without_columns_is_the_scores_with_their_criteria(self):
        found = broken(EXAMPLE, groups={"both": ["law", "cold"]})

        whole = scores.scores(frame_of(EXAMPLE), intervals=False)
        assert values(found)["A", None] == whole.find("A").value
        assert values(found)["A", "both"] == whole.find("A").value
        assert {one.score.criterion for one in found} == {None, "c1"}

    @pytest.mark.parametrize("turned", [1, -1])
    def test_without_columns_has_the_intervals_of_the_scores(self, turned):
        records = [
            rated(f"{part}{n}", n % 3, capability=part, rater=f"r{m}", top=TOP)
            for part in ("law", "cold", None, "apart")
            for n in range(9)
            for m in range(2)
        ][::turned]

        found = broken(records)

        whole = scores.scores(frame_of(records))
        ends = {
            one.capability: (one.score.these.low, one.score.these.high)
            for one in found
            if (one.score.figure, one.score.criterion, one.group) == ("score", None, None)
        }
        assert ends.pop(None) == (whole.find("A").these.low, whole.find("A").these.high)
        assert ends == {
            scores.NOT_SAID if row.capability is None else row.capability: (
                row.these.low,
                row.these.high,
            )
            for row in whole.rows
            if (row.figure, row.level) == ("score", "capability")
        }
        assert None not in {end for pair in ends.values() for end in pair}
        assert set(ends) == {"law", "cold", "apart", scores.NOT_SAID}

    def test_weighs_criteria_within_a_capability(self):
        records = [
            rated("g1", 2, criterion="c1", top=TOP),
            rated("g1", 0, criterion="c2", top=TOP),
        ]

        found = values(broken(records, criterion_weights={("k1", "c1"): 3, ("k2", "c2"): 9}))

        assert found["A", "k1"] == Fraction(3, 4)

    def test_names_what_was_wanted_and_has_no_grades_as_missing(self):
        wanted = [("law", "hard"), ("warm", "hard")]

        found = broken(EXAMPLE, by=("difficulty",), wanted=wanted)

        hard = next(
            one.score
            for one in found
            if one.at == ("hard",) and one.capability is None and one.score.figure == "score"
        )
        assert hard.partial
        assert len(hard.missing) == 1

    def test_calls_a_part_that_is_not_said_none(self):
        records = [rated("g1", 1, difficulty=None, top=TOP)]

        assert ("A", "k1", "none") in values(broken(records, by=("difficulty",)))


class TestBreakdownAlways:
    @settings(deadline=None, max_examples=15)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["g1", "g2", "g3", "g4", "g5"]),
                st.sampled_from(["A", "B"]),
                st.sampled_from(["law", "cold"]),
                st.sampled_from(LEVELS),
                st.sampled_from(AREAS),
                st.integers(0, TOP),
            ),
            min_size=1,
            max_size=25,
        )
    )
    def test_is_what_the_whole_becomes_when_one_looks_at_the_part_alone(self, rows):
        records = [
            rated(
                f"{group}{capability}{level}{area}",
                value,
                release=release,
                capability=capability,
                difficulty=level,
                domain=area,
                rater=f"r{n}",
                top=TOP,
            )
            for n, (group, release, capability, level, area, value) in enumerate(rows)
        ]
        weights = {"law": 2, "cold": Fraction(1, 3)}
        made = broken(records, by=("difficulty", "domain"), weights=weights, intervals=False)
        whole = {key: value for key, value in values(made).items() if key[1] is None}

        for (release, _, level, area), value in whole.items():
            part = [
                one
                for one in records
                if (one["difficulty"] or "none", one["domain"] or "none") == (level, area)
            ]
            there = {one["capability"] for one in part}
            mine = {key: weight for key, weight in weights.items() if key in there}
            alone = scores.scores(frame_of(part), weights=mine, intervals=False)
            if release in alone.releases:
                assert value == alone.find(release).value
            else:
                assert value is None

    def test_does_not_depend_on_the_order_of_rows(self):
        turned = broken(EXAMPLE[::-1], by=("difficulty",))

        assert values(turned) == values(broken(EXAMPLE, by=("difficulty",)))


class TestRefusals:
    def test_refuses_a_negative_weight(self):
        with pytest.raises(ValueError, match="negative"):
            broken(EXAMPLE, weights={"law": -1})

    def test_says_why_a_part_has_no_interval(self):
        found = broken(EXAMPLE, by=("difficulty",))

        law = next(one for one in found if one.capability == "law" and one.at == ("hard",))
        assert law.score.these.interval_reason == "under_six"

    def test_has_a_plain_form(self):
        assert plain(broken(EXAMPLE)[0])["at"] == []
