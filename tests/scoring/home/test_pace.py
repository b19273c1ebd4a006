import re
from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.rounds.models import Assignment
from scoring.charts import chart
from scoring.charts.chart import PaceLine
from scoring.home import pages
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def half_graded(**settings):
    """An open round of four seats, two of which were graded on its first and second day."""
    made = rounds.graded(n_items=2, n_raters=2, state="OPEN")
    for day, seat in enumerate(Assignment.objects.filter(round=made).order_by("pk")):
        free = {"state": "FREE", "rater": None, "submitted_at": None}
        now = {"submitted_at": make.NOW + day * DAY} if day < 2 else free
        Assignment.objects.filter(pk=seat.pk).update(**now)
    for name, value in settings.items():
        setattr(made, name, value)
    made.save()
    return made


class TestPaceOf:
    def test_counts_seats_by_the_end_of_each_day_until_now(self):
        made = half_graded(deadline=make.NOW + 10 * DAY)

        pace = pages.pace_of(made, make.NOW + 5 * DAY)

        assert [done for _at, done in pace.points] == [0, 0.25, 0.5, 0.5]
        assert pace.now == (0.5, 0.5)
        assert pace.even

    def test_ends_now_where_the_round_has_no_close_or_is_past_it(self):
        made = half_graded()
        without = pages.pace_of(made, make.NOW + 4 * DAY)
        made.deadline = make.NOW + 2 * DAY

        late = pages.pace_of(made, make.NOW + 4 * DAY)

        assert [one.now for one in (without, late)] == [(1.0, 0.5), (1.0, 0.5)]
        assert not late.even

    def test_knows_nothing_of_a_round_without_seats(self):
        made = half_graded()
        made.opened_at = None

        assert pages.pace_of(made, make.NOW) is None


class TestTimeLeft:
    @pytest.mark.parametrize(
        ("left", "said"),
        [
            (timedelta(days=5), "5 days left"),
            (timedelta(hours=40), "40 hours left"),
            (timedelta(minutes=20), "1 hour left"),
            (timedelta(), "Overdue"),
        ],
    )
    def test_is_in_days_and_at_the_end_in_hours(self, left, said):
        assert pages.time_left(make.NOW + left, make.NOW) == said

    def test_is_open_without_an_end(self):
        assert pages.time_left(None, make.NOW) == "Open"


class TestHome:
    def test_shows_how_far_the_open_round_is(self, client, analyst):
        half_graded()

        page = client.get(reverse("project_home", args=["northport"])).content.decode()

        assert "Graded so far" in page
        assert 'aria-label="Round 1: 50 % graded"' in page
        assert "50 % graded</small>" in page

    def test_shows_nothing_of_it_where_no_round_is_open(self, client, analyst):
        rounds.graded(n_items=2)

        page = client.get(reverse("project_home", args=["northport"])).content.decode()

        assert "Graded so far" not in page

    def test_shows_nothing_of_it_to_who_may_not_see_rounds(self, client):
        half_graded()
        client.force_login(make.member(Role.DESIGNER))

        page = client.get(reverse("project_home", args=["northport"])).content.decode()

        assert "Graded so far" not in page


class TestThePlot:
    def test_ends_where_the_round_stands(self):
        pace = PaceLine([(0, 0), (0.25, 0.5)], ("1 Nov", "today", "30 Nov"), even=True)

        text = chart.pace(pace, label="l")

        assert 'd="M0.00 100.00L25.00 50.00"' in text
        assert ">50 %<" in text
        assert re.search(r'text-anchor="middle">today<', text)
        assert 'class="ident"' in text

    def test_has_no_even_pace_without_a_close(self):
        pace = PaceLine([(0, 0), (1, 0.5)], ("1 Nov", "today", "3 Nov"), even=False)

        assert 'class="ident"' not in chart.pace(pace, label="l")
