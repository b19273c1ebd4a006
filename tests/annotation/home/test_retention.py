from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db.models import Model

from annotation import jobs, models
from annotation.bankfile import operations as files
from annotation.bankfile.models import BankFile, BankPiece
from annotation.files.models import Upload, UploadChunk
from annotation.home import operations as retention
from annotation.people import operations as settings
from annotation.people.models import AuditEvent, LinkAsked
from annotation.people.rules import KEPT, Retention
from annotation.rounds import states
from annotation.rounds.models import ClaimEvent, Draft, Receipt
from evalsite import queue
from scoring.engine.models import CallText, LLMCall
from scoring.figures.models import Figure
from tests import imports, make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db

LATER = make.NOW + timedelta(days=40)
MONTH = dict.fromkeys(KEPT, 30)


def keep(days, home=None):
    settings.set_retention(
        project=home or make.project(),
        retention=Retention(days),
        base=0,
        by=make.user("northport-owner"),
        now=make.NOW,
    )


def final_round():
    """Return one with a submitted seat whose correction was begun, and a seat whose draft was left."""
    round_ = make.open_round(n_items=2)
    for seat in (make.claim(round_), make.claim(round_, make.annotators(round_)[1])):
        if seat.rater == make.annotators(round_)[0]:
            make.submit(seat)
        Draft.objects.create(
            assignment=seat,
            rater=make.holder(seat),
            marks={"mark/A/grade": "2"},
            saved_at=make.at(2),
        )
    states.expire(make.at(120), round_=round_)
    states.close(round_=round_, by=round_.created_by, now=make.at(3))
    states.finish(round_=round_, by=round_.created_by, now=make.at(4))
    return round_


def ended_run():
    run = run_rows.run(state="DONE", finished_at=make.at(5))
    run_rows.call(run_rows.step(run))
    return run


def figure(round_):
    return Figure.objects.create(
        name="scores",
        params={},
        params_sha="p",
        ratings_sha="r",
        round=round_,
        state="READY",
        data={},
        wanted_at=make.NOW,
        ready_at=make.at(6),
    )


def rows() -> dict[type[Model], list[dict[str, object]]]:
    """Return every row of every table of the product."""
    of = [
        *apps.get_app_config("annotation").get_models(),
        *apps.get_app_config("scoring").get_models(),
    ]
    return {model: list(model._default_manager.order_by("pk").values()) for model in of}


class TestSweep:
    def test_removes_exactly_what_is_kept_for_a_time_and_nothing_else(self):
        figure(final_round())
        ended_run()
        imports.apply(imports.answers())
        keep(MONTH)
        before = rows()
        going = {Draft, Receipt, Upload, UploadChunk, CallText, Figure}
        assert all(before[model] for model in going)

        retention.sweep(now=LATER)

        after = rows()
        assert {model for model in before if after[model] != before[model]} == {
            *going,
            models.ImportBatch,
            ClaimEvent,
            AuditEvent,
        }
        assert not any(after[model] for model in going)
        # An import loses its file and nothing else; the audit gains one event.
        assert [{**row, "upload_id": None} for row in before[models.ImportBatch]] == after[
            models.ImportBatch
        ]
        # Whose seat it was stays; what they had begun does not.
        assert [{**row, "kept": None} for row in before[ClaimEvent]] == after[ClaimEvent]
        assert after[AuditEvent][:-1] == before[AuditEvent]

    def test_says_in_the_audit_how_much_of_what_went(self):
        final_round()
        keep({"drafts": 30})

        retention.sweep(now=LATER)

        event = AuditEvent.objects.latest("pk")
        assert (event.verb, event.actor) == ("retention.removed", None)
        assert event.data == {"removed": {"drafts": 2}, "days": {"drafts": 30}}

    def test_leaves_everything_where_nothing_is_set(self):
        final_round()
        ended_run()
        before = rows()

        assert retention.sweep(now=LATER) == 0
        assert rows() == before

    def test_leaves_what_is_younger(self):
        final_round()
        keep(MONTH)

        assert retention.sweep(now=make.NOW + timedelta(days=29)) == 0
        assert Draft.objects.exists()

    def test_leaves_drafts_of_rounds_that_are_not_final(self):
        left = make.claim(make.open_round())
        Draft.objects.create(assignment=left, rater=make.holder(left), saved_at=make.NOW)
        keep(MONTH)

        retention.sweep(now=LATER)

        assert Draft.objects.exists()

    def test_leaves_texts_of_runs_that_have_not_ended(self):
        run_rows.call(run_rows.step(run_rows.run()))
        keep(MONTH)

        retention.sweep(now=LATER)

        assert CallText.objects.exists()

    def test_leaves_a_file_that_is_being_brought_in(self):
        batch = imports.apply(imports.answers())
        models.ImportBatch.objects.filter(pk=batch.pk).update(state="STAGED")
        keep(MONTH)

        retention.sweep(now=LATER)

        assert Upload.objects.exists()

    def test_leaves_other_projects_alone(self):
        ended_run()
        keep(MONTH, make.project("southgate"))

        retention.sweep(now=LATER)

        assert CallText.objects.exists()

    def test_keeps_calls_with_their_costs_where_their_texts_go(self):
        ended_run()
        keep({"calls": 30})

        retention.sweep(now=LATER)

        call = LLMCall.objects.get()
        assert call.text_sha
        assert call.cost

    def test_forgets_sessions_and_requests_for_links_that_are_over(self, client):
        client.force_login(make.user("lena"))
        Session.objects.update(expire_date=make.NOW)
        LinkAsked.objects.create(whom_sha="a", from_sha="b", at=make.NOW)

        retention.sweep(now=LATER)

        assert not Session.objects.exists()
        assert not LinkAsked.objects.exists()


class TestCount:
    def test_says_what_would_go_and_removes_nothing(self):
        final_round()
        ended_run()

        found = retention.count(
            project=make.project(), days={"drafts": 30, "calls": 30, "files": 30}, now=LATER
        )

        assert found == {"drafts": 2, "receipts": None, "files": 0, "calls": 2, "figures": None}
        assert Draft.objects.exists()
        assert CallText.objects.exists()


class TestBankFiles:
    def test_go_with_the_files_that_were_handed_in(self):
        home = make.project()
        owner = make.user("northport-owner")
        given = {"project": home, "by": owner, "now": make.NOW}
        files.receive(name="bank.zip", pieces=[b"x" * 10], **given)
        moving = files.ask_export(named=False, **given)
        BankFile.objects.exclude(pk=moving.pk).update(state=BankFile.State.REFUSED)
        keep({"files": 30})
        days = {"files": 30}

        assert retention.count(project=home, days=days, now=LATER)["files"] == 1
        assert retention.count(project=home, days=days, now=make.NOW)["files"] == 0
        assert retention.sweep(now=LATER) == 1
        assert list(BankFile.objects.all()) == [moving]  # a worker is at it
        assert not BankPiece.objects.exists()
        assert AuditEvent.objects.filter(verb="bank.received").exists()


class TestRing:
    def test_asks_a_worker_once_an_hour(self, monkeypatch, django_capture_on_commit_callbacks):
        monkeypatch.setattr(retention, "_rung", None)

        with django_capture_on_commit_callbacks(execute=True):
            retention.ring(make.NOW)
            retention.ring(make.at(30))
        assert [name for name, _given in queue.waiting("bulk")] == [retention.JOB]

        queue.burst()
        with django_capture_on_commit_callbacks(execute=True):
            retention.ring(make.at(61))
        assert len(queue.waiting("bulk")) == 1

    def test_is_what_the_job_does(self):
        LinkAsked.objects.create(whom_sha="a", from_sha="b", at=make.NOW)

        jobs.keep_for_a_time()

        assert not LinkAsked.objects.exists()
