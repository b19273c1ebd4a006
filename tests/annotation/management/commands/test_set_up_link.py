import re

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.people import setting_up
from evalsite.supervisor.places import SitePlaces
from tests import make

pytestmark = pytest.mark.django_db
LINK = re.compile(r"^  (\S+)/set-up/([\w-]+)/$", re.MULTILINE)


def printed(capsys, **options):
    call_command("set_up_link", **options)
    found = LINK.search(capsys.readouterr().out)
    assert found is not None
    return found[1], found[2]


class TestSetUpLink:
    def test_prints_a_link_that_works(self, capsys):
        site, token = printed(capsys, site="http://localhost:8001/")

        assert site == "http://localhost:8001"
        assert setting_up.works(token=token, now=timezone.now())

    def test_begins_with_the_address_that_the_site_is_known_by(self, capsys, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        settings.ALLOWED_HOSTS = [".example.org", "grades.example"]
        assert printed(capsys)[0] == "http://grades.example:8000"
        settings.PRODUCTION = True
        assert printed(capsys)[0] == "https://grades.example"
        settings.SITE_ADDRESS = "https://known.example"
        assert printed(capsys, site="http://localhost:8001/")[0] == "https://known.example"

    def test_leads_to_the_port_at_which_the_site_was_started(self, capsys, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
        SitePlaces(tmp_path).address.write_text("http://localhost:8101/")

        assert printed(capsys)[0] == "http://localhost:8101"

    def test_is_refused_where_there_are_accounts(self, capsys):
        make.user("lena")

        with pytest.raises(CommandError, match="has accounts already"):
            call_command("set_up_link")

    def test_is_quiet_at_a_start_where_there_are_accounts(self, capsys):
        make.user("lena")

        call_command("set_up_link", if_needed=True)

        assert capsys.readouterr().out == ""
