import pytest

from annotation.people.models import AuditEvent
from evalsite import queue
from scoring.engine.models import LLMCall
from scoring.figures.models import Figure
from scoring.kinds.interviews.results import of_params
from tests import make
from tests.pages import squeezed
from tests.scoring import interviewed, run_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def inline(settings):
    settings.QUEUE_INLINE = True


def at(run, end="interviews/"):
    return f"/p/northport/runs/{run.number}/{end}"


def opened(client, url, capture):
    """Ask for a page, have its figure computed, and return the page."""
    with capture(execute=True):
        client.get(url)
    queue.burst("insight")
    return client.get(url).content.decode()


class TestRunInterviews:
    def test_shows_scores_pairs_reasons_profiles_and_ablation(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = interviewed.held(n=5, mark_but_continue=True)

        page = opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        for words in (
            "Kestrel · 1",
            "Osprey · 1",
            "Conciseness",
            "Scripted, not a measurement",
            "p, Holm",
            "as released",
            "which went on after a stop",
        ):
            assert words in page
        assert at(run) in as_analyst.get(at(run, "")).content.decode()
        assert "By capability" not in page

    def test_shows_scores_by_capability_where_questions_have_one(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        named = make.capability("Mooring")
        items = [
            make.item(
                f"C-{n}", question=f"What is knot {n}?", reference="A hitch.", capability_=named
            )
            for n in range(2)
        ]
        run = interviewed.held(items=[*(one.pk for one in items), *interviewed.questions(1)])

        page = opened(as_analyst, at(run), django_capture_on_commit_callbacks)
        lines = b"".join(as_analyst.get(at(run, "interviews/scores.csv"))).decode().splitlines()

        assert "By capability" in page
        assert "n 2 of 2" in page
        assert any(one.startswith("Kestrel · 1,overall,,Mooring,") for one in lines)

    def test_has_figures_that_failed_tried_again(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = interviewed.held(n=1)
        good = opened(as_analyst, at(run), django_capture_on_commit_callbacks)
        Figure.objects.update(state=Figure.State.FAILED, problem="Something happened.")

        failed = as_analyst.get(at(run)).content.decode()
        with django_capture_on_commit_callbacks(execute=True):
            answer = as_analyst.post(at(run, "figures/again/"), {"next": at(run)})
        queue.burst("insight")

        assert "Something happened." in failed
        assert at(run, "figures/again/") in failed
        assert answer.headers["Location"] == at(run)
        assert "By aspect" in good
        assert "By aspect" in as_analyst.get(at(run)).content.decode()

    def test_tries_figures_again_without_being_led_elsewhere(self, as_analyst):
        run = interviewed.held(n=1)

        answer = as_analyst.post(at(run, "figures/again/"), {"next": "https://elsewhere.example/"})

        assert answer.headers["Location"] == at(run, "")

    def test_scores_anew_under_another_profile_and_asks_nobody(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = interviewed.held(n=3)
        n_calls = LLMCall.objects.count()

        first = opened(as_analyst, at(run), django_capture_on_commit_callbacks)
        second = opened(
            as_analyst,
            f"{at(run)}?scale=released&decay=fifth&unscored=shifts_up",
            django_capture_on_commit_callbacks,
        )

        assert LLMCall.objects.count() == n_calls
        assert "Profile: linear" in first
        assert "Profile: as released" in second
        values = [one.data["aspects"]["overall"] for one in Figure.objects.order_by("pk")]
        assert values[0] != values[1]

    def test_folds_the_profile_until_another_is_asked_for(self, as_analyst):
        run = interviewed.held(n=1)

        usual = squeezed(as_analyst.get(at(run)).content.decode())
        other = squeezed(as_analyst.get(f"{at(run)}?aspect=logic").content.decode())

        assert '<details class="data whole"> <summary>Aspect' in usual
        assert '<details class="data whole" open> <summary>Aspect' in other
        assert "<label>Map of a verdict<select" in usual

    def test_says_that_figures_are_being_computed(self, as_analyst):
        run = interviewed.held(n=1)

        assert "being computed" in as_analyst.get(at(run)).content.decode()

    def test_knows_no_run_of_another_kind(self, as_analyst):
        run = run_rows.run(in_=make.project())

        assert as_analyst.get(at(run)).status_code == 404

    def test_says_that_nothing_was_held_yet(self, as_analyst, django_capture_on_commit_callbacks):
        run = interviewed.requested(n=1)

        page = opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        assert "No dialogue has been held yet" in page


class TestFiles:
    def test_are_sent_and_written_down(self, as_analyst, django_capture_on_commit_callbacks):
        run = interviewed.held(n=3)
        opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        lines = b"".join(as_analyst.get(at(run, "interviews/scores.csv"))).decode().splitlines()
        drawn = b"".join(as_analyst.get(at(run, "interviews/scores.svg"))).decode()

        assert lines[0].startswith("system,aspect,dataset,capability,score")
        assert any(one.startswith("Kestrel · 1,overall,,,") for one in lines)
        assert all("scripted, not a measurement" in one for one in lines[1:])
        assert drawn.startswith("<svg") or "<svg" in drawn
        assert AuditEvent.objects.filter(verb="run.exported").count() == 2

    @pytest.mark.parametrize("table", ["pairs", "profiles", "ablation", "dialogues"])
    def test_hold_every_table(self, table, as_analyst, django_capture_on_commit_callbacks):
        run = interviewed.held(n=2, mark_but_continue=True)
        page = opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        url = at(run, f"interviews/tables/{table}.csv")
        lines = b"".join(as_analyst.get(url)).decode().splitlines()

        assert url in page
        assert len(lines) > 1
        assert lines[0].endswith(",choices,note")
        assert all("scripted, not a measurement" in one for one in lines[1:])

    def test_are_no_others(self, as_analyst):
        run = interviewed.held(n=1)

        assert as_analyst.get(at(run, "interviews/tables/nonsense.csv")).status_code == 404

    def test_lead_to_the_page_that_waits(self, as_analyst):
        run = interviewed.held(n=1)

        assert as_analyst.get(at(run, "interviews/scores.csv")).headers["Location"] == at(run)


class TestProfiles:
    def test_are_the_usual_ones_where_an_address_says_nonsense(self):
        assert of_params({"scale": "nonsense", "aspect": "beauty"}).profile.name == "linear"
