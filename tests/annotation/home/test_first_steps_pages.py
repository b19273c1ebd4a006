import pytest
from django.urls import reverse

from annotation.home import first_steps as operations
from annotation.home.models import FirstSteps
from annotation.people.models import Role
from annotation.qualification.models import Practice
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db

HOME = "/p/northport/"
PAGE = "/p/northport/first-steps/"
TITLE = 'id="first-steps-title"'


def shown(client, at=HOME) -> str:
    return client.get(at, follow=True).content.decode()


def as_(client, role):
    somebody = make.member(role)
    client.force_login(somebody)
    return somebody


class TestTheGuide:
    @pytest.mark.parametrize("role", Role)
    def test_stands_on_the_first_page_of_every_role(self, client, role):
        as_(client, role)

        assert TITLE in shown(client)

    def test_leads_an_owner_from_nothing_to_a_round_and_its_results(self, client):
        as_(client, Role.OWNER)

        page = shown(client)

        keys = ["people", "questions", "rubric", "round", "results", "domain", "capability"]
        places = [page.index(reverse("first_step", args=["northport", key])) for key in keys]
        assert places == sorted(places)
        assert "0 of 7 done" in page

    def test_ticks_off_what_is_done(self, client):
        make.item()
        make.rubric_version()
        as_(client, Role.OWNER)

        page = shown(client)

        assert page.count("(done)") == 2
        assert reverse("first_step", args=["northport", "rubric"]) not in page

    def test_of_several_roles_has_each_step_once(self, client):
        somebody = as_(client, Role.OWNER)
        make.member(Role.CURATOR, username=somebody.username)

        assert shown(client).count("/first-steps/rubric/") == 1

    def test_goes_once_all_is_done(self, client):
        analyst = as_(client, Role.ANALYST)
        for key in ("results", "moved", "beside", "gates"):
            operations.open_step(project=make.project(), user=analyst, key=key)

        assert TITLE not in shown(client)
        assert "All done." in shown(client, PAGE)


class TestPuttingAway:
    @pytest.mark.parametrize("role", [Role.OWNER, Role.ANNOTATOR])
    def test_is_remembered_and_can_be_taken_back(self, client, role):
        as_(client, role)

        client.post(PAGE, {"act": "away"})
        away = shown(client)
        client.post(PAGE, {"act": "back"})

        assert TITLE not in away
        assert TITLE in shown(client)

    def test_holds_for_the_person_alone(self, client):
        as_(client, Role.CURATOR)
        client.post(PAGE, {"act": "away"})

        as_(client, Role.DESIGNER)

        assert TITLE in shown(client)

    def test_leaves_all_steps_on_the_page_of_their_own_which_every_page_leads_to(self, client):
        as_(client, Role.CURATOR)
        client.post(PAGE, {"act": "away"})

        assert f'href="{PAGE}"' in shown(client)
        assert "0 of 6 done" in shown(client, PAGE)


class TestAStep:
    def test_leads_to_its_page_and_says_what_to_look_at(self, client):
        as_(client, Role.ANALYST)

        answer = client.post("/p/northport/first-steps/results/", follow=True)

        assert answer.redirect_chain[0][0] == reverse("insight", args=["northport"])
        assert "Read results. Choose a round." in answer.content.decode()

    def test_that_is_reading_is_done_when_the_guide_led_there(self, client):
        analyst = as_(client, Role.ANALYST)

        for _twice in range(2):
            client.post("/p/northport/first-steps/results/")

        assert FirstSteps.objects.get(user=analyst).opened == ["results"]
        assert "1 of 4 done" in shown(client)

    def test_that_is_a_deed_is_not_done_by_looking(self, client):
        as_(client, Role.OWNER)

        client.post("/p/northport/first-steps/rubric/")

        assert "0 of 7 done" in shown(client)

    def test_of_another_role_is_not_there(self, client):
        as_(client, Role.ANNOTATOR)

        assert client.post("/p/northport/first-steps/results/").status_code == 404
        assert not FirstSteps.objects.exists()


class TestAnAnnotatorsSteps:
    def test_are_keys_and_grading_and_training_where_there_is_some(self, client):
        as_(client, Role.ANNOTATOR)

        without = shown(client)
        qualified.example()

        assert "0 of 2 done" in without
        assert "/first-steps/training/" not in without
        assert "0 of 3 done" in shown(client)

    def test_tick_the_training_off_once_something_was_practised(self, client):
        user = as_(client, Role.ANNOTATOR)
        example = qualified.example()
        rater = make.rater(user)
        client.post("/p/northport/first-steps/training/")
        looked = shown(client)

        Practice.objects.create(example=example, rater=rater, n=1, at=make.NOW)

        assert "0 of 3 done" in looked
        assert "1 of 3 done" in shown(client)

    def test_tick_off_what_was_graded(self, client):
        seat = make.claim(make.open_round())
        client.force_login(make.account(make.holder(seat)))
        before = shown(client)

        make.submit(seat)

        assert "0 of 2 done" in before
        assert "1 of 2 done" in shown(client)
