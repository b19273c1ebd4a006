"""Rounds of pairs: what is drawn, on which side it stands, and who is given which next."""

import itertools
import uuid
from collections import Counter
from decimal import Decimal

import pytest

from annotation import models
from annotation.grading import counting
from annotation.grading import operations as grading
from annotation.people.models import Role
from annotation.qualification import answers as gold
from annotation.review import operations as reviewing
from annotation.review.rules import ReviewAct
from annotation.rounds import beginning, drafting, drawing, manifests, opening, readiness, states
from annotation.rounds.rules import RoundNeed
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as rubric_reads
from annotation.rubrics.rules import CriterionText, Wording
from tests import make

pytestmark = pytest.mark.django_db


def draft(**about):
    return make.draft_round(**{"criteria": ("better",), "n_releases": 3, "n_items": 4} | about)


def opened(**about):
    return make.open_round(**{"criteria": ("better",), "n_releases": 3, "n_items": 4} | about)


def pairs_of(round_) -> list[tuple[str, frozenset[str]]]:
    """Return every question with the systems that are compared on it, in draw order."""
    return [
        (
            one.item.external_id,
            frozenset(one.responses.values_list("release__system__name", flat=True)),
        )
        for one in round_.items.order_by("ordinal").select_related("item")
    ]


def sides(round_) -> list[tuple[int, str, str]]:
    """Return of every seat its round item and the systems at A and B."""
    rows = models.Slot.objects.filter(assignment__round=round_).order_by("assignment", "position")
    names = rows.values_list("assignment__round_item", "round_response__release__system__name")
    found = list(names)
    return [(found[at][0], found[at][1], found[at + 1][1]) for at in range(0, len(found), 2)]


def choose(round_, *versions):
    by_capability = {make.capability(f"C{n}"): one for n, one in enumerate(versions[1:])}
    drafting.choose_rubrics(
        round_=round_,
        by_capability=by_capability,
        rest=versions[0],
        by=round_.created_by,
        now=make.NOW,
    )


class TestRubrics:
    def test_that_ask_which_is_better_make_a_round_of_pairs(self):
        round_ = make.draft_round()
        told = [round_.of_pairs]

        for version in (
            make.rubric_version("which", criteria=("better",)),
            make.rubric_version("other"),
        ):
            choose(round_, version)
            told.append(round_.of_pairs)

        assert told == [False, True, False]

    def test_of_both_kinds_are_refused(self):
        round_ = make.draft_round()

        with pytest.raises(drafting.DesignInvalid, match="Make a round for each"):
            choose(
                round_,
                make.rubric_version("which", criteria=("better",)),
                make.rubric_version("other"),
            )
        round_.refresh_from_db()
        assert not round_.of_pairs

    def test_are_not_trained_yet(self):
        round_ = make.draft_round()
        models.Round.objects.filter(pk=round_.pk).update(kind="TRIAL")
        round_.refresh_from_db()

        with pytest.raises(drafting.DesignInvalid, match="cannot be trained yet"):
            choose(round_, make.rubric_version("which", criteria=("better",)))


def reword(version, criteria):
    """Let a version ask for something else while a draft uses it."""
    texts = {
        "choice": CriterionText(key="better", name="Better", mark="CHOICE"),
        "marks": rubric_reads.wording(make.rubric_version("marks")).criteria[0],
    }
    rubrics.save_version(
        version=version,
        wording=Wording("", (texts[criteria].settled(),)),
        base_sha=rubric_reads.wording(version).sha(),
        by=make.member(Role.OWNER),
        now=make.NOW,
    )


class TestReworded:
    """A rubric of a draft that was rewritten from marks to choices, or back."""

    def needed(self, round_):
        round_.refresh_from_db()
        return {one.key: one for one in readiness.needs(round_)}[RoundNeed.RUBRICS]

    @pytest.mark.parametrize(
        ("asked", "then", "of_pairs"), [("grade", "choice", True), ("better", "marks", False)]
    )
    def test_keeps_the_draft_from_being_opened_until_it_is_chosen_again(
        self, asked, then, of_pairs
    ):
        round_ = draft(criteria=(asked,))
        version = round_.rubrics.get().rubric_version
        assert self.needed(round_).met

        reword(version, then)

        assert not self.needed(round_).met
        with pytest.raises(opening.RoundNotReady, match="asks for something else since it was"):
            opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        version.refresh_from_db()
        assert version.frozen_at is None

        choose(round_, version)
        drawing.prepare(round_=round_, now=make.NOW)

        assert self.needed(round_).met
        assert round_.of_pairs == of_pairs

    def test_is_said_before_the_draft_is_prepared(self):
        round_ = draft(criteria=("grade",))
        drafting.touch(round_)
        models.RoundItem.objects.filter(round=round_).delete()

        reword(round_.rubrics.get().rubric_version, "choice")

        need = self.needed(round_)
        assert (need.met, need.waits) == (False, False)

    def test_is_refused_while_the_round_is_being_opened(self):
        round_ = draft(criteria=("grade",))
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)

        with pytest.raises(rubrics.Frozen):
            reword(round_.rubrics.get().rubric_version, "choice")

    def test_takes_no_choice_among_more_than_two(self, monkeypatch):
        round_ = draft(criteria=("grade",))
        reword(round_.rubrics.get().rubric_version, "choice")
        monkeypatch.setattr(readiness, "needs", lambda _round: [])
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        opening.open_round(round_=round_, now=make.NOW)
        seat = make.claim(round_)

        with pytest.raises(grading.Locked, match="between two answers, and here are 3"):
            make.submit(seat, {"A": 2})
        assert not models.Grade.objects.exists()


class TestDrawing:
    def test_takes_every_pair_of_every_question(self):
        found = pairs_of(draft())

        wanted = list(itertools.combinations(make.SYSTEMS[:3], 2))
        assert sorted((name, sorted(two)) for name, two in found) == sorted(
            (f"Q0{n}", sorted(two)) for n in range(1, 5) for two in wanted
        )

    def test_balances_fewer_pairs(self):
        round_ = draft(n_items=9, n_releases=4, pairs=2)

        found = pairs_of(round_)

        met = Counter(two for _name, two in found)
        shown = Counter(name for two in met for name in two for _n in range(met[two]))
        assert Counter(name for name, _two in found) == {f"Q0{n}": 2 for n in range(1, 10)}
        assert set(met.values()) == {3}
        assert set(shown.values()) == {9}
        assert set(round_.items.values_list("inclusion_probability", flat=True)) == {2 / 6}

    def test_says_how_many_pairs_and_what_they_ask_of_people(self):
        round_ = draft()

        cost, kept = readiness.cost(round_), round_.draw["prepared"]

        assert (kept["items"], kept["questions"], kept["missing"]) == (12, 4, 0)
        assert (cost.n_items, cost.n_seats, cost.n_marks) == (12, 36, 36)
        assert all(one.met for one in readiness.needs(round_))

    def test_needs_two_systems(self):
        round_ = draft(n_releases=2)
        [kept, _other] = [one.release for one in round_.systems.select_related("release__system")]
        drafting.choose_releases(round_=round_, releases=[kept], by=round_.created_by, now=make.NOW)

        with pytest.raises(drawing.NothingToDraw, match="two releases"):
            drawing.prepare(round_=round_, now=make.NOW)
        round_.refresh_from_db()
        unmet = [one.text for one in readiness.needs(round_) if not one.met]
        assert "Choose two systems or more." in unmet

    def test_leaves_out_pairs_of_which_one_answer_is_missing(self):
        round_ = draft()
        gone = models.Response.objects.filter(
            item__external_id="Q01", release__system__name=make.SYSTEMS[0]
        )
        models.RoundResponse.objects.filter(response__in=gone).delete()
        gone.delete()
        draw = drafting.Draw(complete_only=False)
        drafting.choose_draw(round_=round_, draw=draw, by=round_.created_by, now=make.NOW)

        drawing.prepare(round_=round_, now=make.NOW)

        by_question = Counter(name for name, _two in pairs_of(round_))
        assert by_question == {"Q01": 1, "Q02": 3, "Q03": 3, "Q04": 3}
        assert all(one.met for one in readiness.needs(round_))

    def test_repeats_pairs(self):
        round_ = draft(n_items=6)
        draw = drafting.Draw(repeats=20)
        drafting.choose_draw(round_=round_, draw=draw, by=round_.created_by, now=make.NOW)

        drawing.prepare(round_=round_, now=make.NOW)

        again = round_.items.filter(occasion=2)
        assert again.count() == 4  # a fifth of 18
        for one in again:
            first = round_.items.get(item=one.item, pair=one.pair, occasion=1)
            assert set(first.responses.values_list("response", flat=True)) == set(
                one.responses.values_list("response", flat=True)
            )


class TestOpening:
    def test_gives_every_pair_both_sides_equally_often(self):
        round_ = opened(n_seats=3)

        seats = sides(round_)

        assert len(seats) == 12 * 3
        ahead = Counter()
        on_item = Counter()
        for item, a, b in seats:
            sign = 1 if a < b else -1
            ahead[frozenset((a, b))] += sign
            on_item[item] += sign
        assert len(ahead) == 3
        assert all(abs(one) <= 1 for one in [*ahead.values(), *on_item.values()])

    def test_is_frozen_with_its_pairs(self):
        round_ = opened()

        kept = manifests.kept(round_)

        assert kept is not None
        assert {one["pair"] for one in kept.body["items"]} == {1, 2, 3}
        assert manifests.differences(round_) == []

    def test_of_grades_is_frozen_as_before(self):
        kept = manifests.kept(make.open_round())

        assert kept is not None
        assert all("pair" not in one for one in kept.body["items"])
        assert "pairs" not in kept.body["draw"]

    def test_shows_what_its_annotators_will_see(self):
        round_ = draft()
        place = round_.items.order_by("ordinal").first()

        seen = opening.seen(place, [one.response for one in place.responses.all()])

        assert [one.letter for one in seen.responses] == ["A", "B"]
        assert [one.name for one in seen.choices] == ["A.better"]
        assert not any(one.marks for one in seen.responses)


class TestSeating:
    def test_puts_another_question_between_two_pairs_of_one(self):
        round_ = opened(n_items=4)
        for rater in make.annotators(round_):
            names = []
            for n in range(12):
                seat = make.claim(round_, rater, now=make.at(n))
                names.append(seat.round_item.item.external_id)
                make.submit(seat, 2, now=make.at(n))

            assert Counter(names) == {f"Q0{n}": 3 for n in range(1, 5)}
            for n, (before, after) in enumerate(itertools.pairwise(names), start=1):
                assert before != after or set(names[n:]) == {after}

    def test_goes_on_with_the_same_question_where_there_is_no_other(self):
        round_ = opened(n_items=1)
        rater = make.annotators(round_)[0]

        seats = []
        for _n in range(3):
            seats.append(make.claim(round_, rater))
            make.submit(seats[-1], 4)

        assert {one.round_item.pair for one in seats} == {1, 2, 3}


class TestReckoning:
    def test_counts_pairs(self):
        round_ = draft()
        releases = [one.release_id for one in round_.systems.all()]
        about = {"n_items": 2, "n_seats": 3, "n_people": 3, "minutes": 2, "now": make.NOW}

        every = beginning.reckon(round_.project, releases, of_pairs=True, **about)
        some = beginning.reckon(round_.project, releases, of_pairs=True, pairs=2, **about)

        assert every is not None
        assert some is not None
        assert (every.n_pairs, every.n_each) == (6, 6)
        assert every.hours == pytest.approx(6 * 3 * 2 / 60)
        assert (some.n_pairs, some.n_each) == (4, 4)


def adjudicate(round_, place, value):
    """Decide about the pair at a place of a round in review, the answer with the lowest key first."""
    shown = place.responses.order_by("response_id").select_related("response")
    wish = reviewing.DecisionWish(
        ReviewAct.ADJUDICATE,
        place.item,
        response=shown[0].response,
        criterion=place.rubric_version.criteria.get(),
        value=Decimal(value),
        pair=place.pair,
    )
    return reviewing.decide(
        round_=round_,
        wish=wish,
        reason="It is so.",
        key=uuid.uuid4(),
        by=round_.created_by,
        now=make.NOW,
    )


class TestGold:
    def reviewed(self):
        round_ = opened(n_items=6)
        states.close(round_=round_, by=round_.created_by, now=make.NOW)
        round_.refresh_from_db()
        return round_

    def test_is_what_was_adjudicated_whichever_answer_was_named_first(self):
        round_ = self.reviewed()
        place = round_.items.earliest("ordinal")
        low, high = sorted(place.responses.values_list("response_id", flat=True))

        adjudicate(round_, place, 2)

        assert gold.known(round_.project, [low, high]) == {(low, f"better/{high}"): 2}

    def test_pairs_are_mixed_in_and_no_other_pair_of_their_questions(self):
        before = self.reviewed()
        known = before.items.filter(pair=1).select_related("item")
        for place in known:
            adjudicate(before, place, 4)
        round_ = draft(n_items=6)
        draw = drafting.Draw(gold=10)
        drafting.choose_draw(round_=round_, draw=draw, by=round_.created_by, now=make.NOW)

        drawing.prepare(round_=round_, now=make.NOW)

        mixed_in = round_.items.filter(purpose="GOLD")
        assert mixed_in.count() == 2  # a tenth of 18
        for place in mixed_in:
            twin = before.items.get(pair=1, item__external_id=place.item.external_id)
            assert set(place.responses.values_list("response", flat=True)) == set(
                twin.responses.values_list("response", flat=True)
            )
            assert round_.items.filter(item=place.item).count() == 1
        assert round_.items.filter(purpose="NORMAL").count() == 4 * 3
        assert round_.draw["prepared"]["gold"] == {"wanted": 2, "available": 6, "drawn": 2}


class TestAdjudicating:
    def test_replaces_the_choice_between_the_same_two(self):
        round_ = opened(n_items=1)
        states.close(round_=round_, by=round_.created_by, now=make.NOW)
        round_.refresh_from_db()
        first, other, _third = round_.items.order_by("ordinal")

        adjudicate(round_, first, 1)
        adjudicate(round_, other, 3)
        adjudicate(round_, first, 5)

        stood = models.Grade.objects.filter(kind="ADJUDICATED", is_current=True)
        assert {
            (frozenset((one.response_id, one.against_id)), int(one.value), one.revision)
            for one in stood
        } == {
            (frozenset(first.responses.values_list("response_id", flat=True)), 5, 2),
            (frozenset(other.responses.values_list("response_id", flat=True)), 3, 1),
        }

    def test_refuses_an_answer_of_another_pair(self):
        round_ = opened(n_items=1)
        states.close(round_=round_, by=round_.created_by, now=make.NOW)
        round_.refresh_from_db()
        first, other = round_.items.order_by("ordinal")[:2]
        stranger = other.responses.exclude(response__in=first.responses.values("response")).get()
        wish = reviewing.DecisionWish(
            ReviewAct.ADJUDICATE,
            first.item,
            response=stranger.response,
            criterion=first.rubric_version.criteria.get(),
            value=Decimal(1),
            pair=first.pair,
        )

        with pytest.raises(reviewing.TargetMissing):
            reviewing.decide(
                round_=round_,
                wish=wish,
                reason="It is so.",
                key=uuid.uuid4(),
                by=round_.created_by,
                now=make.NOW,
            )


class TestFirstGrades:
    def test_of_a_repeat_read_the_same_whichever_side_an_answer_stood(self):
        round_ = opened(n_items=1, n_releases=2)
        seats = [make.claim(round_, one) for one in make.annotators(round_)]
        for seat in seats:
            made = seat.slots.select_related("round_response").order_by("position")
            low_first = made[0].round_response.response_id < made[1].round_response.response_id
            make.submit(seat, 1 if low_first else 5)
        assert {one.order_row for one in seats} == {0, 1}

        first = list(counting.rows(round_))

        assert len(first) == 3
        assert {(one.response, one.criterion, int(one.value)) for one in first} == {
            (first[0].response, first[0].criterion, 1)
        }
        assert {one.mark for one in first} == {"CHOICE"}
