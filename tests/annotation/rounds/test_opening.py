from collections import Counter
from typing import Any

import pytest
from django.db import connection

from annotation.people.models import AuditEvent, Role
from annotation.rounds import drafting, drawing, opening
from annotation.rounds.models import Assignment, IdentityHit, Round, RoundItem, RoundResponse, Slot
from annotation.rubrics.models import RubricVersion
from annotation.systems import queries as systems_queries
from annotation.systems.models import Display
from tests import make, tampering

pytestmark = pytest.mark.django_db


def request(round_, now=make.NOW):
    opening.request_opening(round_=round_, by=round_.created_by, now=now)


def orders(round_) -> list[list[str]]:
    """Return the texts of every seat in display order: what an order is, without ids."""
    rows = Slot.objects.filter(assignment__round=round_).order_by("assignment__ordinal", "position")
    seats: dict[int, list[str]] = {}
    for seat, text in rows.values_list("assignment__ordinal", "round_response__display__text"):
        seats.setdefault(seat, []).append(text)
    return list(seats.values())


def positions(round_) -> Counter[tuple[int, int]]:
    rows = Slot.objects.filter(assignment__round=round_)
    return Counter(rows.values_list("round_response__release", "position"))


class TestRequestOpening:
    def test_freezes_the_draft(self):
        round_ = make.draft_round()

        request(round_)

        assert (round_.state, round_.opening_at) == ("DRAFT", make.NOW)
        assert AuditEvent.objects.latest("pk").verb == "round.opening"

    def test_refuses_while_it_is_under_way_and_takes_up_one_that_died(self):
        round_ = make.draft_round()
        request(round_)

        with pytest.raises(opening.OpeningUnderWay):
            request(round_, now=make.at(9))
        request(round_, now=make.at(11))

        assert round_.opening_at == make.at(11)

    def test_refuses_a_round_that_is_open(self):
        round_ = make.open_round()

        with pytest.raises(drafting.NotADraft):
            request(round_)

    @pytest.mark.parametrize(
        ("spoil", "why"),
        [
            (lambda r: drafting.touch(r), "Prepare the draft"),
            (lambda r: RoundResponse.objects.all().delete(), "One to eight responses"),
            (lambda r: r.items.update(rubric_version=None), "Items without a rubric: 2"),
            (lambda r: Round.objects.update(n_seats=1), "Three annotators per question"),
            (lambda r: r.annotators.update(ended_at=make.NOW), "0 of at least 3 annotators"),
            (lambda r: Round.objects.update(deadline=make.NOW), "closing time"),
            (
                lambda r: IdentityHit.objects.create(
                    round=r,
                    response=RoundResponse.objects.earliest("pk").response,
                    term="Kestrel",
                    kind="TERM",
                    start=0,
                    end=7,
                ),
                "Names of systems in responses to mask or keep: 1",
            ),
        ],
    )
    def test_refuses_what_is_not_ready_and_says_why(self, spoil, why):
        round_ = make.draft_round()
        spoil(round_)

        with pytest.raises(opening.RoundNotReady, match=why):
            request(round_)

        round_.refresh_from_db()
        assert round_.opening_at is None


class TestOpenRound:
    def test_sets_out_every_seat_with_every_response(self):
        round_ = make.open_round(n_items=3, n_releases=4)

        assert round_.state == "OPEN"
        assert Assignment.objects.filter(round=round_, state="FREE").count() == 9
        assert {len(order) for order in orders(round_)} == {4}
        assert all(len(set(order)) == 4 for order in orders(round_))
        assert RubricVersion.objects.get().frozen_at == make.NOW
        assert AuditEvent.objects.latest("pk").data == {"manifest": round_.manifest["sha"]}

    def test_does_nothing_unless_it_was_requested(self):
        round_ = make.draft_round()

        assert not opening.open_round(round_=round_, now=make.NOW)
        assert not Assignment.objects.exists()
        assert RubricVersion.objects.get().frozen_at is None

    def test_does_nothing_a_second_time(self):
        round_ = make.open_round()

        assert not opening.open_round(round_=round_, now=make.NOW)
        assert Assignment.objects.count() == 6

    @pytest.mark.parametrize("n_releases", [1, 2, 3, 4, 5, 8])
    def test_shows_every_release_in_every_position_equally_often(self, n_releases):
        round_ = make.open_round(n_items=7, n_releases=n_releases)
        counts = positions(round_)

        assert len(counts) == n_releases**2
        assert max(counts.values()) - min(counts.values()) <= 1

    def test_does_so_too_where_some_responses_are_missing(self):
        round_ = make.draft_round(n_items=9, n_releases=4)
        for item in round_.items.all()[::2]:
            item.responses.earliest("pk").delete()
        request(round_)
        opening.open_round(round_=round_, now=make.NOW)

        sizes = {seat.pk: seat.slots.count() for seat in Assignment.objects.all()}
        for size in (3, 4):
            rows = Slot.objects.filter(assignment__in=[k for k, v in sizes.items() if v == size])
            counts = Counter(rows.values_list("round_response__release", "position"))
            for release in {release for release, _ in counts}:
                served = [counts[release, place] for place in range(size)]
                assert max(served) - min(served) <= 1

    def test_deals_the_same_orders_every_time_they_are_read(self):
        round_ = make.open_round(n_items=4, n_releases=3)

        assert orders(round_) == orders(round_)

    def test_deals_the_same_for_the_same_seed_whatever_the_ids_and_the_order_of_import(self):
        first = make.open_round(n_items=3, n_releases=3)
        again = make.open_round(n_items=3, n_releases=3)
        elsewhere = make.project("southport")
        for number in reversed(range(1, 4)):
            asked = make.item(
                f"Q{number:02}", in_=elsewhere, question=f"What is meant by {number}?"
            )
            for place in (2, 0, 1):
                release = make.release(make.SYSTEMS[place], in_=elsewhere)
                make.response(asked, release, f"Answer {number}, told in way {place}.")
        other = make.open_round(n_items=3, n_releases=3, in_=elsewhere)

        assert orders(again) == orders(first)
        assert orders(other) == orders(first)
        assert other.manifest["items_sha"] == first.manifest["items_sha"]

    def test_deals_other_orders_for_another_seed(self):
        one = make.open_round(n_items=3, n_releases=3)
        other = make.open_round(n_items=3, n_releases=3, seed="another seed")

        assert orders(other) != orders(one)

    def test_seats_releases_by_what_they_said_not_by_name_or_id(self):
        texts = []
        for slug, systems in (("north", "Kestrel Heron"), ("south", "Zebra Aardvark")):
            home = make.project(slug)
            asked = make.item("Q01", in_=home)
            for place, name in enumerate(systems.split()):
                make.response(asked, make.release(name, in_=home), f"Way {place}.")
            round_ = drafted(home, systems.split()[:: 1 if slug == "north" else -1])
            rows = round_.systems.order_by("ordinal").values_list("release__responses__messages")
            texts.append([row[0][0]["content"] for row in rows])

        assert texts[0] == texts[1]

    def test_reuses_a_display_that_another_round_has_made(self):
        make.open_round(n_items=2)
        make.open_round(n_items=2, seed="another")

        assert Display.objects.count() == 4

    def test_shows_a_response_twice_where_its_item_comes_twice(self):
        round_ = make.draft_round(n_items=1)
        item = round_.items.get()
        again = RoundItem.objects.create(
            round=round_,
            item=item.item,
            occasion=2,
            purpose="REPEAT",
            ordinal=1,
            n_seats=3,
            rubric_version=item.rubric_version,
        )
        for row in item.responses.all():
            RoundResponse.objects.create(
                round_item=again, release=row.release, response=row.response
            )
        request(round_)

        assert opening.open_round(round_=round_, now=make.NOW)
        assert Display.objects.count() == 2

    def test_proves_what_was_frozen(self):
        round_ = make.open_round()
        frozen = opening.manifest(round_)
        assert frozen["sha"] == round_.manifest["sha"]

        response = RoundResponse.objects.earliest("pk").response
        with tampering.unguarded():
            type(response).objects.filter(pk=response.pk).update(content_sha="0" * 64)

        assert opening.manifest(round_)["responses_sha"] != frozen["responses_sha"]


def drafted(home, names):
    """Return an open round over these systems, in this order."""
    owner = make.user(f"{home.slug}-owner")
    made: dict[str, Any] = {"by": owner, "now": make.NOW}
    round_ = drafting.create_round(project=home, name="R", seed="s", secret=make.SECRET, **made)
    releases = [make.release(name, in_=home) for name in names]
    drafting.choose_releases(round_=round_, releases=releases, **made)
    drafting.choose_rubrics(
        round_=round_, by_capability={}, rest=make.rubric_version(in_=home), **made
    )
    users = [make.member(Role.ANNOTATOR, in_=home, username=f"{home.slug}-{n}") for n in range(3)]
    drafting.invite(round_=round_, users=users, by_owner=True, override="", **made)
    drawing.prepare(round_=round_, now=make.NOW)
    request(round_)
    opening.open_round(round_=round_, now=make.NOW)
    return round_


class Killed(Exception):
    pass


class KillAt:
    """Stops the work at the n-th statement that writes, as a kill would."""

    def __init__(self, write: int) -> None:
        self.left = write

    def __call__(self, execute, sql, params, many, context):
        if sql.startswith(("INSERT", "UPDATE")):
            self.left -= 1
            if self.left < 0:
                raise Killed
        return execute(sql, params, many, context)


@pytest.mark.django_db(transaction=True)
class TestAnOpeningThatIsKilled:
    @pytest.mark.parametrize("write", range(12))
    def test_is_taken_up_where_it_stopped_with_the_same_result(self, write):
        whole = make.open_round(n_items=3)
        round_ = make.draft_round(n_items=3)
        request(round_)
        try:
            with connection.execute_wrapper(KillAt(write)):
                opening.open_round(round_=round_, now=make.NOW)
        except Killed:
            round_.refresh_from_db()
            assert round_.state == "DRAFT"
            assert opening.open_round(round_=round_, now=make.at(1))

        assert round_.state == "OPEN"
        assert orders(round_) == orders(whole)
        assert Assignment.objects.filter(round=round_).count() == 9
        assert Slot.objects.filter(assignment__round=round_).count() == 18
        for part in ("items_sha", "responses_sha"):
            assert round_.manifest[part] == whole.manifest[part]


class TestFace:
    def test_holds_plain_values_and_no_ids(self):
        round_ = make.draft_round(n_items=1)
        item = round_.items.get()
        item.item.messages = [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]},
            {"role": "user", "content": "**What** is it?"},
        ]
        item.item.key_points = ["flat", 4]
        item.item.difficulty = "SIMPLE"

        face = systems_queries.face(item)

        assert [turn["role"] for turn in face["turns"]] == ["user", "assistant"]
        assert "<strong>What</strong> is it?" in face["question"]
        assert face["key_points"] == ["flat", "4"]
        assert face["difficulty"] == "SIMPLE"
        assert set(face) == {
            *("turns", "question", "reference", "key_points", "as_of", "capability"),
            "difficulty",
        }


class TestShown:
    def test_is_nothing_for_an_empty_answer(self):
        round_ = make.draft_round(n_items=1)
        response = RoundResponse.objects.filter(round_item__round=round_).earliest("pk").response
        response.messages = [{"role": "assistant", "content": " \u200b\n"}]

        assert opening.shown(response, [], opening.RENDERER).html == ""

    def test_can_be_made_alike(self):
        round_ = make.draft_round(n_items=1)
        response = RoundResponse.objects.filter(round_item__round=round_).earliest("pk").response
        response.messages = [{"role": "assistant", "content": "# Well\n\n**so**"}]

        plain = opening.shown(response, [], opening.UNIFORM_RENDERER)

        assert (plain.text, plain.mask_set) == ("Well\n\nso", "")
