import pytest

from scoring.kinds.fusion.models import EvaluationTask, TaskVersion
from tests import make
from tests.pages import squeezed
from tests.scoring import fused, rounds

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/judges/tasks/"


def sent(**given):
    """Return what the editor sends: one field, one criterion, no assistant."""
    counts = {
        f"{name}-{what}": str(n)
        for name, n in (("fields", 1), ("criteria", 2), ("assistants", 1))
        for what, n in (("TOTAL_FORMS", n), ("INITIAL_FORMS", 0))
    }
    usual = {
        "head-name": "Notes",
        "head-description": "Judge a note.",
        "head-language": "en",
        "head-overall": "MEAN",
        "fields-0-name": "Question",
        "fields-0-where": "question",
        "criteria-0-name": "Clear",
        "criteria-0-minimum": "1",
        "criteria-0-maximum": "5",
        "criteria-0-steps": "Read it.\nScore it.",
        "criteria-1-minimum": "1",
        "criteria-1-maximum": "5",
    }
    return {**counts, **usual, **given}


class TestFusionTasks:
    def test_makes_a_task_of_a_template_with_one_click(self, as_curator):
        make.project()

        answer = as_curator.post(f"{PAGE}new/", {"deed": "take", "template": "summary"})

        assert answer.headers["Location"] == f"{PAGE}1/"
        page = as_curator.get(f"{PAGE}1/").content.decode()
        assert all(name in page for name in ("Coherence", "Consistency", "Fluency", "Relevance"))
        assert "No assistants:" in page

    def test_makes_a_task_of_a_rounds_rubric_with_one_click(self, as_curator):
        round_ = rounds.graded()
        version = round_.items.first().rubric_version

        listed = squeezed(as_curator.get(f"{PAGE}?round={round_.number}").content.decode())
        as_curator.post(f"{PAGE}new/", {"deed": "take", "rubric": version.pk})
        as_curator.post(f"{PAGE}new/", {"deed": "take", "rubric": version.pk})

        assert f'name="rubric" value="{version.pk}"' in listed
        first, second = EvaluationTask.objects.order_by("number")
        assert second.name == f"{first.name} (2)"
        content = first.versions.get().content
        names = [one["key"] for one in content["criteria"]]
        assert names == list(version.criteria.values_list("key", flat=True))


class TestFusionTaskNew:
    def test_keeps_what_was_written_and_leaves_empty_rows_out(self, as_curator):
        make.project()

        answer = as_curator.post(f"{PAGE}new/", sent())

        assert answer.status_code == 302
        content = TaskVersion.objects.get().content
        (criterion,) = content["criteria"]
        assert (criterion["key"], criterion["steps"]) == ("clear", ["Read it.", "Score it."])

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"head-description": ""}, "This field is required"),
            ({"criteria-0-maximum": "1"}, "must lie below its highest"),
            ({"criteria-1-name": "clear "}, "have one name or key"),
            ({"head-overall": "OWN"}, "Give both ends of the range"),
        ],
    )
    def test_says_what_is_wrong_and_saves_nothing(self, as_curator, given, why):
        make.project()

        answer = as_curator.post(f"{PAGE}new/", sent(**given))

        assert answer.status_code == 422
        assert why in answer.content.decode()
        assert not EvaluationTask.objects.exists()


class TestFusionTaskEdit:
    def test_saves_the_next_version_with_an_assistant(self, as_curator):
        fused.scored()
        fused.version()
        (overlap,) = fused.helpers("overlap")
        more = {
            "assistants-0-machine": f"{overlap.rater}:{overlap.criterion}",
            "assistants-0-meaning": "how alike",
            "criteria-1-name": "Right",
        }

        answer = as_curator.post(f"{PAGE}1/edit/", sent(**more))

        assert answer.status_code == 302
        newest = TaskVersion.objects.order_by("-number")[0]
        assert newest.number == 2
        (kept,) = newest.content["assistants"]
        assert (kept["rater"], kept["meaning"]) == (overlap.rater, "how alike")

    def test_shows_the_task_as_it_is(self, as_curator):
        fused.scored()
        fused.version("overlap")

        page = as_curator.get(f"{PAGE}1/edit/").content.decode()

        assert "Judge how good an answer is." in page
        assert 'value="clear"' in page
