import pytest

from scoring import jobs
from scoring.figures.models import Figure
from tests.scoring import suites
from tests.scoring.kinds.suites.test_suite_label_figures import run

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/runs/1/labels/"


def shown(client, at=PAGE):
    """Return a page once its figure is computed."""
    client.get(at)
    for one in Figure.objects.filter(state=Figure.State.WANTED):
        jobs.compute_figure(one.pk)
    return client.get(at).content.decode()


class TestRunSuiteLabels:
    def test_shows_figures_classes_and_table_beside_the_constant(self, as_analyst):
        run()

        page = shown(as_analyst)

        assert "Always “on”" in page
        assert "Cohen’s κ" in page
        assert "Both: 5 parts, 3 conversations." in page
        assert "1 without a label." in page

    def test_is_reached_from_the_results(self, as_analyst):
        run()

        assert PAGE in shown(as_analyst, "/p/northport/runs/1/suite/")

    def test_is_reached_from_its_former_address_with_what_was_chosen(self, as_analyst):
        run()

        led = as_analyst.get("/p/northport/runs/1/suite/labels/", {"label": "mood"})

        assert (led.status_code, led["Location"]) == (301, f"{PAGE}?label=mood")

    def test_says_how_labels_come_in_where_there_are_none(self, as_curator):
        suites.done(suites.requested())

        page = as_curator.get(PAGE).content.decode()

        assert "No labels by people yet" in page
        assert "/p/northport/conversations/new/" in page

    def test_offers_no_texts_as_labels_and_says_why(self, as_analyst):
        talks = [
            {"id": f"t{n}", "messages": [{"role": "user", "content": "x" * n, "label": f"l{n}"}]}
            for n in range(1, 40)
        ]
        suites.done(suites.requested(None, suites.brought(suites.lines(talks))))

        page = as_analyst.get(PAGE).content.decode()

        assert "39 values: no classes" in page
        assert "No labels by people yet" in page

    def test_says_what_people_said_under_the_chosen_name(self, as_analyst):
        run()

        page = shown(as_analyst)

        assert "People’s labels “label”" in page
        assert "label (on, off)" in page

    def test_asks_no_more_often_for_an_unknown_choice(self, as_analyst):
        run()

        assert as_analyst.get(PAGE, {"metric": "nobody", "label": "nothing"}).status_code == 200
