import pytest

from scoring.kinds.fusion.forms import TaskEditor
from tests import make
from tests.scoring import fused
from tests.scoring.kinds.fusion.test_evaluation_tasks_pages import sent

pytestmark = pytest.mark.django_db


class TestEditor:
    def test_shows_a_task_as_it_is_and_some_empty_rows(self):
        fused.scored()
        content = fused.content("overlap")

        editor = TaskEditor(None, project=make.project(), content=content, name="Notes")

        names = [form.initial.get("name") for form in editor.criteria]
        assert names == ["Clear", "Right", None, None]
        assert editor.assistants[0].initial["key"] == "overlap"

    def test_reads_what_was_sent(self):
        editor = TaskEditor(sent(**{"criteria-0-step": "0.5"}), project=make.project())

        assert editor.is_valid(), editor.said
        (criterion,) = editor.task().criteria
        assert (criterion.key, str(criterion.scale.step)) == ("clear", "0.5")

    def test_gives_a_criterion_called_overall_another_key(self):
        editor = TaskEditor(sent(**{"criteria-0-name": "Overall"}), project=make.project())

        assert editor.is_valid()
        assert editor.task().faults() == frozenset()

    def test_leaves_out_what_is_ticked_to_be_deleted(self):
        given = {"criteria-1-name": "Right", "criteria-0-DELETE": "on"}
        editor = TaskEditor(sent(**given), project=make.project())

        assert editor.is_valid()
        assert [one.name for one in editor.task().criteria] == ["Right"]
