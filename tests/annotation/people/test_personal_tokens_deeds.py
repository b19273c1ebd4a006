"""Tokens are made once, looked up by a hash, and end."""

from datetime import timedelta

import pytest

from annotation.people import access as passwords
from annotation.people import operations as people
from annotation.people import tokens as operations
from annotation.people.models import AuditEvent, PersonalToken, Role, User
from annotation.running import operations as leaving
from evalsite import errors
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db


def made(user=None, **given):
    values = {
        "name": "nightly",
        "given": [scopes.READ],
        "days": 30,
        "project": None,
        "now": make.NOW,
    }
    return operations.make(user=user or make.user("ravi"), **{**values, **given})


class TestMake:
    def test_keeps_the_secret_nowhere(self):
        found = made()

        kept = PersonalToken.objects.filter(pk=found.token.pk).values().get()
        assert found.secret.startswith("evs_")
        assert len(found.secret) >= 40
        assert not any(found.secret[8:] in str(value) for value in kept.values())
        assert found.secret not in str(AuditEvent.objects.values_list("data", "note"))

    def test_makes_another_one_each_time(self):
        assert made().secret != made().secret

    @pytest.mark.parametrize("days", [0, -1, 366])
    def test_refuses_more_than_a_year_and_no_day(self, days):
        with pytest.raises(errors.BadPeriod):
            made(days=days)

        assert not PersonalToken.objects.exists()

    @pytest.mark.parametrize("given", [[], ["everything"], [scopes.READ, "people:read"]])
    def test_refuses_scopes_that_there_are_not(self, given):
        with pytest.raises(operations.ScopesMissing):
            made(given=given)

    def test_refuses_a_project_of_others(self):
        with pytest.raises(operations.NotYourProject):
            made(project=make.project("southport"))

    def test_refuses_more_than_anybody_uses(self):
        for _n in range(operations.MOST):
            made()

        with pytest.raises(operations.TooManyTokens):
            made()

    def test_is_in_the_audit(self):
        made(given=[scopes.RUNS, scopes.READ])

        event = AuditEvent.objects.get(verb="token.made")
        assert event.data["scopes"] == [scopes.READ, scopes.RUNS]


class TestKnown:
    def test_finds_whose_it_is_and_when_it_was_used(self):
        found = made()

        token = operations.known(secret=found.secret, now=make.at(5))

        assert token == found.token
        token.refresh_from_db()
        assert token.last_used_at == make.at(5)

    def test_writes_once_a_minute_at_most(self, django_assert_num_queries):
        found = made()
        operations.known(secret=found.secret, now=make.at(5))

        with django_assert_num_queries(1):
            operations.known(secret=found.secret, now=make.at(5.5))

    @pytest.mark.parametrize("secret", ["", "evs_", "evs_" + "A" * 43, "x" * 500, "evs_" + "é" * 9])
    def test_finds_nothing_by_what_is_no_token(self, secret):
        made()

        assert operations.known(secret=secret, now=make.NOW) is None

    def test_finds_nothing_when_its_time_is_over(self):
        found = made(days=1)

        assert operations.known(secret=found.secret, now=make.NOW + timedelta(days=1)) is None

    def test_finds_nothing_of_somebody_who_may_not_sign_in(self):
        found = made()
        User.objects.filter(pk=found.token.user_id).update(is_active=False)

        assert operations.known(secret=found.secret, now=make.at(1)) is None


class TestRevoke:
    def test_ends_it(self):
        found = made()

        operations.revoke(token=found.token, by=found.token.user, now=make.at(1))

        assert operations.known(secret=found.secret, now=make.at(2)) is None
        with pytest.raises(operations.NotInUse):
            operations.revoke(token=found.token, by=found.token.user, now=make.at(3))

    def test_is_for_its_person_and_operators(self):
        found = made()
        operator = User.objects.create_superuser("root", make.PASSWORD)

        with pytest.raises(operations.NotYourToken):
            operations.revoke(token=found.token, by=make.user("lena"), now=make.at(1))
        operations.revoke(token=found.token, by=operator, now=make.at(1))

        assert AuditEvent.objects.get(verb="token.revoked").actor == operator.public_id


class TestPasswords:
    def test_take_the_tokens_along(self):
        user = make.user("ravi")
        found = made(user)

        passwords.change_own(
            user=user,
            old=make.PASSWORD,
            new="another long one 1",
            address="192.0.2.7",
            now=make.at(1),
        )

        assert operations.known(secret=found.secret, now=make.at(2)) is None

    def test_that_are_refused_leave_the_tokens(self):
        user = make.user("ravi")
        found = made(user)

        with pytest.raises(people.WrongPassword):
            passwords.change_own(
                user=user,
                old="wrong",
                new="a long one 1",
                address="192.0.2.7",
                now=make.at(1),
            )

        assert operations.known(secret=found.secret, now=make.at(2))


class TestErasing:
    def test_a_person_removes_their_tokens(self):
        user = make.member(Role.ANALYST)
        found = made(user)

        leaving.erase(user=user, name_typed=user.username, by=user, now=make.at(1))

        assert not PersonalToken.objects.exists()
        assert operations.known(secret=found.secret, now=make.at(2)) is None
