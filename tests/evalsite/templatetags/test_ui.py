import itertools
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from django import forms
from django.template import Context, Template
from django.template.loader import render_to_string
from django.utils import timezone, translation

from evalsite.templatetags import ui
from evalsite.text import drawings
from scoring.charts import svg as palette
from tests.pages import squeezed

ROOT = Path(__file__).parents[3]


def render(source: str, **context: object) -> str:
    return Template("{% load ui %}" + source).render(Context(context))


class TestMarkdown:
    def test_is_shown_as_answers_are_read_and_never_as_a_page_of_its_own(self):
        shown = render("{{ text|rendered }}", text="**Yes**\n\n- one\n- <script>two</script>")

        assert "<strong>Yes</strong>" in shown
        assert "<li>one</li>" in shown
        assert "<script>" not in shown

    def test_is_cut_to_a_line_without_its_signs(self):
        assert render("{{ text|plain:10 }}", text="**Yes**\n\n- one, and two") == "Yes one, …"


class TestPoints:
    @pytest.mark.parametrize(("share", "shown"), [(0.785, "78.5"), (-0.0126, "−1.3"), (None, "–")])
    def test_are_a_share_times_a_hundred(self, share, shown):
        assert ui.points(share) == shown


class TestScore:
    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            (Decimal("78.45"), "78.5"),
            (78.25, "78.3"),
            (Fraction(157, 2), "78.5"),
            (0, "0.0"),
            (-1.26, "−1.3"),
            (-0.04, "0.0"),
            (None, "–"),
            ("", "–"),
            (float("nan"), "–"),
            ("not a figure", "–"),
        ],
    )
    def test_rounds_halves_away_from_zero(self, value, shown):
        assert ui.score(value) == shown

    def test_takes_the_number_of_decimals(self):
        assert render("{{ x|score:2 }} {{ x|score:0 }}", x=0.705) == "0.71 1"


class TestInterval:
    def test_is_written_in_words(self):
        assert render("{% interval 0.675 0.74 digits=2 %}") == "0.68 to 0.74"

    def test_is_a_dash_when_an_end_is_missing(self):
        assert ui.interval(None, 1) == "–"


class TestIcon:
    def test_is_hidden_from_screen_readers(self):
        assert 'aria-hidden="true"' in render('{% icon "home" %}')

    def test_refuses_an_unknown_name(self):
        with pytest.raises(KeyError):
            ui.icon("unicorn")


class TestSystemMark:
    def test_wears_its_colour_and_its_shape(self):
        drawn = ui.system_mark(2)

        assert 's3"' in drawn
        assert drawings.MARKS[2] in drawn

    def test_differs_for_sixty_four_systems(self):
        pairs = {(drawings.colour_of(n), drawings.shape_of(n)) for n in range(64)}

        assert len(pairs) == 64


class TestWhisker:
    def test_places_dot_and_ends_by_share_of_the_axis(self):
        drawn = ui.whisker(80, 75, 82.5, start=60, end=90, ordinal=1)

        assert 'x="66.67%"' in drawn
        assert 'x1="50.00%" x2="75.00%"' in drawn
        assert 'class="s2"' in drawn

    def test_says_in_words_what_it_draws(self):
        assert 'aria-label="80.0, interval 75.0 to 82.5"' in ui.whisker(80, 75, 82.5)

    def test_says_that_there_is_no_interval(self):
        drawn = ui.whisker(80)

        assert "no interval" in drawn
        assert 'class="ci"' not in drawn

    def test_stays_on_its_axis(self):
        assert 'x="100.00%"' in ui.whisker(120, 90, 130)

    def test_is_a_dash_for_no_value(self):
        assert "–" in ui.whisker(None)

    def test_has_no_inline_style(self):
        assert "style" not in ui.whisker(80, 75, 82.5)


class TestTimes:
    AT = datetime(2026, 3, 14, 12, 40, tzinfo=UTC)

    def test_are_for_people_and_machines(self):
        assert ui.moment(self.AT) == (
            '<time datetime="2026-03-14T12:40:00+00:00">14 March 2026, 12:40</time>'
        )

    def test_show_a_day(self):
        shown = '<time datetime="2026-03-14">14 March 2026</time>'

        assert ui.day(self.AT) == shown
        assert ui.day(date(2026, 3, 14)) == shown

    @pytest.mark.parametrize(
        ("written", "shown"),
        [
            ("2026-03-14", '<time datetime="2026-03-14">14 March 2026</time>'),
            ("2026-03", "March 2026"),
            ("2026-02-30", "2026-02-30"),
            ("since the merger", "since the merger"),
            ("20260201", "20260201"),
            ("", ""),
        ],
    )
    def test_say_in_words_what_was_given_in_figures(self, written, shown):
        assert ui.dated(written) == shown

    @pytest.mark.parametrize(
        ("back", "words"),
        [(timedelta(seconds=5), "just now"), (timedelta(hours=3), "3\xa0hours ago")],
    )
    def test_say_how_long_ago(self, back, words):
        assert f">{words}</time>" in ui.ago(timezone.now() - back)

    def test_are_a_dash_for_never(self):
        assert ui.ago(None) == ui.moment(None) == ui.day(None) == "–"


class TestProgress:
    def test_shows_bar_and_count(self):
        shown = squeezed(render('{% progress 11 40 "Round 3" %}'))

        assert 'value="11" max="40" aria-label="Round 3"' in shown
        assert "11 of 40" in shown

    def test_bears_nothing_to_do(self):
        assert 'value="0" max="1"' in render('{% progress 0 0 "Round 3" %}')


class Colour(forms.Form):
    name = forms.CharField(help_text="As people read it")
    seats = forms.ChoiceField(choices=[("3", "Three")], widget=forms.RadioSelect)
    blind = forms.BooleanField(required=False)
    token = forms.CharField(widget=forms.HiddenInput)


class TestFormFields:
    def render(self) -> str:
        return squeezed(
            render_to_string("includes/form_fields.html", {"form": Colour({"name": ""})})
        )

    def test_link_help_and_errors_to_the_control(self):
        shown = self.render()
        described = re.search(r'<input[^>]*name="name"[^>]*aria-describedby="([^"]*)"', shown)

        assert described
        for identifier in described[1].split():
            assert f'id="{identifier}"' in shown

    def test_name_each_error_on_top_with_a_link(self):
        assert '<a href="#id_name">Name</a>: This field is required.' in self.render()

    def test_group_choices_under_a_legend(self):
        assert re.search(r"<fieldset.*?<legend>Seats", self.render(), re.DOTALL)


class TestMark:
    def test_checks_the_chosen_level_whatever_its_type(self):
        levels = [{"value": 0, "label": "Incorrect"}, {"value": 1, "label": "Correct"}]
        shown = render_to_string(
            "includes/mark.html",
            {"name": "A", "legend": "Response A, grade", "levels": levels, "value": "1"},
        )

        assert re.findall(r'value="(\d)" checked', squeezed(shown)) == ["1"]


class TestLayouts:
    PROJECT = {"name": "Northport", "slug": "northport", "subtitle": ""}
    ENTRY = {"key": "home", "label": "Home", "icon": "home", "url": "/", "count": 0}

    @pytest.mark.parametrize(
        "name",
        [
            "400.html",
            "403.html",
            "403_csrf.html",
            "404.html",
            "500.html",
            "503.html",
            "507.html",
            "base_plain.html",
            "refused.html",
        ],
    )
    def test_need_neither_request_nor_shell(self, name):
        assert "<main" in render_to_string(name)

    @pytest.mark.parametrize("name", ["base.html", "base_bar.html"])
    def test_mark_where_one_is(self, name):
        shell = {"project": None, "projects": [], "nav": [{**self.ENTRY, "current": True}]}
        shown = squeezed(render_to_string(name, {"shell": shell, "csrf_token": "token"}))

        assert '<a href="/" aria-current="page">' in shown

    def test_hold_no_inline_style_and_no_inline_script(self):
        for path in (ROOT / "templates").rglob("*.html"):
            text = path.read_text()
            assert not re.search(r"\sstyle=|<style|\son[a-z]+=\"|javascript:", text), path
            for script in re.findall(r"<script[^>]*>", text):
                assert "src=" in script or 'type="application/json"' in script, path


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


PAIRS = (
    *itertools.product(
        ("text", "muted", "accent", "ok", "warn", "bad"), ("surface", "page", "sunk")
    ),
    ("on-accent", "accent"),
    ("accent", "accent-soft"),
    ("ok", "ok-soft"),
    ("warn", "warn-soft"),
    ("bad", "bad-soft"),
    ("text", "ok-soft"),
    ("text", "warn-soft"),
    ("text", "bad-soft"),
    ("text", "pen"),
)


class TestTokens:
    def test_are_the_colours_of_the_charts(self):
        colours = self.colours(theme=0)

        assert tuple(colours[f"s{n}"] for n in range(1, 9)) == palette.COLOURS
        assert (colours["muted"], colours["line"], colours["surface"]) == (
            palette.MUTED,
            palette.LINE,
            palette.SURFACE,
        )

    def colours(self, theme: int) -> dict[str, str]:
        text = (ROOT / "static/css/tokens.css").read_text()
        found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", text)
        return {name: pair[theme] for name, *pair in found}

    @pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
    def test_let_text_be_read(self, theme):
        colours = self.colours(theme)
        weak = [p for p in PAIRS if contrast(colours[p[0]], colours[p[1]]) < 4.5]

        assert weak == []

    @pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
    def test_let_marks_and_edges_be_seen(self, theme):
        colours = self.colours(theme)
        inks = ["edge", *(f"s{n}" for n in range(1, 9))]
        weak = [ink for ink in inks if contrast(colours[ink], colours["surface"]) < 3]

        assert weak == []


class TestUntil:
    def test_says_how_long_it_is_and_when(self):
        when = timezone.now() + timedelta(days=3, hours=1)

        assert "in 3\N{NO-BREAK SPACE}days, " in ui.until(when)
        assert f'datetime="{when.isoformat()}"' in ui.until(when)

    def test_never_calls_nearly_three_weeks_two(self):
        said = ui.until(timezone.now() + timedelta(days=20, hours=23))

        assert "in 20\N{NO-BREAK SPACE}days, " in said

    def test_says_it_in_chinese(self):
        with translation.override("zh-hans"):
            said = ui.until(timezone.now() + timedelta(days=20, hours=23))

        assert "20\N{NO-BREAK SPACE}天" in said

    def test_says_only_when_it_was(self):
        assert ">2 March, 09:00<" in ui.until(datetime(2026, 3, 2, 9, tzinfo=UTC))

    def test_shows_a_dash_for_none(self):
        assert ui.until(None) == ui.NOTHING
