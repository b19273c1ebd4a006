import pytest

from annotation.rounds.models import Round, RoundItem
from scoring.figures import selection
from scoring.results import asked as cut
from tests import make, tampering
from tests.scoring import reads
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


def items(chosen):
    return list(chosen.selection.items().values_list("item__external_id", flat=True))


class TestSelection:
    def test_of_everything_needs_no_params(self):
        chosen = reads.cut_of(spread().round)

        assert chosen.selection.params == {}
        assert len(items(chosen)) == 24

    def test_adds_values_up_and_narrows_by_filters(self):
        world = spread()
        both = reads.cut_of(world.round, {"difficulty": ["SIMPLE", "DIFFICULT"]})
        one = reads.cut_of(
            world.round, {"difficulty": ["SIMPLE", "DIFFICULT"], "capability": [world.law.pk]}
        )

        assert len(items(both)) == 21
        assert len(items(one)) == 7

    def test_of_a_group_or_an_area_holds_all_below(self):
        world = spread()
        group = reads.cut_of(world.round, {"capability": [world.facts.pk]})
        area = reads.cut_of(world.round, {"domain": [world.air.pk]})
        part = reads.cut_of(world.round, {"domain": [world.cargo.pk]})

        assert len(items(group)) == 16
        assert len(items(area)) > len(items(part)) > 0

    def test_of_priority_goes_by_the_area(self):
        world = spread()
        core = reads.cut_of(world.round, {"priority": ["P0"]})

        assert core.selection.domains == {world.air.pk}
        assert set(items(core)) < set(items(reads.cut_of(world.round)))

    def test_of_what_is_not_said_is_a_value_too(self):
        world = spread()

        assert len(items(reads.cut_of(world.round, {"domain": ["none"]}))) == 3
        assert len(items(reads.cut_of(world.round, {"difficulty": ["none"]}))) == 3

    def test_names_releases_by_their_place_in_the_draw(self):
        world = spread()
        chosen = reads.cut_of(world.round, {"release": ["1"]})

        assert [name.text for name in chosen.names.values()] == ["System 1"]
        assert str(next(iter(chosen.names))) not in chosen.query

    @pytest.mark.parametrize("name", selection.FACETS)
    def test_refuses_a_value_that_the_round_does_not_know(self, name):
        with pytest.raises(cut.BadCut, match=f"{name}: this round knows no “x”"):
            reads.cut_of(spread().round, {name: ["x"]})

    def test_counts_items_beside_each_value(self):
        chosen = reads.cut_of(spread().round).selection
        counts = {one.title: one.n for facet in chosen.facets for one in facet.choices}

        assert (counts["simple"], counts["difficult"], counts["not said"]) == (11, 10, 3)
        assert counts["Facts"] == counts["Law"] + counts["Companies"]


class TestTheDefaultFilter:
    def test_leaves_gold_items_out_until_they_are_asked_for(self):
        world = spread()
        with tampering.unguarded():
            RoundItem.objects.filter(round=world.round, ordinal=0).update(purpose="GOLD")
        usual = reads.cut_of(world.round)
        gold = reads.cut_of(world.round, {"purpose": ["GOLD"]})
        all_ = reads.cut_of(world.round, {"purpose": ["NORMAL", "GOLD"]})

        grades = [reads.result_of(one).data.counts["grades"] for one in (usual, gold, all_)]
        assert grades[0] + grades[1] == grades[2]
        assert grades[1] == 6
        assert [one.selection.is_widened for one in (usual, gold, all_)] == [False, True, True]

    def test_said_in_the_address_is_no_other_cut(self):
        assert reads.cut_of(spread().round, {"purpose": ["NORMAL"]}).is_usual


class TestASelectedFigure:
    def test_counts_the_grades_of_the_chosen_annotators_alone(self):
        world = spread()
        rater = world.round.annotators.first().rater

        result = reads.result_of(reads.cut_of(world.round, {"annotator": [rater.pk]}))

        assert result.data.counts["raters"] == 1
        assert result.coverage[-1].wanted is None

    def test_compares_the_chosen_releases_alone(self):
        world = spread(systems=("A", "B", "C"))

        result = reads.result_of(reads.cut_of(world.round, {"release": ["1", "3"]}))

        assert [name.text for name in result.names] != []
        assert len(result.headline) == 2
        assert len(result.gaps) == 1

    def test_that_lets_nothing_through_is_empty(self):
        world = spread()
        query = {"domain": ["none"], "difficulty": ["SIMPLE"]}

        assert reads.result_of(reads.cut_of(world.round, query)).is_empty


class TestAnnotators:
    def test_are_those_of_the_round_alone(self):
        world = spread(n_items=3)
        make.rater(make.user("somebody-else"), in_=world.home)
        found = reads.cut_of(world.round).selection.ground.choices("annotator")
        Round.objects.filter(pk=world.round.pk).update(kind="IMPORTED")
        world.round.refresh_from_db()

        imported = reads.cut_of(world.round).selection.ground.choices("annotator")

        assert [one.title for one in found] == [f"Annotator {n}" for n in (1, 2, 3)]
        assert [one.key for one in imported] == [one.key for one in found]
