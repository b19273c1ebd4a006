import pytest
from django.urls import reverse

from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def address(query=""):
    return reverse("runs_compare", args=[make.project().slug]) + query


class TestRunsCompare:
    def test_needs_two_runs(self, as_analyst):
        assert "It takes two runs" in as_analyst.get(address()).content.decode()

    def test_shows_what_was_different(self, as_analyst):
        run_rows.run(config={"temperature": 0.0, "n_repeats": 3})
        run_rows.run(config={"temperature": 0.7, "n_repeats": 3})

        found = as_analyst.get(address("?a=1&b=2")).context["comparison"]

        assert [(one.name, one.a, one.b) for one in found.differences] == [
            ("Temperature", "0.0", "0.7")
        ]

    def test_begins_with_the_newest_two_of_a_kind(self, as_analyst):
        for number, kind in enumerate(("JUDGE", "SUITE", "JUDGE", "JUDGE", "METRICS"), start=1):
            run_rows.run(kind=kind, number=number)

        found = as_analyst.get(address()).context["comparison"]

        assert (found.a.run.number, found.b.run.number) == (3, 4)

    def test_has_nothing_to_begin_with_where_every_run_is_of_another_kind(self, as_analyst):
        run_rows.run(kind="JUDGE", number=1)
        run_rows.run(kind="SUITE", number=2)

        page = as_analyst.get(address())

        assert page.context["comparison"] is None
        assert "Choose two runs" in page.content.decode()

    def test_does_not_compare_a_run_with_itself(self, as_analyst):
        run_rows.run()
        run_rows.run()

        assert "Choose another." in as_analyst.get(address("?a=1&b=1")).content.decode()

    def test_takes_no_run_of_another_project(self, as_analyst):
        run_rows.run()
        run_rows.run()
        run_rows.run(in_=make.project("southgate"), number=9)

        assert as_analyst.get(address("?a=1&b=9")).context["comparison"] is None
