import smtplib
from datetime import timedelta

import pytest
from django.core import mail

from annotation import jobs, models
from annotation.home import operations as mailing
from annotation.people import operations as people
from annotation.people.models import Role
from evalsite import queue
from tests import make

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def not_looked(monkeypatch):
    monkeypatch.setattr(mailing, "_looked", None)


def reader(role: Role = Role.ANNOTATOR, **changed) -> models.User:
    user = make.member(role, username="lena")
    wanted = {"email": "lena@example.org", "daily_mail": True} | changed
    models.Person.objects.filter(user=user).update(**wanted)
    return user


def note(text: str, minute: float = 0) -> None:
    people.tell_annotators(
        project=make.project(), note=text, by=make.user("northport-owner"), now=make.at(minute)
    )


class TestSendDue:
    def test_tells_an_annotator_what_is_new_and_where(self, settings):
        settings.SITE_ADDRESS = "https://grades.example"
        reader()
        note("We meet on Friday.")

        assert mailing.send_due(make.at(1)) == 1

        (sent,) = mail.outbox
        assert sent.to == ["lena@example.org"]
        assert sent.subject == "1 thing to know"
        assert "We meet on Friday." in sent.body
        assert "https://grades.example/p/northport/grade/" in sent.body
        assert "Stop this mail" in sent.body

    def test_has_no_links_where_the_site_does_not_know_its_address(self):
        reader()
        note("We meet on Friday.")

        mailing.send_due(make.at(1))

        assert "/p/northport" not in mail.outbox[0].body

    def test_writes_at_most_once_a_day_and_only_of_what_is_new(self):
        reader()
        note("We meet on Friday.")

        sent = [mailing.send_due(make.at(1) + wait) for wait in (0 * DAY, DAY / 2, DAY, 3 * DAY)]

        assert sent == [1, 0, 0, 0]

    def test_tells_a_curator_what_waits_once_until_it_changes(self):
        reader(Role.CURATOR)
        round_ = make.open_round()
        models.Round.objects.filter(pk=round_.pk).update(deadline=make.at(0) + 2 * DAY)

        first, second = mailing.send_due(make.at(1)), mailing.send_due(make.at(2) + DAY)

        assert (first, second) == (1, 0)
        assert round_.name in mail.outbox[0].body

    @pytest.mark.parametrize("changed", [{"daily_mail": False}, {"email": ""}])
    def test_writes_to_nobody_who_did_not_ask(self, changed):
        reader(**changed)
        note("We meet on Friday.")

        assert mailing.send_due(make.at(1)) == 0
        assert mail.outbox == []

    def test_tries_again_what_the_server_did_not_take(self, monkeypatch, caplog):
        reader()
        note("We meet on Friday.")
        with monkeypatch.context() as broken:

            def refuse(*args, **kwargs):
                raise smtplib.SMTPServerDisconnected("lena@example.org")

            broken.setattr(mailing, "send_mail", refuse)
            assert mailing.send_due(make.at(1)) == 0

        assert mailing.send_due(make.at(20)) == 1
        assert "SMTPServerDisconnected" in caplog.text
        assert "lena" not in caplog.text

    def test_never_sends_one_twice_when_two_workers_look_at_once(self, monkeypatch):
        reader()
        note("We meet on Friday.")
        first = list(mailing.due(make.at(1)))
        assert mailing.send_due(make.at(1)) == 1
        monkeypatch.setattr(mailing, "due", lambda now: first)

        assert mailing.send_due(make.at(1)) == 0


class TestRing:
    def test_has_the_job_send_and_looks_only_every_quarter_of_an_hour(
        self, django_capture_on_commit_callbacks
    ):
        reader()
        note("We meet on Friday.")

        with django_capture_on_commit_callbacks(execute=True) as rings:
            for minute in (1, 2, 14):
                mailing.ring_for_mail(make.at(minute))

        assert len(rings) == 1
        assert queue.waiting() == [(mailing.MAIL_JOB, {})]

    def test_leaves_the_queue_alone_where_nothing_is_due(self):
        mailing.ring_for_mail(make.at(1))

        assert queue.waiting() == []

    def test_names_a_job_that_there_is(self):
        reader()
        note("We meet on Friday.")

        jobs.send_mails()

        assert len(mail.outbox) == 1
