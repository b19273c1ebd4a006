import re
from datetime import timedelta

import pytest
from django.core import mail

from annotation.home import operations as mailing
from annotation.people import operations as people
from annotation.people.models import Person, Role, User
from annotation.review import operations as looks
from scoring.figures.models import Figure
from scoring.watching import queries as open_signals
from tests import make
from tests.scoring import rounds, signals

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
PACE = {"n": 9, "n_hits": 6, "expected": 1.0, "chance": 0.001, "alarm": True, "false_alarm": 0.01}


def reader(user: User) -> User:
    """Have somebody get the daily mail."""
    Person.objects.filter(user=user).update(email=f"{user.username}@example.org", daily_mail=True)
    return user


def mails(at=make.NOW) -> dict[str, str]:
    """Send what is due; return each mail's text by its reader."""
    mail.outbox.clear()
    mailing.send_due(at)
    return {sent.to[0].split("@")[0]: sent.body for sent in mail.outbox}


class TestDailyMail:
    def test_tells_owners_and_curators_of_signals_and_where_to_look(self, settings):
        settings.SITE_ADDRESS = "https://grades.example"
        round_ = rounds.graded(n_items=1, state="REVIEW")
        signals.raised(round_)
        for user in (round_.created_by, make.member(Role.CURATOR, username="curious")):
            reader(user)

        sent = mails()

        assert set(sent) == {round_.created_by.username, "curious"}
        for text in sent.values():
            assert "1 annotator to look at: gold (1)." in text
            there = f"/p/northport/rounds/{round_.number}/results/annotators/signals/"
            assert f"https://grades.example{there}" in text

    def test_names_nobody(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        concerned = signals.raised(round_)
        reader(round_.created_by)

        (text,) = mails().values()

        assert "signals of annotators" in text
        for word in (str(concerned.ref), str(make.account(concerned).display_name)):
            assert not re.search(rf"\b{re.escape(word)}\b", text)

    def test_never_tells_annotators_nor_other_roles(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        for rater in make.annotators(round_):
            reader(make.account(rater))
        for role in (Role.ANALYST, Role.DESIGNER, Role.INSPECTOR):
            reader(make.member(role, username=role.lower()))
        people.tell_annotators(
            project=round_.project, note="We meet on Friday.", by=round_.created_by, now=make.NOW
        )
        before = mails()

        signals.raised(round_)

        assert len(before) == 3  # the annotators, of the note
        assert mails(make.NOW + DAY) == {}

    def test_leaves_out_what_concerns_a_curator_who_grades(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        concerned = make.account(signals.raised(round_))
        people.grant(
            project=round_.project,
            user=concerned,
            role=Role.CURATOR,
            by=round_.created_by,
            now=make.NOW,
        )
        reader(concerned)
        reader(round_.created_by)

        sent = mails()

        assert "signals of annotators" in sent[round_.created_by.username]
        assert "signals of annotators" not in sent.get(concerned.username, "")

    def test_is_silent_until_something_has_changed(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        signals.raised(round_)
        reader(round_.created_by)
        assert len(mails()) == 1

        assert mails(make.NOW + DAY) == {}
        Figure.objects.filter(round=round_).update(ready_at=make.at(20_000))
        assert mails(make.NOW + 2 * DAY) == {}
        figure = Figure.objects.get(round=round_)
        figure.data["raters"][0]["pace"] = PACE
        figure.save(update_fields=["data"])
        told = mails(make.NOW + 3 * DAY)

        assert "1 annotator to look at: fast (1), gold (1)." in told[round_.created_by.username]

    def test_ends_once_somebody_has_looked(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        rater = signals.raised(round_)
        reader(round_.created_by)
        looks.look(
            round_=round_,
            rater=rater,
            because={"gold": 12},
            note="She had the wrong rubric open.",
            by=round_.created_by,
            now=make.NOW,
        )

        assert mails() == {}


class TestFound:
    def test_leaves_out_the_readers_own_signals(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        concerned = signals.raised(round_)

        own = open_signals.watched_rounds(round_.project, make.account(concerned))
        others = open_signals.watched_rounds(round_.project, round_.created_by)

        assert own.open == []
        assert [(one.n, one.signals) for one in others.open] == [(1, {"gold": 1})]


class TestStale:
    def test_is_what_was_graded_in_since(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        assert open_signals.stale(round_.project) == [round_]

        signals.raised(round_)

        assert open_signals.stale(round_.project) == []
