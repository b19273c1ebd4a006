import io
import json
import zipfile
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from scoring.stats import frame
from tests.scoring.ratings import frame_of, rated, record_lists


class TestPacked:
    @given(record_lists())
    def test_comes_back_as_it_was(self, records):
        ratings = frame_of(records)

        pd.testing.assert_frame_equal(frame.unpacked(frame.packed(ratings)), ratings)

    def test_keeps_times_flags_and_what_is_missing(self):
        at = datetime(2026, 3, 2, 9, 0, 1, 250, tzinfo=UTC)
        ratings = frame_of(
            [rated("k", None, at=at, valid=False), rated("k", 2, at=None, valid=True)]
        )

        pd.testing.assert_frame_equal(frame.unpacked(frame.packed(ratings)), ratings)

    @pytest.mark.parametrize("n_values", [1, 3, 300, 70_000])
    def test_keeps_columns_of_one_value_of_few_and_of_very_many(self, n_values):
        n = 70_000
        ratings = frame.frame(
            {
                **{name: ["one"] * n for name in ("group", "release", "criterion")},
                "rater": np.arange(n),
                "value": np.arange(n) % n_values / 7,
                "scale_min": np.full(n, -0.0),
                "scale_max": np.full(n, np.inf),
            }
        )

        found = frame.unpacked(frame.packed(ratings))

        pd.testing.assert_frame_equal(found, ratings, check_exact=True)
        assert np.signbit(found["scale_min"]).all()

    def test_is_small(self):
        ratings = frame_of([rated(f"k{n % 50}", n % 4, rater=f"r{n % 9}") for n in range(5_000)])

        assert len(frame.packed(ratings)) < 20 * 5_000

    def test_refuses_free_text(self):
        with pytest.raises(ValueError, match="holds text"):
            frame.packed(frame_of([rated("k", 1, text="said")]))

    def test_refuses_labels_that_json_does_not_know(self):
        with pytest.raises(ValueError, match="label of type"):
            frame.packed(frame_of([rated("k", 1, rater=b"x")]))


class TestUnpacked:
    def test_refuses_another_form(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("head.json", json.dumps({"form": 0, "n": 0, "labels": {}}))

        with pytest.raises(frame.OtherForm):
            frame.unpacked(out.getvalue())

    @pytest.mark.parametrize("data", [b"", b"nothing", b"PK\x05\x06" + b"\0" * 18])
    def test_refuses_what_is_damaged(self, data):
        with pytest.raises(ValueError, match="no packed ratings"):
            frame.unpacked(data)
