import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.charts import plot
from scoring.charts.plot import Whisker

numbers = st.floats(-1000, 1000, allow_nan=False)


class TestAxis:
    @given(st.lists(numbers, min_size=1, max_size=20))
    def test_holds_every_value_between_its_first_and_its_last_number(self, values):
        on = plot.axis(values)

        assert on.ticks[0] == pytest.approx(on.start)
        assert on.ticks[-1] == pytest.approx(on.end)
        assert all(on.start - 1e-9 <= value <= on.end + 1e-9 for value in values)

    def test_begins_where_the_values_do_and_not_at_nought(self):
        on = plot.axis([52.9, 86.5, None], bounds=(0, 100))

        assert (on.start, on.end) == (50, 90)
        assert on.at(70) == "50.00"

    def test_ends_where_no_value_can_lie(self):
        assert plot.axis([98, 100], bounds=(0, 100)).end == 100

    def test_passes_through_a_number_that_is_asked_for(self):
        assert 0 in plot.axis([3, 14], through=0).ticks

    def test_of_what_is_not_finite_is_refused(self):
        with pytest.raises(ValueError, match="not a finite number"):
            plot.axis([float("inf")])


class TestRow:
    def test_has_a_whisker_from_end_to_end_of_the_interval(self):
        drawn = plot.row(Whisker(80, 75, 90, 1), plot.axis([70, 90]), label="Tern: 80")

        assert 'class="ci" x1="25.00%" x2="100.00%"' in drawn
        assert '<svg x="50.00%"' in drawn
        assert 'aria-label="Tern: 80"' in drawn
        assert 'class="s2"' in drawn

    def test_without_an_interval_is_pale_and_has_no_whisker(self):
        drawn = plot.row(Whisker(80, None, None, 0), plot.axis([70, 90]), label="Tern")

        assert 'class="s1 few"' in drawn
        assert "ci" not in re.findall(r'class="(\w+)"', drawn)

    def test_without_a_value_is_a_grid_alone(self):
        assert "<path" not in plot.row(Whisker(None, None, None), plot.axis([0, 9]), label="-")

    def test_writes_a_label_as_text(self):
        assert "<b>" not in plot.row(Whisker(1, 0, 2), plot.axis([0, 9]), label='<b>"')

    def test_marks_nought_where_differences_are_drawn(self):
        drawn = plot.row(Whisker(3, -1, 7), plot.axis([-1, 7], through=0), label="-", zero=0)

        assert drawn.count('class="axis"') == 1


class TestPanel:
    def test_has_a_mark_for_each_system_and_its_numbers_at_the_foot(self):
        drawn = plot.panel(
            [Whisker(40, 30, 50, 0), Whisker(60, None, None, 1)], plot.axis([0, 100]), label="Law"
        )

        assert drawn.count("<path") == 2
        assert drawn.count('class="ci"') == 1
        assert ">100</text>" in drawn


class TestStep:
    def test_has_its_interval_around_where_it_ends(self):
        step = plot.WaterfallStep(50, -10, -15, -5)

        assert tuple(step.ends) == (35, 45)
        drawn = plot.step(step, plot.axis([30, 70]), label="Cause")
        assert 'x="25.00%" y="13" width="25.00%"' in drawn
        assert '<line x1="12.50%" x2="37.50%"' in drawn

    def test_is_sure_where_its_interval_leaves_out_nought(self):
        assert plot.WaterfallStep(50, -10, -15, -5).is_sure

    def test_without_an_interval_could_be_chance(self):
        assert not plot.WaterfallStep(50, 1).is_sure
        assert "whisk" not in plot.step(
            plot.WaterfallStep(50, 1), plot.axis([30, 70]), label="Cause"
        )


class TestFile:
    def test_has_every_class_of_its_drawings_in_its_sheet(self):
        on = plot.axis([0, 10])
        drawn = [
            plot.row(Whisker(1, 0, 2, 7), on, label="a"),
            plot.step(plot.WaterfallStep(1, 2, -1, 3), on, label="b"),
            plot.ruler(on),
        ]
        text = plot.file([plot.ChartLine("n", one) for one in drawn], label="l")
        sheet = text[text.index("<style>") : text.index("</style>")]

        used = {one for found in re.findall(r'class="([^"]+)"', text) for one in found.split()}
        assert {one for one in used if f".{one}" not in sheet} == set()
