import pytest

from annotation.models import Rater, Role
from annotation.operations import looks
from scoring.models import Figure
from scoring.queries import open_signals, watching
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db
HOME = "/p/northport/"


def raised(round_) -> Rater:
    """Compute nothing: keep a figure in which the first annotator of the round has a signal."""
    first, second = make.annotators(round_)[:2]
    quiet = {"drift": None, "retest": None, "pace": None}
    gold = {"n": 12, "n_right": 3, "at": 5, "alarm": True}
    Figure.objects.create(
        name="signals",
        params={"shape": watching.SHAPE},
        params_sha="a",
        ratings_sha="b",
        round=round_,
        state=Figure.State.READY,
        data={
            "raters": [
                {"rater": first.pk, "gold": gold, **quiet},
                {"rater": second.pk, "gold": None, **quiet},
            ]
        },
        wanted_at=make.NOW,
        ready_at=make.at(10_000),
    )
    return first


class TestHome:
    def test_tells_curators_of_signals_until_somebody_looks(self, client):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        rater = raised(round_)
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
        assert open_signals.found(round_.project).open == []

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
        raised(round_)
        with django_assert_max_num_queries(4):
            open_signals.found(round_.project)
