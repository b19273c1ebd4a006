from datetime import timedelta

import pytest

from annotation.people import queries as personal_tokens
from annotation.people import tokens as operations
from annotation.people.models import Membership, PersonalToken, Role
from evalsite.web import scopes
from tests import make

pytestmark = pytest.mark.django_db


def token(user, name="a program", *, project=None, days=30):
    made = operations.make(
        user=user, name=name, given=[scopes.READ], days=days, project=project, now=make.NOW
    )
    return PersonalToken.objects.get(pk=made.token.pk)


def reaching(after=timedelta(minutes=1)):
    found = personal_tokens.reaching(make.project(), make.NOW + after)
    return [one.name for one in found]


class TestReaching:
    def test_are_those_for_the_project_and_for_all(self):
        lena = make.member(Role.ANALYST, username="lena")
        token(lena, "all")
        token(lena, "here", project=make.project())
        other = make.project("southport")
        make.member(Role.ANALYST, username="lena", in_=other)
        token(lena, "elsewhere", project=other)

        assert sorted(reaching()) == ["all", "here"]

    def test_are_not_those_of_people_who_left_or_never_were_here(self):
        lena = make.member(Role.ANALYST, username="lena")
        token(lena)
        token(make.user("noor"), "noor's")
        assert reaching() == ["a program"]

        Membership.objects.filter(user=lena).update(ended_at=make.NOW)

        assert reaching() == []

    def test_are_named_once_whatever_roles_there_are(self):
        lena = make.member(Role.ANALYST, username="lena")
        make.member(Role.CURATOR, username="lena")
        token(lena)

        assert reaching() == ["a program"]

    def test_are_not_those_that_are_revoked_or_over(self):
        lena = make.member(Role.ANALYST, username="lena")
        operations.revoke(token=token(lena, "revoked"), by=lena, now=make.NOW)
        token(lena, "short", days=1)
        token(lena, "long")

        assert reaching(timedelta(days=2)) == ["long"]

    def test_begin_with_the_one_that_was_used_last(self):
        lena = make.member(Role.ANALYST, username="lena")
        for name, used in (("old", make.NOW), ("new", make.at(5)), ("never", None)):
            one = token(lena, name)
            PersonalToken.objects.filter(pk=one.pk).update(last_used_at=used)

        assert reaching() == ["new", "old", "never"]
