import pytest
from django.core.management import CommandError, call_command

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def said(capsys, **options: str) -> list[str]:
    call_command("project_starters", **options)
    return capsys.readouterr().out.splitlines()


class TestProjectStarters:
    def test_lists_owners_and_whom_an_operator_lets(self, capsys):
        make.member(Role.CURATOR, username="lena")

        assert said(capsys) == ["EVALSITE_PROJECT_STARTERS is owners.", "northport-owner"]
        assert said(capsys, add="Lena")[1:] == ["lena", "northport-owner"]
        assert said(capsys, remove="lena")[1:] == ["northport-owner"]
        assert models.AuditEvent.objects.filter(verb="account.set").count() == 2

    def test_says_that_nobody_is_called_so(self):
        with pytest.raises(CommandError, match="Nobody has the user name"):
            call_command("project_starters", add="nobody")
