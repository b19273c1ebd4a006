from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from scoring.stats import frame
from tests.scoring.ratings import frame_of, rated, record_lists


class TestFrame:
    def test_has_every_column_in_its_type(self):
        made = frame_of([rated("q1", 2)])

        assert {name: str(made[name].dtype) for name in made} == frame.COLUMNS

    def test_takes_codes_spread_over_rows_and_times_as_they_are(self):
        times = pd.Series(pd.to_datetime(["2026-03-02", None, "2026-03-03"], utc=True))
        spread = frame.spread(["b", None, "a"], np.array([2, 0, 1]))
        records = [rated("q", 1)] * 3
        columns = {name: [one[name] for one in records] for name in frame.REQUIRED}

        made = frame.frame({**columns, "capability": spread, "at": times})

        assert made["capability"].astype(object).where(
            made["capability"].notna(), None
        ).tolist() == [
            "a",
            "b",
            None,
        ]
        assert made["capability"].cat.categories.tolist() == ["a", "b"]
        assert str(made["at"].dtype) == frame.TIME
        assert made["at"].isna().tolist() == [False, True, False]

    @pytest.mark.parametrize(
        "value", [2.5, "2.5", Decimal("2.5")], ids=["float", "text", "decimal"]
    )
    def test_reads_numbers_as_they_come(self, value):
        assert frame_of([rated("q1", value), rated("q2", None)])["value"].tolist()[0] == 2.5

    def test_sorts_its_codes_and_keeps_missing_ones_missing(self):
        made = frame_of([rated(q, 1, capability=c) for q, c in (("b", None), ("a", "k"))])

        assert made["group"].cat.categories.tolist() == ["a", "b"]
        assert made["capability"].isna().tolist() == [True, False]

    def test_takes_ready_categoricals_and_times(self):
        at = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
        records = [rated("q1", 1, at=at)]
        columns = {name: [record[name] for record in records] for name in records[0]}

        made = frame.frame({**columns, "rater": pd.Categorical(["r9"])})

        assert made["rater"].tolist() == ["r9"]
        assert made["at"].tolist() == [pd.Timestamp(at)]

    def test_keeps_remarks_as_they_were_written(self):
        assert frame_of([rated("q1", 1, text="Æ\n")])["text"].tolist() == ["Æ\n"]

    def test_can_be_empty(self):
        assert frame.frame({name: [] for name in [*frame.REQUIRED, "valid"]}).empty

    @given(record_lists())
    def test_loses_nothing(self, records):
        made = frame_of(records)

        for name in ("group", "release", "capability", "criterion", "rater"):
            found = made[name].astype(object)
            assert found.where(found.notna(), None).tolist() == [r[name] for r in records]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"colour": ["red"]}, "Unknown columns of the ratings frame: colour"),
            ({"value": [1, 2]}, "differ in length"),
            ({"value": ["much"]}, "Column value .* cannot be read"),
            ({"valid": [None]}, "Column valid .* cannot be read"),
            ({"group": [[1]]}, "Column group .* cannot be read"),
        ],
    )
    def test_refuses_what_it_cannot_read(self, change, message):
        columns = {name: [value] for name, value in rated("q1", 1).items()}

        with pytest.raises(ValueError, match=message):
            frame.frame({**columns, **change})

    def test_refuses_a_required_column_left_out(self):
        with pytest.raises(ValueError, match="needs the columns value"):
            frame.frame({name: [1] for name in frame.REQUIRED if name != "value"})


class TestDefaultFilter:
    @pytest.mark.parametrize(
        "change",
        [
            {"grade_kind": "REFERENCE"},
            {"occasion": 2},
            {"purpose": "GOLD"},
            {"round_kind": "TRIAL"},
            {"valid": False},
            {"late": True},
            {"repeat": 1},
        ],
    )
    def test_leaves_out(self, change):
        records = [
            {**rated("q1", 1), **{name: frame.DEFAULTS[name] for name in change}},
            rated("q2", 1, **change),
        ]

        assert frame.default_filter(frame_of(records))["group"].tolist() == ["q1"]

    @pytest.mark.parametrize(
        "change", [{"round_kind": "IMPORTED"}, {"purpose": "ANCHOR"}, {"outcome": "CANNOT_GRADE"}]
    )
    def test_keeps(self, change):
        assert len(frame.default_filter(frame_of([rated("q1", 1, **change)]))) == 1

    @pytest.mark.parametrize(
        ("purposes", "kept"),
        [
            (None, ["normal", "anchor"]),
            (["NORMAL"], ["normal"]),
            (["GOLD"], ["gold"]),
            (["REPEAT", "NORMAL"], ["normal", "repeat"]),
        ],
    )
    def test_looks_at_other_purposes_where_they_are_named(self, purposes, kept):
        rows = [
            ("normal", "NORMAL", 1, False),
            ("anchor", "ANCHOR", 1, False),
            ("gold", "GOLD", 1, False),
            ("repeat", "REPEAT", 2, False),
            ("again", "NORMAL", 2, False),
            ("late", "GOLD", 1, True),
        ]
        records = [
            rated(name, 1, purpose=purpose, occasion=occasion, late=late)
            for name, purpose, occasion, late in rows
        ]

        found = frame.default_filter(frame_of(records), purposes=purposes)

        assert found["group"].tolist() == kept
