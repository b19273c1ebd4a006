import pytest

from annotation.bank import operations as refusals
from annotation.bank.rules import Act
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


class TestRequire:
    def test_lets_pass_what_is_theirs(self):
        version = make.question_version("DRAFT")

        refusals.require(Act.EDIT, version, version.author, "No.")

    def test_refuses_with_the_words_that_were_given(self):
        version = make.question_version("DRAFT")

        with pytest.raises(errors.NotNow, match="Not yours"):
            refusals.require(Act.EDIT, version, make.member(Role.INSPECTOR), "Not yours.")


class TestStaleDraft:
    def test_says_what_the_draft_is_at_now(self):
        assert refusals.StaleDraft("Behind.", 7).rev == 7
