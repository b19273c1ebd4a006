import pytest
from django.db import IntegrityError, transaction

from annotation import models
from annotation.rounds.models import Round, RoundRubric
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_():
    return make.draft_round(n_items=2)


def refused(name, change):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        change()


def copied(row, **fields):
    """Return the deed of storing a row once more, with these differences."""

    def create():
        copy = type(row).objects.get(pk=row.pk)
        copy.pk = None
        for name, value in fields.items():
            setattr(copy, name, value)
        copy.save(force_insert=True)

    return create


class TestRound:
    def test_has_a_number_of_its_own_in_the_project(self, round_):
        refused("UNIQUE|round_number_is_unique", copied(round_))
        copied(round_, number=2)()

    def test_has_at_least_one_seat_per_item(self, round_):
        refused("a_round_has_at_least_one_seat_per_item", lambda: Round.objects.update(n_seats=0))

    @pytest.mark.parametrize(
        ("state", "paused_at", "running"),
        [("OPEN", None, True), ("OPEN", make.NOW, False), ("REVIEW", None, False)],
    )
    def test_is_running_while_it_is_open_and_not_paused(self, state, paused_at, running):
        assert Round(state=state, paused_at=paused_at).is_running is running


class TestPartsOfARound:
    @pytest.mark.parametrize("part", ["systems", "annotators", "items"])
    def test_stand_in_it_once(self, round_, part):
        refused("(?i)unique", copied(getattr(round_, part).earliest("pk")))

    def test_hold_an_item_once_per_occasion_and_ordinal(self, round_):
        item = round_.items.earliest("pk")

        refused("UNIQUE|an_item_once_per_round_and_occasion", copied(item, ordinal=9))
        refused("UNIQUE|round_item_ordinal_is_unique", copied(item, occasion=2))
        copied(item, ordinal=9, occasion=2)()

    def test_hold_one_response_per_release_and_item(self, round_):
        row = models.RoundResponse.objects.earliest("pk")

        refused("UNIQUE|one_response_per_release_and_round_item", copied(row))

    def test_hold_one_rubric_per_capability_and_one_for_the_rest(self, round_):
        rest = round_.rubrics.get()
        own = RoundRubric.objects.create(
            round=round_, capability=make.capability(), rubric_version=rest.rubric_version
        )

        refused("UNIQUE|one_rubric_for_the_rest_of_a_round", copied(rest))
        refused("UNIQUE|one_rubric_per_capability_of_a_round", copied(own))

    def test_hold_a_place_of_a_name_once(self, round_):
        hit = models.IdentityHit.objects.create(
            round=round_,
            response=models.Response.objects.earliest("pk"),
            term="Kestrel",
            kind="TERM",
            start=0,
            end=7,
        )

        refused("UNIQUE|identity_hit_is_unique", copied(hit))
