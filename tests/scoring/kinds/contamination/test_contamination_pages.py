import pytest

from annotation.people.models import AuditEvent
from evalsite import queue
from tests import imports
from tests.scoring import interviewed, quizzed, run_rows

pytestmark = pytest.mark.django_db
NAMES = ("Kestrel", "Osprey", "Merlin", "Harrier")


@pytest.fixture
def run():
    releases = [one.pk for one in interviewed.candidates(*NAMES)]
    return interviewed.held(items=quizzed.questions(2), releases=releases, planned=1)


def at(run, end="contamination/"):
    return f"/p/northport/runs/{run.number}/{end}"


def opened(client, url, capture):
    with capture(execute=True):
        client.get(url)
    queue.burst("insight")
    return client.get(url).content.decode()


class TestRunContamination:
    def test_shows_line_distances_and_other_benchmarks(
        self, as_analyst, run, django_capture_on_commit_callbacks
    ):
        rows = [f"{name},,MT-Bench,{place}" for place, name in enumerate(NAMES)]
        rows += ["Kestrel,Quay,train loss,1", "Kestrel,Quay,test loss,2"]
        text = "\n".join(["system,dataset,figure,value", *rows]) + "\n"
        imports.apply(imports.figures(text))

        page = opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        for words in (
            "never a proof",
            "Quay",
            "Harrier · 1",
            "MT-Bench",
            "Test less train",
            "Scripted, not a measurement",
        ):
            assert words in page
        assert "Import figures" not in page  # analysts bring nothing in
        assert at(run) in opened(
            as_analyst, at(run, "interviews/"), django_capture_on_commit_callbacks
        )

    def test_says_what_to_do_where_there_is_nothing_to_set_against(
        self, as_analyst, run, django_capture_on_commit_callbacks
    ):
        page = opened(as_analyst, f"{at(run)}?axis=figure:none", django_capture_on_commit_callbacks)

        assert "Nothing to set the interviews against" in page

    def test_says_why_the_other_axis_cannot_be_computed(
        self, as_analyst, run, django_capture_on_commit_callbacks
    ):
        page = opened(as_analyst, f"{at(run)}?axis=run:99", django_capture_on_commit_callbacks)

        assert "There is no such run of accuracy." in page

    def test_sends_a_file_that_is_recorded(
        self, as_analyst, run, django_capture_on_commit_callbacks
    ):
        file = at(run, "contamination/contamination.csv")
        assert as_analyst.get(file).headers["Location"] == at(run)
        opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        lines = b"".join(as_analyst.get(file)).decode().splitlines()

        assert lines[0].startswith("part,dataset,system")
        assert len(lines) == 1 + 4 + 3
        assert AuditEvent.objects.filter(verb="run.exported").count() == 1

    def test_is_none_of_another_kind_of_run(self, as_analyst):
        assert as_analyst.get(at(run_rows.run())).status_code == 404
