from dataclasses import replace

import pytest
from django.db import DatabaseError, transaction

from annotation.people.models import AuditEvent
from scoring.kinds.fusion import task_operations as evaluation_tasks
from scoring.kinds.fusion.models import EvaluationTask, TaskVersion
from tests import make
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


def next_version(version, content):
    by = connected.owner(make.project())
    return evaluation_tasks.add_version(task=version.task, content=content, by=by, now=make.NOW)


class TestCreate:
    def test_numbers_tasks_and_notes_who_wrote_them(self):
        fused.version(name="One")

        version = fused.version(name="Two")

        assert (version.task.number, version.number) == (2, 1)
        assert AuditEvent.objects.filter(verb="task.written", subject="task:2").count() == 1

    def test_refuses_a_name_that_is_taken(self):
        fused.version(name="One")

        with pytest.raises(evaluation_tasks.TaskNameTaken, match="called “One”"):
            fused.version(name="One ")
        assert EvaluationTask.objects.count() == 1

    def test_refuses_what_cannot_be_used_and_says_where(self):
        with pytest.raises(evaluation_tasks.BadTask) as refusal:
            fused.version(criteria=(), description="")

        assert set(refusal.value.fields) == {"criteria", "description"}

    def test_refuses_an_assistant_of_another_project(self):
        fused.scored()
        (one,) = fused.helpers("overlap")

        with pytest.raises(evaluation_tasks.BadTask, match="no judge or metric"):
            fused.version(helpers=(replace(one, rater=10**6),))


class TestAddVersion:
    def test_leaves_the_version_before_as_it_is(self):
        first = fused.version()

        second = next_version(first, fused.content(description="Judge it anew."))

        assert second.number == 2
        first.refresh_from_db()
        assert first.content["description"] == "Judge how good an answer is."

    def test_refuses_one_that_says_the_same(self):
        first = fused.version()

        with pytest.raises(evaluation_tasks.Unchanged):
            next_version(first, fused.content())

    def test_is_never_changed_by_anything(self):
        version = fused.version()

        with pytest.raises(DatabaseError, match="stays as it is"), transaction.atomic():
            TaskVersion.objects.filter(pk=version.pk).update(sha="x")
