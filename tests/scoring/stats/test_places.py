import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import frame as places
from tests.scoring.ratings import frame_of, rated


class TestPlaces:
    def test_are_runs_of_one_response_on_one_criterion(self):
        made = places.places(
            frame_of(
                [
                    rated("k2", 1, rater="b", response="x", capability=None),
                    rated("k1", 2, rater="b", response="y"),
                    rated("k1", 0, rater="a", response="y"),
                    rated("k1", None, rater="c", response="y"),
                ]
            )
        )

        assert (made.start.tolist(), made.size.tolist()) == ([0, 2], [2, 1])
        assert made.value.tolist() == [0, 2, 1]
        assert [made.label("rater", row) for row in range(3)] == ["a", "b", "b"]
        assert [made.label("capability", row) for row in (0, 2)] == ["k1", None]
        assert made.passes.tolist() == [0, 1, 1]
        assert made.highest(made.value).tolist() == [2, 1]

    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), unique=True, max_size=15))
    def test_hold_every_grade_once(self, pairs):
        records = [rated(f"k{k}", 1, rater=f"r{r}", response=f"k{k}") for k, r in pairs]
        made = places.places(frame_of(records or [rated("k", None)]))

        assert made.size.sum() == len(pairs)
        assert made.n == len({k for k, _r in pairs})
        assert (made.place == np.repeat(np.arange(made.n), made.size)).all()

    def test_of_nothing_are_none(self):
        assert places.places(frame_of([rated("k", None)])).n == 0

    @given(st.lists(st.tuples(*[st.integers(-1, 2)] * 5), max_size=30))
    def test_are_in_the_same_order_among_however_many_labels(self, rows):
        columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
        code = dict(zip((*places.AT_PLACE, "rater"), columns, strict=True))

        few, many = (places._in_order(code, dict.fromkeys(code, width)) for width in (4, 1 << 20))

        assert [part.tolist() for part in few] == [part.tolist() for part in many]
        assert [rows[at] for at in few[0]] == sorted(rows)
