import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.qualification import operations as qualifying
from annotation.qualification.models import Practice, Qualification
from annotation.qualification.rules import Event
from annotation.systems.models import Item
from tests import make
from tests.annotation import qualified
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


@pytest.fixture
def rater(client):
    found = qualified.annotator()
    client.force_login(make.account(found))
    return found


def url(name="training", *args):
    return reverse(name, args=["northport", *args])


class TestTraining:
    def test_says_that_nothing_waits(self, client, rater):
        assert "Training appears here" in client.get(url()).content.decode()

    def test_leads_to_the_first_example_that_is_not_done(self, client, rater):
        first, second = qualified.example(), qualified.example()
        qualified.practise(first, rater)

        page = squeezed(client.get(url()).content.decode())

        assert f'class="btn go" href="{url("training_example", second.number)}"' in page
        assert "1 of 1 right" in page

    @pytest.mark.parametrize(
        ("event", "says"),
        [
            (Event.ALLOWED, "Its questions come to you"),
            (Event.SUSPENDED, "The curator will talk with you"),
            (Event.PRACTISED, "The curator sets up the trial"),
        ],
    )
    def test_says_kindly_where_one_stands(self, client, rater, event, says):
        qualified._moved(rater, None, event)

        assert says in client.get(url()).content.decode()


class TestExample:
    def test_is_graded_first_and_then_explained(self, client, rater):
        only = qualified.example(right=2)
        address = url("training_example", only.number)
        before = client.get(address).content.decode()

        answer = client.post(address, {"mark-grade": "1"}, follow=True)

        after = answer.content.decode()
        assert "all that matters" not in before
        assert "you gave 1" in after
        assert "all that matters" in after
        assert Practice.objects.get().grades == {"grade": "1"}

    def test_can_be_graded_again(self, client, rater):
        only = qualified.example(right=2)
        qualified.practise(only, rater, 1)

        page = client.get(url("training_example", only.number) + "?again=1").content.decode()

        assert "all that matters" not in page
        assert 'name="mark-grade"' in page

    def test_asks_for_every_grade(self, client, rater):
        only = qualified.example()

        answer = client.post(url("training_example", only.number), {"mark-grade": "seven"})

        assert answer.status_code == 422
        assert "Choose a grade." in answer.content.decode()

    def test_is_read_and_goes_on_where_it_is_to_learn_by(self, client, rater):
        learn, practise = qualified.example("LEARN"), qualified.example()
        address = url("training_example", learn.number)

        page = client.get(address).content.decode()
        answer = client.post(address)

        assert "all that matters" in page
        assert answer["Location"] == url("training_example", practise.number)

    def test_is_gone_once_it_is_withdrawn(self, client, rater):
        only = qualified.example()
        only.withdrawn_at = make.NOW
        only.save(update_fields=["withdrawn_at"])

        assert client.get(url("training_example", only.number)).status_code == 404


class TestTrial:
    def decide(self, round_, rater, event=Event.FAILED):
        qualifying.step(
            rater=rater,
            capability=make.capability(),
            event=event,
            by=None,
            now=make.at(90),
            round_=round_,
            figures={"value": 0.5, "low": 0.2, "high": 0.8, "n": 4, "at": 0.75},
        )

    def test_shows_nothing_before_it_is_decided(self, client, rater):
        round_ = qualified.open_trial(("ann-1",), n_items=2)
        qualified.take(round_, make.annotators(round_)[0], [2, 1])
        qualified.close(round_)

        assert client.get(url("training_trial", round_.number)).status_code == 404

    def test_shows_own_grades_beside_the_right_ones_and_no_system(self, client, rater):
        round_ = qualified.open_trial(("ann-1", "ann-2"), n_items=2)
        mine = make.annotators(round_)[0]
        qualified.take(round_, mine, [2, 1])
        self.decide(qualified.close(round_), mine)

        page = client.get(url("training_trial", round_.number)).content.decode()

        assert "Not yet in Factuality" in page
        assert "0.50" in page
        assert page.count("right</span></p>") == 1
        assert not any(name in page for name in make.SYSTEMS)
        assert "not passed yet" in client.get(url()).content.decode()

    def test_is_nobody_elses(self, client, rater):
        round_ = qualified.open_trial(("ann-1", "ann-2"), n_items=1)
        self.decide(round_, make.annotators(round_)[1])

        assert client.get(url("training_trial", round_.number)).status_code == 404


class TestGate:
    def test_leads_to_the_training_where_a_round_asks_for_it(self, client, rater):
        round_ = make.open_round(n_items=1)
        Item.objects.update(capability=make.capability())
        round_.qualified_only_since = make.NOW
        round_.save(update_fields=["qualified_only_since"])

        page = client.get(url("grading")).content.decode()
        answer = client.post(url("grade_next", round_.number), follow=True).content.decode()

        assert "Qualify first" in page
        assert f'href="{url()}"' in page
        assert "Qualify first" in answer
        assert not Qualification.objects.exists()

    def test_is_in_the_menu_of_annotators(self, client, rater):
        assert f'href="{url()}"' in client.get(url("grading")).content.decode()
        client.force_login(make.member(Role.INSPECTOR))
        assert client.get(url()).status_code == 404
