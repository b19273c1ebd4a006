import pytest

from annotation.models import Role
from annotation.operations import first_steps, unblinding
from tests import make

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/"


class TestReadingResults:
    @pytest.mark.parametrize("role", [Role.OWNER, Role.CURATOR, Role.ANALYST])
    def test_is_done_once_names_were_shown_without_the_guide(self, client, role):
        round_ = make.open_round()
        reader = make.member(role, username="reader")
        client.force_login(reader)
        before = client.get(PAGE).content.decode()

        unblinding.show_names(round_=round_, by=reader, now=make.NOW)

        after = client.get(PAGE).content.decode()
        assert after.count("(done)") == before.count("(done)") + 1
        assert "/first-steps/results/" in before
        assert "/first-steps/results/" not in after

    def test_is_done_once_the_guide_led_there(self, client):
        reader = make.member(Role.ANALYST)
        client.force_login(reader)

        first_steps.open_step(project=make.project(), user=reader, key="results")

        assert "/first-steps/results/" not in client.get(PAGE).content.decode()

    def test_is_not_done_by_what_others_saw(self, client):
        round_ = make.open_round()
        other = make.member(Role.ANALYST, username="other")
        unblinding.show_names(round_=round_, by=other, now=make.NOW)
        client.force_login(make.member(Role.ANALYST, username="reader"))

        assert "/first-steps/results/" in client.get(PAGE).content.decode()
