import datetime
import itertools
import json
import time
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import Sum
from django.urls import reverse

from annotation import models
from annotation.common import beats, identity
from annotation.common import texts as contents
from annotation.common.pace import Batches
from annotation.files.mappings import AnswerMapping
from annotation.files.models import ImportBatch
from annotation.imports import operations as applying
from annotation.imports import undoing, uploading
from annotation.systems.models import Item, Response
from evalsite import queue
from tests import imports, make

pytestmark = pytest.mark.django_db


def start(upload):
    return applying.start(upload=upload, by=upload.created_by, now=make.NOW)


class Killed(Exception):
    """Stands for a worker that dies."""


def many(n_items=400):
    rows = [
        {
            "id": f"Q{place}",
            "question": f"Question {place}?",
            "answer_K": f"{place}",
            "answer_H": "x",
        }
        for place in range(n_items)
    ]
    return imports.lines(*rows)


def killing_clock(after):
    calls = itertools.count()

    def tell():
        if next(calls) >= after:
            raise Killed
        return make.NOW

    return tell


class TestApplyingAnswers:
    def test_brings_in_items_systems_and_responses(self):
        batch = imports.apply(imports.answers())

        assert batch.state == ImportBatch.State.APPLIED
        assert batch.counts["responses"] == 4
        item = Item.objects.seen().get(external_id="Q1")
        assert item.messages == contents.as_messages("What is a pallet?")
        assert item.reference == "A flat base."
        assert item.group == "Q1"
        assert item.content_sha == contents.content_sha(item.messages, item.reference, {})
        said = Response.objects.get(item=item, release__system__name="Kestrel")
        assert said.messages == [{"role": "assistant", "content": "A base for goods."}]
        assert said.release.label == "1"
        assert list(models.System.objects.values_list("name", "colour").order_by("name")) == [
            ("Harbour", 2),
            ("Kestrel", 1),
        ]

    def test_keeps_everything_that_a_row_says(self):
        make.capability("Factuality")
        row = {
            "id": "Q1",
            "question": "What?",
            "key_points": ["a", "b"],
            "capability": "Factuality",
            "domain": "Rail",
            "difficulty": "简单",
            "type": "open",
            "as_of": "2026-02-01",
            "language": "en",
            "group": "G",
            "sources": ["x"],
            "system": "K",
            "release": "v2",
            "response": "A",
            "sample_no": 3,
            "latency_ms": 12,
        }
        imports.apply(imports.answers(imports.lines(row), "a.jsonl", create_missing=True))

        item = Item.objects.get()
        assert (item.key_points, item.extra) == (["a", "b"], {"sources": ["x"], "language": "en"})
        assert (item.capability.name, item.domain.name) == ("Factuality", "Rail")
        assert (item.difficulty, item.question_type) == ("SIMPLE", "OPEN")
        assert (item.as_of, item.group) == ("2026-02-01", "G")
        said = Response.objects.get()
        assert (said.release.label, said.sample_no) == ("v2", 3)
        assert said.details == {"latency_ms": 12}

    def test_splits_conversations(self):
        talk = [
            {"from": "human", "value": "Hi"},
            {"from": "gpt", "value": "Hello"},
            {"from": "human", "value": "What is a pallet?"},
            {"from": "gpt", "value": "A base."},
        ]
        imports.apply(
            imports.answers(imports.lines({"conversations": talk}), "a.jsonl", system="K")
        )

        item = Item.objects.get()
        assert [one["content"] for one in item.messages] == ["Hi", "Hello", "What is a pallet?"]
        assert item.external_id == f"q-{item.prompt_sha[:12]}"
        assert Response.objects.get().messages == [{"role": "assistant", "content": "A base."}]

    def test_changes_nothing_the_second_time(self):
        imports.apply(imports.answers())

        with pytest.raises(applying.AlreadyImported) as refused:
            start(imports.answers())

        assert refused.value.batch.number == 1
        assert (Item.objects.count(), Response.objects.count()) == (2, 4)

    def test_doubles_nothing_under_another_mapping(self):
        imports.apply(imports.answers())
        again = imports.apply(
            imports.answers(targets={"standard_answer": "standard_answer"}, system="Z")
        )

        assert again.number == 2
        assert again.counts["known_responses"] == 4
        assert (Item.objects.count(), Response.objects.count()) == (2, 4)

    def test_refuses_a_file_that_was_not_checked(self):
        upload = imports.take()
        with pytest.raises(applying.NotChecked):
            start(upload)

        uploading.set_mapping(upload=upload, mapping=AnswerMapping(imports.places(upload)))
        with pytest.raises(applying.NotChecked):
            start(upload)

    def test_refuses_a_file_with_problems(self):
        with pytest.raises(applying.HasProblems):
            start(imports.answers(imports.ANSWERS + "Q3,,,,Kestrel,No.\n"))

        assert ImportBatch.objects.count() == 0

    def test_leads_to_the_same_import_when_asked_twice(self):
        batch = start(imports.answers())

        with pytest.raises(applying.AlreadyImported) as refused:
            start(batch.upload)

        assert refused.value.batch == batch

    def test_refuses_a_second_import_at_a_time(self):
        start(imports.answers())

        with pytest.raises(applying.OneAtATime):
            start(imports.answers(imports.ANSWERS + "Q3,New?,Yes.,,Kestrel,No.\n"))

    def test_shows_nothing_before_everything_is_in(self):
        batch = start(imports.answers(many(), "a.jsonl"))

        with pytest.raises(Killed):
            applying.carry_on(batch_id=batch.pk, clock=killing_clock(2))

        batch.refresh_from_db()
        assert 0 < batch.cursor < 400
        assert Item.objects.count() == batch.cursor
        assert Item.objects.seen().count() == models.System.objects.seen().count() == 0

    def test_goes_on_after_a_kill_at_any_batch(self):
        batch = start(imports.answers(many(), "a.jsonl"))
        for after in (1, 2, 3, 1):
            with pytest.raises(Killed):
                applying.carry_on(batch_id=batch.pk, clock=killing_clock(after))

        done = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert done.state == ImportBatch.State.APPLIED
        assert (Item.objects.seen().count(), Response.objects.seen().count()) == (400, 800)
        assert done.counts["responses"] == 800

    def test_is_finished_once_by_two_workers(self):
        batch = start(imports.answers())
        applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        again = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert again.counts["responses"] == 4
        assert applying.carry_on(batch_id=0, clock=imports.clock) is None

    def test_gives_way_to_a_worker_that_is_ahead(self):
        batch = start(imports.answers(many(), "a.jsonl"))

        def overtaking_clock():
            ImportBatch.objects.filter(pk=batch.pk).update(cursor=399)
            return make.NOW

        overtaken = applying.carry_on(batch_id=batch.pk, clock=overtaking_clock)

        assert overtaken.state == ImportBatch.State.STAGED
        assert Item.objects.count() == 0

    def test_stops_when_the_project_changed_since_the_check(self):
        upload = imports.answers()
        batch = start(upload)
        other = make.item("Q1", question="What is a pallet?", reference="A flat base.")
        make.response(other, make.release("Kestrel"), "Another answer.")

        stopped = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert "Line 2" in stopped.stopped
        assert stopped.state == ImportBatch.State.STAGED
        assert Item.objects.count() == 1

    def test_writes_batches_that_get_shorter_when_they_are_slow(self):
        batch = start(imports.answers(many(), "a.jsonl"))
        begun = []
        with connection.execute_wrapper(
            lambda execute, sql, *rest: (
                begun.append(sql) if sql.startswith("SAVEPOINT") else None,
                execute(sql, *rest),
            )[1]
        ):
            applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert len(begun) >= 4

    def test_does_not_write_fewer_rows_at_once_for_waiting_for_its_turn(self, monkeypatch):
        learned, waited = [], []

        class Watched(Batches):
            def learn(self, count, seconds):
                learned.append(seconds)

        monkeypatch.setattr(applying, "Batches", Watched)
        batch = start(imports.answers())

        def wait(execute, sql, *rest):
            if sql.startswith("UPDATE") and '"cursor" =' in sql:
                waited.append(sql)
                time.sleep(1)
            return execute(sql, *rest)

        with connection.execute_wrapper(wait):
            applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert waited
        assert len(learned) == 1
        assert learned[0] < 1

    def test_stops_when_its_time_is_up_and_rings(self, django_capture_on_commit_callbacks):
        batch = start(imports.answers(many(), "a.jsonl"))

        with django_capture_on_commit_callbacks(execute=True):
            applying.carry_on(batch_id=batch.pk, clock=imports.clock, seconds=0)

        assert queue.waiting("bulk") == [("annotation.jobs.apply_import", {"batch_id": batch.pk})]
        queue.burst()
        batch.refresh_from_db()
        assert batch.state == ImportBatch.State.APPLIED


class TestApplyingPartsOfConversations:
    def test_makes_a_question_of_every_tool_call_of_a_file_of_traces(self):
        text = Path("fixtures/examples/agent_traces.jsonl").read_text()
        options = {"system": "Kestrel", "parts": "TOOL_CALL"}
        upload = imports.answers(text, "traces.jsonl", **options)
        assert upload.report["counts"]["new_items"] == 7

        imports.apply(upload)
        again = imports.answers(text, "traces.jsonl", **options)

        items = Item.objects.order_by("external_id")
        assert [one.group for one in items].count("parallel calls answered out of order") == 3
        assert {one.extra["part"]["level"] for one in items} == {"TOOL_CALL"}
        assert Response.objects.count() == 7
        before = json.dumps([one.messages for one in items])
        assert "Kestrel" not in before
        assert identity.MASK in json.dumps(json.loads(before), ensure_ascii=False)
        assert again.report["counts"]["new_items"] == 0


class TestApplyingGrades:
    def test_makes_a_final_round_of_its_own(self):
        imports.apply(imports.answers())
        batch = imports.apply(imports.grades(aliases={"coh": "coherence"}))

        round_ = models.Round.objects.get(batch=batch)
        assert (round_.kind, round_.state, round_.name) == ("IMPORTED", "FINAL", "Old grades")
        assert round_.n_seats == 2
        assert [(row.item.external_id, row.ordinal, row.n_seats) for row in round_.items.all()] == [
            ("Q1", 0, 2),
            ("Q2", 1, 2),
        ]
        systems = round_.systems.order_by("ordinal")
        assert [row.release.system.name for row in systems] == ["Harbour", "Kestrel"]
        version = round_.rubrics.get().rubric_version
        assert version.frozen_at
        assert [one.key for one in version.criteria.all()] == ["coherence", "flu"]
        assert models.Grade.objects.seen().count() == 11
        assert models.Grade.objects.aggregate(sum=Sum("value"))["sum"] == 40
        assert models.Rater.objects.filter(kind="IMPORTED").count() == 2

    def test_numbers_the_cells_of_the_file(self):
        imports.apply(imports.answers())
        imports.apply(imports.grades())

        lines = models.Grade.objects.order_by("line").values_list("line", flat=True)
        assert list(lines) == [*range(1, 12)]

    def test_keeps_time_and_comment(self):
        imports.apply(imports.answers())
        text = "item,system,criterion,rater,value,at,comment\n"
        text += "Q1,Kestrel,c,lena,3,2026-03-10T09:01:00+00:00,Well said.\n"
        imports.apply(imports.grades(text))

        grade = models.Grade.objects.get()
        assert grade.given_at == datetime.datetime(2026, 3, 10, 9, 1, tzinfo=datetime.UTC)
        assert grade.remarks.get().text == "Well said."

    def test_is_hidden_until_all_are_in(self):
        imports.apply(imports.answers())
        start(imports.grades())

        assert models.Round.objects.get().batch.state == "STAGED"
        assert models.Grade.objects.seen().count() == 0

    def test_goes_on_after_a_kill(self):
        rows = [f"Q{place},K{system}" for place in range(200) for system in range(2)]
        said = "id,question,system,response\n"
        said += "".join(
            f"Q{place},What {place}?,K{system},a\n" for place in range(200) for system in range(2)
        )
        imports.apply(imports.answers(said))
        text = "item,system,a_c,b_c\n" + "".join(f"{row},3,4\n" for row in rows)
        batch = start(imports.grades(text))
        for after in (1, 2):
            with pytest.raises(Killed):
                applying.carry_on(batch_id=batch.pk, clock=killing_clock(after))

        done = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert done.state == ImportBatch.State.APPLIED
        assert models.Grade.objects.count() == 800
        assert models.RoundItem.objects.count() == 200
        assert models.RoundResponse.objects.count() == 400

    def test_takes_a_rubric_that_is_there(self):
        imports.apply(imports.answers())
        version = make.rubric_version("summary", maximum=5, criteria=("coh", "flu"))

        imports.apply(imports.grades(rubric="summary@1"))

        assert models.RoundRubric.objects.get().rubric_version == version
        version.refresh_from_db()
        assert version.frozen_at == make.NOW

    def test_makes_the_same_rubric_only_once(self):
        imports.apply(imports.answers())
        imports.apply(imports.grades())
        imports.apply(imports.grades(round_name="Again"))
        assert models.RubricVersion.objects.count() == 1

        imports.apply(imports.grades(round_name="Third", aliases={"coh": "coherence"}))
        assert models.RubricVersion.objects.count() == 2


class TestResume:
    def test_rings_for_a_stopped_import(self, django_capture_on_commit_callbacks):
        batch = start(imports.answers())
        ImportBatch.objects.update(stopped="Something happened.")

        with django_capture_on_commit_callbacks(execute=True):
            applying.resume(batch=batch, by=batch.created_by, now=make.NOW)
        queue.burst()

        batch.refresh_from_db()
        assert batch.state == ImportBatch.State.APPLIED

    def test_refuses_one_that_moves(self):
        batch = start(imports.answers())

        with pytest.raises(undoing.NotStopped):
            applying.resume(batch=batch, by=batch.created_by, now=make.NOW)


class TestRingAgain:
    def test_rings_for_imports_that_do_not_move(self, django_capture_on_commit_callbacks):
        batch = start(imports.answers())

        with django_capture_on_commit_callbacks(execute=True):
            assert applying.ring_for_applying(now=make.at(0.5)) == 0
            assert applying.ring_for_applying(now=make.at(2)) == 1
        queue.burst()
        batch.refresh_from_db()
        assert batch.state == ImportBatch.State.APPLIED


class TestAnImportOverWhichWorkersEnd:
    @pytest.fixture
    def stopped(self):
        batch = start(imports.answers(many(), "a.jsonl"))
        for _worker in range(beats.TRIES):
            with pytest.raises(Killed):  # before a row is in
                applying.carry_on(batch_id=batch.pk, clock=killing_clock(1))
        return applying.carry_on(batch_id=batch.pk, clock=imports.clock)

    def test_stops_and_says_so(self, client, stopped):
        client.force_login(stopped.created_by)

        page = client.get(reverse("batch", args=["northport", stopped.number])).content.decode()

        assert "The worker ended three times at the same place." in page
        assert applying.ring_for_applying(now=make.at(600)) == 0

    def test_goes_on_where_a_person_asks(self, stopped, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            applying.resume(batch=stopped, by=stopped.created_by, now=make.NOW)
        queue.burst()

        stopped.refresh_from_db()
        assert stopped.state == ImportBatch.State.APPLIED

    def test_does_not_stop_as_long_as_each_worker_gets_on(self):
        batch = start(imports.answers(many(), "a.jsonl"))
        for _worker in range(beats.TRIES + 1):
            with pytest.raises(Killed):
                applying.carry_on(batch_id=batch.pk, clock=killing_clock(2))

        done = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert done.state == ImportBatch.State.APPLIED
