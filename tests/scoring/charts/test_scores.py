import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.charts import scores
from scoring.charts import svg as palette
from scoring.charts.scores import Dot

share = st.floats(0, 1)


@st.composite
def dot_lists(draw):
    dots = []
    for p in range(draw(st.integers(1, 4))):
        for s in range(draw(st.integers(1, 4))):
            low, value, high = sorted(draw(st.tuples(share, share, share)))
            has = draw(st.booleans())
            first, last = (low, high) if has else (None, None)
            dots.append(Dot(f"panel {p}", f"system {s}", s, value, first, last, overall=p == 2))
    return dots


def panels(figure):
    return [note.text for note in figure.layout.annotations]


class TestScoresFigure:
    @settings(max_examples=15)
    @given(dot_lists())
    def test_draws_each_dot_with_its_own_interval(self, dots):
        figure = scores.scores_figure(dots)

        json.loads(figure.to_json(), parse_constant=pytest.fail)
        in_order = [dot for panel in panels(figure) for dot in dots if dot.panel == panel]
        for trace, dot in zip(figure.data, in_order, strict=True):
            assert (trace.name, trace.x[0]) == (dot.system, pytest.approx(100 * dot.value))
            assert (trace.error_x.visible is None) == (dot.low is not None)
            if dot.low is not None:
                assert bounds(trace) == pytest.approx((dot.low, dot.high), abs=1e-9)

    @settings(max_examples=15)
    @given(dot_lists())
    def test_gives_a_system_one_marker_in_all_panels(self, dots):
        figure = scores.scores_figure(dots)

        looks = {(t.name, t.marker.color, t.marker.symbol, t.y[0]) for t in figure.data}

        assert len(looks) == len({dot.system for dot in dots})
        assert len({look[1:3] for look in looks}) == len(looks)

    def test_puts_overall_first_and_then_the_widest_spread(self):
        spreads = {"narrow": 0.1, "none": None, "wide": 0.6, "Overall": 0.2}
        dots = [
            Dot(panel, f"S{s}", s, None if w is None else s * w, None, None, overall=w == 0.2)
            for panel, w in spreads.items()
            for s in (0, 1)
        ]

        assert panels(scores.scores_figure(dots)) == ["Overall", "wide", "narrow", "none"]

    def test_has_clear_paper_and_no_bar(self):
        figure = scores.scores_figure([Dot("k", "S", 0, 0.5, 0.4, 0.6, note="n 12")])

        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
        assert scores.CONFIG["displayModeBar"] is False
        assert scores.CONFIG["modeBarButtons"] == [["toImage"]]
        assert list(figure.data[0].customdata[0]) == [" (40.0 to 60.0)", "n 12"]

    def test_shows_names_as_text_only(self):
        hostile = "<a href='x'>S</a>"

        figure = scores.scores_figure([Dot(hostile, hostile, 0, 0.5, None, None, note=hostile)])

        assert "<a" not in figure.to_json()

    def test_cuts_a_name_that_would_stand_over_the_next_one(self):
        long = "Carriage of dangerous goods by road and inland waterway, annex A"

        (title,) = panels(scores.scores_figure([Dot(long, "S", 0, 0.5, None, None)]))

        assert title.startswith("Carriage of dangerous")
        assert title.endswith("…")

    @pytest.mark.parametrize("dots", [[], [Dot("k", "S", 0, float("nan"), None, None)]])
    def test_refuses_nothing_and_what_is_not_a_number(self, dots):
        with pytest.raises(ValueError, match=r"no scores|not a finite number"):
            scores.scores_figure(dots)


class TestPaletteInFigure:
    def test_can_be_another(self):
        dark = palette.Palette(colours=("#ffffff",) * 8)

        figure = scores.scores_figure([Dot("k", "S", 0, 0.5, None, None)], look=dark)

        assert figure.data[0].marker.color == "#ffffff"


def bounds(trace):
    value = trace.x[0]
    return (value - trace.error_x.arrayminus[0]) / 100, (value + trace.error_x.array[0]) / 100
