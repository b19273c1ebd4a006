import pytest

from annotation.domains.models import Capability
from annotation.grading import seating, worklist
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification.rules import Event, PoolState
from annotation.rounds import drafting
from annotation.systems.models import Item
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def asking_round():
    """Return an open round whose first question is about factuality and asks for qualification."""
    round_ = make.open_round(n_items=2)
    Item.objects.filter(external_id="Q01").update(capability=make.capability())
    round_.qualified_only_since = make.NOW
    round_.save(update_fields=["qualified_only_since"])
    return round_


class TestStanding:
    def test_is_that_of_the_capability_above_where_nothing_was_recorded(self):
        about = make.capability()
        below = Capability.objects.create(project=about.project, parent=about, name="Law")
        rater = qualified.qualified(qualified.annotator())

        assert qualifications.is_qualified(rater, below)
        qualifying.step(rater=rater, capability=below, event=Event.BEGUN, by=None, now=make.NOW)
        assert not qualifications.is_qualified(rater, below)
        assert qualifications.qualified_in(rater) == {about.pk}


class TestSeating:
    def test_gives_nobody_a_question_they_have_not_qualified_for(self):
        round_ = asking_round()
        rater = make.annotators(round_)[0]

        seat = make.claim(round_, rater)
        make.submit(seat)

        assert seat.round_item.item.external_id == "Q02"
        with pytest.raises(seating.NoSeat) as caught:
            make.claim(round_, rater)
        assert caught.value.code == "not_qualified"
        assert worklist.list_work(rater, make.at(2))[0].why == "not_qualified"

    def test_goes_on_once_they_have_qualified(self):
        round_ = asking_round()
        rater = qualified.qualified(make.annotators(round_)[0])

        for _question in range(2):
            make.submit(make.claim(round_, rater))

        with pytest.raises(seating.NoSeat, match="All done"):
            make.claim(round_, rater)

    def test_asks_nothing_in_a_round_that_does_not_ask(self):
        round_ = asking_round()
        round_.qualified_only_since = None
        round_.save(update_fields=["qualified_only_since"])

        assert qualifications.lacking(round_, make.annotators(round_)[0]) == []
        assert {make.submit(make.claim(round_)) for _n in range(2)}


class TestNewRounds:
    def test_ask_where_the_project_says_so(self):
        home = make.project()
        qualifying.set_rule(
            project=home,
            capability=None,
            asked=qualifying.RuleAsked(asked=True),
            by=qualified.owner(home),
            now=make.NOW,
        )
        round_ = make.draft_round()

        assert round_.asks_qualification
        drafting.configure(
            round_=round_,
            settings=drafting.RoundSettings(name="Free", asks_qualification=False),
            by=round_.created_by,
            by_owner=True,
            now=make.NOW,
        )
        assert not round_.asks_qualification


class TestPool:
    def test_shows_everybody_with_tags_and_states(self):
        first = qualified.qualified(qualified.annotator("ann-1"))
        qualified.annotator("ann-2")
        home = make.project()
        qualifying.set_tags(
            project=home,
            user=make.account(first),
            tags=["Reefers"],
            by=qualified.owner(home),
            now=make.NOW,
        )

        everybody = qualifications.pool(home)

        assert [(one.name, one.n_qualified, one.tags) for one in everybody] == [
            ("Ann-1", 1, ("Reefers",)),
            ("Ann-2", 0, ()),
        ]
        assert [one.name for one in qualifications.pool(home, tag="Reefers")] == ["Ann-1"]
        assert [one.name for one in qualifications.pool(home, state=PoolState.NEW)] == ["Ann-2"]
