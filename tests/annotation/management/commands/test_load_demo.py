import io

import pytest
from django.core.management import CommandError, call_command

from annotation import models
from tests import make


@pytest.mark.django_db
class TestLoadDemo:
    @pytest.mark.slow
    def test_prints_the_accounts_and_their_password(self):
        said = io.StringIO()

        call_command("load_demo", stdout=said)

        lines = said.getvalue().splitlines()
        password = lines[-1].rpartition(" ")[2]
        assert lines[0].split()[:2] == ["ines", "owner"]
        assert models.User.objects.get(username="lena").check_password(password)

    def test_says_so_when_the_demo_is_there_already(self):
        make.user("ines")

        with pytest.raises(CommandError, match="may be there already"):
            call_command("load_demo", stdout=io.StringIO())
