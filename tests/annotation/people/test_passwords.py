import re
import smtplib
import uuid

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from annotation import jobs, models
from annotation.people import access as passwords
from annotation.people import audit
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import AuditEvent, LinkAsked, PasswordLink, Person, Role, SignIn
from evalsite import queue
from tests import make

pytestmark = pytest.mark.django_db

NEW = "a wholly other word"
HERE = "192.0.2.7"
LINK = re.compile(r"https://site\.example/password/([0-9a-f-]{36})/([\w-]+)/")


@pytest.fixture
def lena():
    user = make.user("lena", "Lena Voss")
    Person.objects.filter(user=user).update(email="lena@example.org")
    return user


@pytest.fixture
def committing(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def ask(given, now=make.NOW, from_address="192.0.2.1"):
    return passwords.ask(
        given=given, from_address=from_address, site="https://site.example", now=now
    )


def edit(user, email, password="", now=make.NOW):
    passwords.edit_own(
        user=user,
        name="L.",
        email=email,
        daily_mail=False,
        password=password,
        address=HERE,
        now=now,
    )


def link_in(message):
    found = LINK.search(message.body)
    assert found is not None
    return uuid.UUID(found[1]), found[2]


class TestAsk:
    @pytest.mark.parametrize("given", ["lena", "LENA", "lena@example.org", " Lena@Example.org "])
    def test_sends_a_link_to_whoever_is_meant(self, lena, committing, given):
        with committing():
            assert ask(given)
        queue.burst()

        (sent,) = mail.outbox
        public_id, token = link_in(sent)
        assert sent.to == ["lena@example.org"]
        assert passwords.user_of(public_id, token, timezone.now()) == lena
        assert "within 2 h" in sent.body

    def test_does_the_same_for_somebody_who_is_not_there(
        self, committing, django_assert_num_queries
    ):
        with committing():
            assert ask("nobody")

        assert [name for name, _given in queue.waiting()] == [passwords.JOB]
        queue.burst()
        assert mail.outbox == []

    def test_sends_nothing_to_who_has_left_or_gave_no_address(self, lena):
        models.User.objects.filter(pk=lena.pk).update(is_active=False)
        make.user("ravi")

        assert passwords.send_links(given="lena", address="", now=make.NOW) == 0
        assert passwords.send_links(given="ravi", address="", now=make.NOW) == 0

    def test_sends_three_links_an_hour_for_one_name_from_one_address(self):
        assert [ask("lena") for _ in range(4)] == [True, True, True, False]
        assert ask("LENA ") is False
        assert ask("ravi")
        assert ask("lena", from_address="192.0.2.2")
        assert ask("lena", now=make.at(61))

    def test_sends_ten_links_an_hour_to_one_address_whosever_it_is(self):
        for n in range(passwords.MOST_TO_ONE + 3):
            Person.objects.filter(user=make.user(f"n{n}")).update(email="victim@example.org")

        sent = passwords.send_links(given="victim@example.org", address="", now=make.NOW)
        one_by_one = passwords.send_links(given="n12", address="", now=make.at(1))
        later = passwords.send_links(given="n12", address="", now=make.at(61))

        assert (sent, one_by_one, later) == (passwords.MOST_TO_ONE, 0, 1)
        assert len(mail.outbox) == passwords.MOST_TO_ONE + 1

    def test_sends_ten_links_an_hour_for_one_name_whoever_asks(self):
        assert all(ask("lena", from_address=f"192.0.2.{n}") for n in range(10))
        assert ask("lena", from_address="192.0.2.99") is False

    def test_takes_a_line_of_ipv6_as_one_address(self):
        assert all(ask("lena", from_address=f"2001:db8:1:2::{n:x}") for n in range(3))
        assert ask("lena", from_address="2001:db8:1:2:ffff::1") is False
        assert ask("lena", from_address="2001:db8:1:3::1")

    def test_takes_twenty_an_hour_from_one_address(self):
        assert all(ask(f"lena-{n}") for n in range(20))
        assert ask("somebody") is False
        assert ask("somebody", from_address="192.0.2.2")

    def test_keeps_nothing_of_who_was_meant(self):
        ask("lena@example.org")

        kept = LinkAsked.objects.values().get()
        assert "lena" not in str(kept)
        assert "192.0.2.1" not in str(kept)

    def test_says_in_the_log_that_a_mail_did_not_go_out_without_the_address(
        self, lena, monkeypatch, caplog
    ):
        def refuse(*_args, **_more):
            raise smtplib.SMTPServerDisconnected("gone")

        monkeypatch.setattr(passwords, "send_mail", refuse)

        assert passwords.send_links(given="lena", address="", now=make.NOW) == 0
        assert "did not take a mail" in caplog.text
        assert "lena" not in caplog.text


def account(user, *, by):
    subject = f"user:{user.public_id}"
    audit.record(project=None, actor=by, verb="account.created", subject=subject, at=make.NOW)


def change(user, old=make.PASSWORD, address="192.0.2.1", now=make.NOW):
    return passwords.change_own(user=user, old=old, new=NEW, address=address, now=now)


class TestChangeOwn:
    def test_needs_the_old_one(self, lena):
        with pytest.raises(people.WrongPassword):
            change(lena, old="no")

        lena.refresh_from_db()
        assert lena.check_password(make.PASSWORD)

    def test_sets_the_new_one(self, lena):
        change(lena)

        lena.refresh_from_db()
        assert lena.check_password(NEW)

    def test_sets_the_new_one_and_leaves_one_device(self, lena):
        here, there = Client(), Client()
        for device in (here, there):
            device.force_login(lena)

        passwords.change_own(
            user=lena,
            old=make.PASSWORD,
            new=NEW,
            address=HERE,
            now=make.NOW,
            but=here.session.session_key or "",
        )

        lena.refresh_from_db()
        assert lena.check_password(NEW)
        assert [one.session_key for one in SignIn.objects.all()] == [here.session.session_key]

    def test_takes_out_an_address_that_whoever_made_the_account_may_have_given(self, lena):
        owner = make.user("owner")
        account(lena, by=owner)

        assert change(lena)
        edit(lena, "lena@example.org", NEW)
        assert not change(lena, old=NEW)

        assert Person.objects.get(user=lena).email == "lena@example.org"

    def test_leaves_the_address_of_who_came_by_an_invitation(self, lena):
        account(lena, by=None)

        assert not change(lena)

        assert Person.objects.get(user=lena).email == "lena@example.org"

    def test_looks_at_no_password_after_many_wrong_ones(self, lena):
        for _n in range(passwords.PASSWORDS):
            with pytest.raises(people.WrongPassword):
                change(lena, old="no")

        with pytest.raises(passwords.TooManyTries):
            change(lena)
        change(lena, now=make.at(15))

        lena.refresh_from_db()
        assert lena.check_password(NEW)

    def test_counts_none_that_was_right(self, lena):
        for _n in range(passwords.PASSWORDS + 1):
            with pytest.raises(people.WeakPassword):
                passwords.change_own(
                    user=lena, old=make.PASSWORD, new="short", address="", now=make.NOW
                )


class TestSetByLink:
    def test_sets_the_password_once_and_signs_every_device_out(self, lena):
        device = Client()
        device.force_login(lena)
        token = passwords.make_link(user=models.User.objects.get(pk=lena.pk), now=make.NOW)

        passwords.set_by_link(public_id=lena.public_id, token=token, new=NEW, now=make.NOW)

        lena.refresh_from_db()
        assert lena.check_password(NEW)
        assert device.get("/account/").status_code == 302
        assert not SignIn.objects.filter(user=lena).exists()
        assert AuditEvent.objects.filter(verb="password.set_by_link").exists()
        with pytest.raises(passwords.PasswordLinkIsOver):
            passwords.set_by_link(public_id=lena.public_id, token=token, new=NEW, now=make.NOW)

    def test_refuses_a_weak_password_and_keeps_the_link(self, lena):
        token = passwords.make_link(user=lena, now=make.NOW)

        with pytest.raises(people.WeakPassword) as refused:
            passwords.set_by_link(public_id=lena.public_id, token=token, new="short", now=make.NOW)

        assert list(refused.value.fields) == ["new"]
        assert passwords.user_of(lena.public_id, token, make.NOW)

    def test_refuses_another_persons_link_and_one_whose_time_is_over(self, lena, time_machine):
        time_machine.move_to(make.NOW)
        token = passwords.make_link(user=lena, now=make.NOW)

        assert passwords.user_of(make.user("ravi").public_id, token, make.NOW) is None
        assert passwords.user_of(lena.public_id, token, make.at(119)) == lena
        assert passwords.user_of(lena.public_id, token, make.at(121)) is None
        time_machine.shift(2 * 3600 + 60)
        assert passwords.user_of(lena.public_id, token, make.NOW) is None

    def test_revokes_tokens_and_other_links(self, lena):
        secret = personal_tokens.make(
            user=lena, name="a", given=["read"], days=365, project=None, now=make.NOW
        ).secret
        token = passwords.make_link(user=lena, now=make.NOW)

        passwords.set_by_link(public_id=lena.public_id, token=token, new=NEW, now=make.NOW)

        assert personal_tokens.known(secret=secret, now=make.NOW) is None
        assert not PasswordLink.objects.filter(ended_at=None).exists()

    def test_refuses_a_link_that_was_mailed_to_an_address_before(self, lena):
        token = passwords.make_link(user=lena, now=make.NOW)

        edit(lena, "new@example.org", make.PASSWORD)

        assert passwords.user_of(lena.public_id, token, make.NOW) is None


class TestTakeBack:
    def take_back(self, lena, home):
        link = lena.password_links.get()
        by = make.user("northport-owner")
        passwords.take_back(link=link, project=home, by=by, now=make.NOW)

    def test_ends_a_link(self, lena):
        home = make.project()
        people.grant(project=home, user=lena, role=Role.ANALYST, by=lena, now=make.NOW)
        token = passwords.make_link(user=lena, now=make.NOW)

        self.take_back(lena, home)

        assert passwords.user_of(lena.public_id, token, make.NOW) is None
        assert AuditEvent.objects.filter(verb="password.link_taken_back", project=home).exists()
        with pytest.raises(passwords.PasswordLinkIsOver):
            self.take_back(lena, home)

    def test_leaves_those_of_people_who_belong_elsewhere_too(self, lena):
        for home in (make.project(), make.project("southport")):
            people.grant(project=home, user=lena, role=Role.ANALYST, by=lena, now=make.NOW)
        token = passwords.make_link(user=lena, now=make.NOW)

        with pytest.raises(passwords.PasswordLinkIsOver):
            self.take_back(lena, make.project())

        assert passwords.user_of(lena.public_id, token, make.NOW) == lena


class TestEditOwn:
    @pytest.mark.parametrize("email", ["new@example.org", ""])
    def test_asks_for_the_password_where_the_address_changes(self, lena, email):
        with pytest.raises(people.WrongPassword) as refused:
            edit(lena, email, "no")

        assert refused.value.fields.keys() == {"password"}
        assert Person.objects.get(user=lena).email == "lena@example.org"

    def test_asks_for_none_where_only_the_name_changes(self, lena):
        edit(lena, "lena@example.org")

        assert Person.objects.get(user=lena).name == "L."

    def test_changes_an_address_a_few_times_a_day(self, lena):
        for n in range(passwords.ADDRESSES_A_DAY):
            edit(lena, f"n{n}@example.org", make.PASSWORD)

        with pytest.raises(passwords.TooManyAddresses):
            edit(lena, "more@example.org", make.PASSWORD)

        edit(lena, "more@example.org", make.PASSWORD, now=make.at(60 * 24 + 1))


class TestConfirm:
    def confirm(self, lena, password, now=make.NOW, address=HERE):
        passwords.confirm(user=lena, given=password, address=address, now=now, field="password")

    def test_bears_ten_wrong_passwords_and_then_not_even_the_right_one(self, lena):
        for _n in range(passwords.PASSWORDS):
            with pytest.raises(people.WrongPassword):
                self.confirm(lena, "no")

        with pytest.raises(passwords.TooManyTries):
            self.confirm(lena, make.PASSWORD)

        self.confirm(make.user("ravi"), make.PASSWORD)
        self.confirm(lena, make.PASSWORD, make.at(16))

    def test_bears_few_from_everywhere(self, lena):
        for n in range(passwords.TOKENS):
            with pytest.raises(people.WrongPassword):
                self.confirm(lena, "no", address=f"192.0.2.{n}")

        with pytest.raises(passwords.TooManyTries):
            self.confirm(lena, make.PASSWORD, address="198.51.100.1")

    def test_asks_for_one_where_none_was_typed_and_counts_no_try(self, lena):
        for _n in range(passwords.TOKENS * 2):
            with pytest.raises(people.WrongPassword, match="Type your password"):
                self.confirm(lena, "")

        self.confirm(lena, make.PASSWORD)

    def test_counts_no_right_password(self, lena):
        for _n in range(passwords.TOKENS * 2):
            self.confirm(lena, make.PASSWORD)


class TestTell:
    def test_tells_the_old_address_where_mails_go_from_now_on(self, lena, committing):
        with committing():
            edit(lena, "new@example.org", make.PASSWORD)
        queue.burst()

        (sent,) = mail.outbox
        assert sent.to == ["lena@example.org"]
        assert "e-mail address of lena was changed" in sent.body

    def test_tells_of_a_new_password(self, lena, committing):
        with committing():
            change(lena)
        queue.burst()

        assert "password of lena was changed" in mail.outbox[0].body

    def test_tells_nobody_where_the_address_stays(self, lena, committing):
        with committing():
            edit(lena, "Lena@example.org")

        assert queue.waiting() == []

    def test_is_quiet_about_somebody_who_is_gone(self):
        jobs.tell_of_change(user_id=10**9, to="a@example.org", what="password")

        assert mail.outbox == []
