import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.management.commands import create_owner
from annotation.people import tokens as personal_tokens
from tests import make

pytestmark = pytest.mark.django_db
NEW = "another good one"


class TestChangepassword:
    def test_is_ours_and_lets_nothing_in_that_got_in_before(self, monkeypatch):
        monkeypatch.setenv(create_owner.VARIABLE, NEW)
        user = make.user("lena")
        secret = personal_tokens.make(
            user=user, name="a", given=["read"], days=9, project=None, now=timezone.now()
        ).secret

        call_command("changepassword", "Lena")

        user.refresh_from_db()
        assert user.check_password(NEW)
        assert personal_tokens.known(secret=secret, now=timezone.now()) is None

    @pytest.mark.parametrize(
        ("username", "password", "said"),
        [("nobody", NEW, "Nobody has the user name"), ("lena", "short", "too short")],
    )
    def test_says_why_it_will_not(self, monkeypatch, username, password, said):
        monkeypatch.setenv(create_owner.VARIABLE, password)
        make.user("lena")

        with pytest.raises(CommandError, match=said):
            call_command("changepassword", username)
