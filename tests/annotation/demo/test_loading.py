import pytest

from annotation import models
from evalsite import errors
from tests import kept, loaded


@pytest.fixture(scope="module", autouse=True)
def accounts(django_db_setup, django_db_blocker):
    with kept.for_a_module(django_db_blocker):
        yield loaded.load()


@pytest.mark.django_db
class TestLoad:
    def test_has_an_account_for_every_role(self, accounts):
        assert {account.role for account in accounts} == set(models.Role)

    def test_lets_everybody_in_at_the_first_sign_in(self, client, accounts):
        for account in accounts:
            user = models.User.objects.get(username=account.username)
            client.force_login(user)

            assert not user.must_set_password
            assert client.get("/account/").status_code == 200

    def test_finishes_one_round_with_every_grade_of_its_plan(self):
        finished = models.Round.objects.get(number=1)

        assert finished.state == models.Round.State.FINAL
        assert not finished.assignments.exclude(state="SUBMITTED").exists()
        assert models.Grade.objects.filter(round=finished, is_current=True).count() == 192

    def test_leaves_the_other_open_with_two_items_done(self):
        open_ = models.Round.objects.get(number=2)

        assert open_.state == models.Round.State.OPEN
        assert open_.items.count() == 12  # an empty answer is an answer
        assert open_.assignments.filter(state="SUBMITTED").count() == 2
        assert not open_.assignments.filter(state="CLAIMED").exists()

    def test_masks_every_response_that_names_its_system(self):
        shown = models.RoundResponse.objects.filter(
            response__release__system__name="Meridian L",
            round_item__item__external_id="NP-010",
            round_item__round__number=1,
        ).get()

        assert "Meridian" not in shown.display.text
        assert "▇" in shown.display.text

    def test_refuses_to_be_loaded_twice(self):
        with pytest.raises(errors.NameTaken):
            loaded.load()
