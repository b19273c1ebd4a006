import pytest

from annotation import models
from annotation.rounds import readiness
from annotation.rounds.models import IdentityHit, RoundResponse
from annotation.rounds.rules import RoundNeed
from tests import make, tampering
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def needs(round_) -> list[readiness.OpeningNeed]:
    round_.refresh_from_db()
    return readiness.needs(round_)


def unmet(round_) -> dict[str, str]:
    return {need.key: need.text for need in needs(round_) if not need.met}


def asking_draft() -> models.Round:
    """Return a draft about one capability that only those who have qualified may grade."""
    round_ = make.draft_round()
    models.Item.objects.update(capability=make.capability())
    models.Round.objects.update(qualified_only_since=make.NOW)
    round_.refresh_from_db()
    return round_


class TestNeeds:
    def test_are_met_by_a_prepared_draft(self):
        assert unmet(make.draft_round()) == {}

    def test_say_what_an_empty_draft_still_needs(self):
        round_ = make.draft_round()
        models.RoundItem.objects.all().delete()
        models.Round.objects.update(draw={})
        round_.annotators.all().delete()

        missing = unmet(round_)

        assert {
            RoundNeed.ITEMS,
            RoundNeed.RESPONSES,
            RoundNeed.RUBRICS,
            RoundNeed.ANNOTATORS,
        } <= set(missing)
        assert missing[RoundNeed.ANNOTATORS] == "0 of at least 3 annotators are chosen."
        assert missing[RoundNeed.RESPONSES].startswith("One to eight responses")

    def test_name_what_is_to_be_chosen_before_a_draft_can_be_prepared(self):
        round_ = make.draft_round()
        models.RoundItem.objects.all().delete()
        models.Round.objects.update(draw={})
        waiting = {need.key for need in needs(round_) if need.waits}

        assert waiting == {
            RoundNeed.ITEMS,
            RoundNeed.RESPONSES,
            RoundNeed.RUBRICS,
            RoundNeed.IDENTITY_CLEARED,
        }

        round_.systems.all().delete()
        round_.rubrics.all().delete()
        missing = unmet(round_)

        assert missing[RoundNeed.RESPONSES] == "Choose the systems to compare."
        assert missing[RoundNeed.RUBRICS].startswith("Choose a rubric")
        assert {need.key for need in needs(round_) if need.waits} == {
            RoundNeed.ITEMS,
            RoundNeed.IDENTITY_CLEARED,
        }

    def test_count_items_without_rubric_in_words(self):
        round_ = make.draft_round(n_items=3)
        round_.items.update(rubric_version=None)

        assert unmet(round_)[RoundNeed.RUBRICS].startswith("Items without a rubric: 3")

    def test_miss_a_response_for_every_item(self):
        round_ = make.draft_round(n_items=2)
        round_.items.earliest("pk").responses.all().delete()

        assert list(unmet(round_)) == [RoundNeed.RESPONSES]

    def test_leave_out_annotators_who_were_taken_off(self):
        round_ = make.draft_round()
        place = round_.annotators.earliest("pk")
        round_.annotators.filter(pk=place.pk).update(ended_at=make.NOW)

        assert list(unmet(round_)) == [RoundNeed.ANNOTATORS]

    def test_want_three_seats_or_a_reason(self):
        round_ = make.draft_round()
        models.Round.objects.update(n_seats=2)
        assert list(unmet(round_)) == [RoundNeed.SEATS]
        models.Round.objects.update(seats_override="A pilot.")

        assert unmet(round_) == {}

    def test_want_enough_who_have_qualified_where_the_round_asks_for_it(self):
        round_ = asking_draft()

        text = unmet(round_)[RoundNeed.QUALIFIED]

        assert f"{make.capability().name}: 0 of 3" in text
        for place in round_.annotators.all():
            qualified.qualified(place.rater)
        assert unmet(round_) == {}

    def test_take_the_owners_word_where_too_few_have_qualified(self):
        round_ = asking_draft()
        models.Round.objects.update(qualified_override="The trial is next week.")
        round_.refresh_from_db()

        (need,) = [one for one in readiness.needs(round_) if one.key == RoundNeed.QUALIFIED]

        assert need.met
        assert need.text.endswith("The trial is next week.")

    def test_ask_for_no_qualification_where_the_round_does_not(self):
        round_ = asking_draft()
        models.Round.objects.update(qualified_only_since=None)
        round_.refresh_from_db()

        assert RoundNeed.QUALIFIED not in {one.key for one in readiness.needs(round_)}

    def test_want_every_name_decided(self):
        round_ = make.draft_round()
        for place in range(2):
            IdentityHit.objects.create(
                round=round_,
                response=RoundResponse.objects.earliest("pk").response,
                term="Kestrel",
                kind="TERM",
                start=place,
                end=7,
            )
        assert unmet(round_)[RoundNeed.IDENTITY_CLEARED].startswith(
            "Names of systems in responses to mask or keep: 2"
        )
        IdentityHit.objects.update(decision="KEEP")

        assert unmet(round_) == {}

    @pytest.mark.parametrize(
        ("kept", "calls", "asked"),
        [({}, True, True), ({"calls": True}, True, False), ({}, False, False)],
    )
    def test_want_a_draft_with_tool_calls_prepared_since_names_are_looked_for_in_them(
        self, kept, calls, asked
    ):
        round_ = make.draft_round()
        models.Round.objects.update(draw={"prepared": {"items": 1, **kept}})
        call = {"id": "1", "function": {"name": "ask", "arguments": "{}"}}
        said = [{"role": "assistant", "content": "", **({"tool_calls": [call]} if calls else {})}]
        response = RoundResponse.objects.earliest("pk").response
        with tampering.unguarded():
            models.Response.objects.filter(pk=response.pk).update(messages=said)

        assert (RoundNeed.IDENTITY_CLEARED in unmet(round_)) is asked


class TestCost:
    def test_counts_items_seats_and_marks(self):
        round_ = make.draft_round(n_items=3, n_releases=2, criteria=("truth", "style"))

        cost = readiness.cost(round_)

        assert (cost.n_items, cost.n_responses, cost.n_annotators) == (3, 6, 3)
        assert (cost.n_seats, cost.n_marks) == (9, 3 * 3 * 2 * 2)
        assert cost.hours(minutes_per_item=4) == 0.6

    def test_counts_each_item_by_its_own_seats_rubric_and_responses(self):
        round_ = make.draft_round(n_items=3, n_releases=2)
        one, two, _three = round_.items.all()
        models.RoundItem.objects.filter(pk=one.pk).update(
            n_seats=5, rubric_version=make.rubric_version("wide", criteria=("a", "b", "c"))
        )
        two.responses.earliest("pk").delete()

        cost = readiness.cost(round_)

        assert cost.n_seats == 5 + 3 + 3
        assert cost.n_marks == 5 * 2 * 3 + 3 * 1 * 1 + 3 * 2 * 1

    def test_counts_repeats_and_gold_apart_from_what_is_drawn_of_what_fits(self):
        round_ = make.draft_round(n_items=6)
        of_purpose = [("REPEAT", 2, 5), ("GOLD", 1, 4), ("GOLD", 1, 3)]
        for purpose, occasion, ordinal in of_purpose:
            round_.items.filter(ordinal=ordinal).update(
                purpose=purpose,
                occasion=occasion,
                chance_unknown=purpose,
                inclusion_probability=None,
            )

        cost = readiness.cost(round_)

        assert (cost.n_items, cost.n_drawn, cost.n_gold, cost.n_repeats) == (6, 3, 2, 1)

    def test_is_nothing_for_an_empty_draft(self):
        round_ = make.draft_round()
        models.RoundItem.objects.all().delete()

        cost = readiness.cost(round_)
        assert (cost.n_items, cost.n_seats, cost.n_marks) == (0, 0, 0)
