import pytest

from annotation.people.models import Role
from annotation.review import operations as looks
from scoring.figures.models import Figure
from scoring.watching import queries as open_signals
from tests import make
from tests.scoring import rounds, signals

pytestmark = pytest.mark.django_db
HOME = "/p/northport/"


class TestHome:
    def test_tells_curators_of_signals_until_somebody_looks(self, client):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        rater = signals.raised(round_)
        shown = {}
        for role, name in ((Role.CURATOR, "curious"), (Role.ANALYST, "analyst")):
            client.force_login(make.member(role, username=name))
            shown[role] = "signals of annotators" in client.get(HOME).content.decode()

        looks.look(
            round_=round_,
            rater=rater,
            because={"gold": 12},
            note="She had the wrong rubric open.",
            by=round_.created_by,
            now=make.NOW,
        )

        assert shown == {Role.CURATOR: True, Role.ANALYST: False}
        assert open_signals.watched_rounds(round_.project, round_.created_by).open == []

    def test_asks_for_signals_of_what_was_graded_since(self, client):
        rounds.graded(n_items=1, state="REVIEW")
        client.force_login(make.member(Role.CURATOR, username="curious"))

        page = client.get(HOME).content.decode()

        assert "signals of annotators" not in page
        assert Figure.objects.get(name="signals").state == Figure.State.WANTED

    def test_asks_as_many_questions_for_six_rounds_as_for_one(
        self, client, django_assert_max_num_queries
    ):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        signals.raised(round_)
        with django_assert_max_num_queries(5):
            open_signals.watched_rounds(round_.project, round_.created_by)
