import pytest
from django.core.management import CommandError, call_command

from annotation import models
from annotation.management.commands import create_owner
from annotation.people import queries as projects
from tests import make

pytestmark = pytest.mark.django_db


class TestCreateOwner:
    def test_makes_an_account_that_can_sign_in(self, monkeypatch, capsys):
        monkeypatch.setenv(create_owner.VARIABLE, make.PASSWORD)

        call_command("create_owner", username="lena", name="Lena Voss")

        user = models.User.objects.get(username="lena")
        assert user.check_password(make.PASSWORD)
        assert user.display_name == "Lena Voss"
        assert projects.may_start(user)
        assert "lena can sign in now, and start projects" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("password", "said"), [("short", "too short"), (make.PASSWORD, "taken")]
    )
    def test_says_why_it_will_not(self, monkeypatch, password, said):
        make.user("lena")
        monkeypatch.setenv(create_owner.VARIABLE, password)
        username = "lena" if said == "taken" else "max"

        with pytest.raises(CommandError, match=said):
            call_command("create_owner", username=username, name="Lena Voss")
