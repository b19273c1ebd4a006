import pytest
from django.core.management import call_command

from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY

pytestmark = pytest.mark.django_db


class TestResealKeys:
    def test_says_what_it_did_and_shows_no_key(self, settings, capsys):
        endpoint_rows.endpoint(key=CANARY)
        call_command("reseal_keys")
        settings.SECRET_KEY = "another"
        call_command("reseal_keys")

        told = capsys.readouterr()
        assert "0 sealed anew, 1 were up to date." in told.out
        assert "northport/House model: does not open." in told.err
        assert CANARY not in told.out + told.err
