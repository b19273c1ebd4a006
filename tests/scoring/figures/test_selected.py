import pytest

from annotation.rounds.models import Round
from scoring.figures.selected import Selected
from tests.scoring import reads
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


def selected(round_, query=None):
    return Selected(round_, reads.cut_of(round_, query).params)


class TestSelected:
    def test_without_a_selection_is_the_default_filter(self):
        found = selected(spread().round)

        assert len(found.everything) == len(found.counted) == 144

    def test_weighs_only_what_has_items_in_it(self):
        world = spread()

        found = selected(world.round, {"capability": [world.law.pk]})

        assert found.weights == {world.law.pk: 1}
        assert found.groups == {"DOMAIN": [world.law.pk]}

    def test_wants_what_was_drawn_of_it(self):
        world = spread()

        all_, law = (
            selected(world.round, query) for query in (None, {"capability": [world.law.pk]})
        )

        assert sum(one.n for one in all_.wanted) == 144
        assert sum(one.n for one in law.wanted) == 48

    def test_wants_nothing_of_imported_grades_or_single_annotators(self):
        world = spread()
        rater = world.round.annotators.first().rater
        one = selected(world.round, {"annotator": [rater.pk]})
        Round.objects.filter(pk=world.round.pk).update(kind="IMPORTED")
        world.round.refresh_from_db()

        assert one.wanted is None
        assert selected(world.round).wanted is None
