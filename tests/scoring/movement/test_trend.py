import re
from fractions import Fraction

import pandas as pd
import pytest
from django.urls import reverse

from annotation import models
from annotation.rounds import drafting as unblinding
from scoring.charts import plot
from scoring.charts.plot import Slope, Whisker
from scoring.movement import figure
from scoring.movement.causes import TrendFigure, TrendPoint, TrendStep
from scoring.movement.trend import Trend, TrendCourse
from scoring.shown.names import Name
from tests import counting, make
from tests.scoring import worked
from tests.scoring.worker import compute

HERE = reverse("trend", args=["northport"])


def point(round_, low, high, release=1):
    value = Fraction(low + high, 200)
    return TrendPoint(round_, release, "score", value, low / 100, high / 100, 10, 3)


def step(before, after, broken=""):
    return TrendStep(before, after, 4, 1, 2, 2, 1, 0, False, broken)


def trend(*points, steps=()):
    """Return a trend over rounds 1 to 3, without a database."""
    rounds = [models.Round(number=n, name=f"Round {n}") for n in (1, 2, 3)]
    course = TrendCourse(rounds, [])
    course.__dict__["names"] = {
        key: Name(key, text, "", text, key) for key, text in ((1, "Tern"), (2, "Alder"))
    }
    return Trend(TrendFigure(points, steps), course, "score")


class TestTitle:
    def test_says_who_moved_so_far_that_intervals_share_no_value(self):
        found = trend(
            *(point(1, 40, 50), point(2, 45, 55), point(3, 60, 70)),
            *(point(1, 50, 60, 2), point(2, 50, 60, 2), point(3, 59, 69, 2)),
            steps=(step(1, 2), step(2, 3)),
        )

        assert found.title == "Tern rose since Round 1"

    def test_says_who_fell_and_who_rose(self):
        found = trend(
            *(point(1, 40, 50), point(3, 60, 70), point(1, 60, 70, 2), point(3, 40, 50, 2)),
            steps=(step(1, 3),),
        )

        assert found.title == "Tern rose and Alder fell since Round 1"

    def test_claims_nothing_where_intervals_overlap(self):
        found = trend(point(1, 40, 50), point(3, 50, 60), steps=(step(1, 3),))

        assert found.title == "No system moved beyond its intervals since Round 1"

    def test_begins_after_the_last_break(self):
        points = (point(1, 10, 20), point(2, 60, 70), point(3, 60, 70))

        broken = trend(*points, steps=(step(1, 2, "criteria"), step(2, 3)))
        alone = trend(*points, steps=(step(1, 2), step(2, 3, "questions")))

        assert broken.title.endswith("since Round 2")
        assert broken.breaks == {1: "other criteria or scales"}
        assert alone.title == "Not comparable with earlier rounds"

    def test_passes_over_a_round_of_something_else(self):
        found = trend(
            *(point(1, 40, 50), point(2, 5, 9, 2), point(3, 60, 70)),
            steps=(step(1, 2, "questions"), step(1, 3)),
        )

        assert found.title == "Tern rose since Round 1"
        assert found.links == {2: 0}


class TestSlopes:
    MARKS = (Whisker(10, 5, 15, 0), Whisker(20, 15, 25, 0), None)

    def drawn(self, links, breaks):
        titles, on = ("1", "2", "3"), plot.axis([0, 30])
        slopes = [Slope(0, self.MARKS)]
        return plot.slopes(slopes, titles, on, label="l", links=links, breaks=breaks)

    def test_has_a_line_only_where_both_places_have_a_mark(self):
        assert self.drawn({1: 0, 2: 1}, {}).count('class="ci"') == 1
        assert self.drawn({}, {}).count('class="ci"') == 0

    def test_says_why_a_line_is_broken(self):
        drawn = self.drawn({}, {1: "other <criteria>"})

        assert "<title>other &lt;criteria&gt;</title>" in drawn
        assert drawn.count('class="ident"') == 1


@pytest.fixture
def rounds(db, curator):
    made = worked.two_rounds()
    for one in made:
        unblinding.show_names(round_=one, by=curator, now=make.NOW)
    return made


@pytest.mark.django_db
class TestPage:
    def test_without_two_rounds_says_what_it_is_for(self, client, curator):
        assert "Two rounds are needed" in client.get(HERE).content.decode()

    def test_leaves_out_rounds_without_names(self, client, curator):
        worked.two_rounds()

        page = client.get(HERE).content.decode()

        assert "Show names of Round 1" in page
        assert "Kestrel" not in page

    def test_shows_the_scores_that_the_rounds_show(self, client, rounds):
        client.get(HERE)
        compute()
        page = client.get(HERE).content.decode()

        assert "3 common questions, 1 new, 1 gone" in page
        assert "2 annotators stayed, 1 new, 1 left" in page
        # LalaEval's example: 18 of 24 points before; 12 of 18, and 6 of 6 by the new release, after.
        assert re.findall(r'<td class="r num">([0-9.]+)', page) == ["100.0", "75.0", "66.7"]

    def test_stands_on_the_first_page_once_it_is_computed(self, client, rounds):
        home = reverse("project_home", args=["northport"])

        before = client.get(home).content.decode()
        compute()
        after = client.get(home).content.decode()

        assert f'href="{HERE}">Trend</a></header>' not in before
        assert f'href="{HERE}">Trend</a></header>' in after

    def test_asks_as_often_for_many_rounds(self, client, rounds, curator):
        client.get(HERE)

        def grow(n):
            more = worked.round_of(rounds[0].project, 10 + n)
            unblinding.show_names(round_=more, by=curator, now=make.NOW)
            client.get(HERE)

        assert counting.growth(client, HERE, grow) == 0

    def test_of_accuracy_is_another(self, client, rounds):
        client.get(HERE)
        compute()

        assert client.get(HERE, {"figure": "accuracy"}).status_code == 200

    @pytest.mark.parametrize("form", ["csv", "svg"])
    def test_is_a_file(self, client, rounds, form):
        url = reverse(f"trend_{form}", args=["northport"])
        waiting = client.get(url)
        compute()
        text = b"".join(client.get(url)).decode()

        assert waiting.url == HERE
        assert "Kestrel" in text


def graded(*questions, criterion="correct", rater="R1", version="v1"):
    """Return a frame of grades, one a question."""
    n = len(questions)
    columns = {"group": questions, "rater": [rater] * n, "rubric_version": [version] * n}
    scale = {"criterion": [criterion] * n, "scale_min": [0.0] * n, "scale_max": [2.0] * n}
    return pd.DataFrame({**columns, **scale})


class TestStep:
    def test_counts_what_stayed_and_what_changed(self):
        found = figure.step_between(
            1, graded("a", "b"), 2, graded("b", "c", "d", rater="R2", version="v2")
        )

        assert (found.common, found.gone, found.new) == (1, 1, 2)
        assert (found.stayed, found.left, found.joined) == (0, 1, 1)
        assert found.rubrics
        assert not found.broken

    def test_is_broken_by_other_criteria_or_other_questions(self):
        first = graded("a", "b")

        assert figure.step_between(1, first, 2, graded("a", criterion="tone")).broken == "criteria"
        assert figure.step_between(1, first, 2, graded("c")).broken == "questions"

    def test_comes_from_the_last_round_that_can_be_compared(self):
        rounds = [models.Round(number=n) for n in (1, 2, 3)]
        frames = [graded("a", "b"), graded("x", criterion="tone"), graded("b")]
        known = list(zip(rounds, frames, strict=True))

        assert (figure._step(known, 1).before, figure._step(known, 1).broken) == (1, "criteria")
        assert (figure._step(known, 2).before, figure._step(known, 2).broken) == (1, "")


class TestApi:
    def test_says_points_steps_and_what_is_left_out(self, client, rounds):
        url = reverse("api_trend", args=["northport"])
        assert client.get(url).status_code == 202
        compute()
        told = client.get(url).json()

        assert [one["number"] for one in told["rounds"]] == [1, 2]
        assert told["steps"][0] == {
            "before": 1,
            "after": 2,
            "common": 3,
            "gone": 1,
            "new": 1,
            "stayed": 2,
            "left": 1,
            "joined": 1,
            "rubrics": False,
            "broken": "",
        }
        scores = [one for one in told["points"] if one["figure"] == "score"]
        assert {one["system"] for one in scores} == {"Kestrel · 1", "Kestrel · 2"}
        assert scores[0]["value"] == {"num": 3, "den": 4, "value": 0.75}
