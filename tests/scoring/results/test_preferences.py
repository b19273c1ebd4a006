import re
import zlib
from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds import drafting as unblinding
from annotation.rounds.models import Round
from scoring import jobs
from scoring.explore import tables
from scoring.figures import labels, snapshots, typed
from scoring.movement import queries as movement
from scoring.movement import trend
from scoring.results import asked, sheets
from scoring.results import queries as beside
from scoring.results.agreement import AgreementFigure
from scoring.results.preferred import computing
from scoring.results.preferred.board import PreferenceBoard
from scoring.stats.claims import Certainty, Claim
from scoring.stats.plain import plain
from scoring.stats.preferences.said import GradesBesideFigure, PreferencesFigure
from tests import make
from tests.scoring import preferred, rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
#: How much better the earlier of two systems is.
GAPS = {(0, 1): 1.3, (0, 2): 1.6, (1, 2): 0.1}


def swaying(first, second, item, rater):
    """Choices that vary by question and annotator, always the same way."""

    def drawn(*of):
        return np.random.default_rng(zlib.crc32(repr(of).encode())).standard_normal()

    by = GAPS[first, second] + drawn(first, second, item) + drawn(first, second, item, rater)
    if abs(by) < 0.3:
        return 3 if item % 2 else 6
    return (1 if by > 2 else 2) if by > 0 else (4 if by > -2 else 5)


def ranked(rank):
    """Choices of the better by rank, 17 of 20 times, whoever chooses and whatever the question."""

    def choose(first, second, item, rater):
        pair = sorted((rank[first], rank[second]))
        luck = np.random.default_rng([*pair, item, rater]).random()
        return 2 if (luck < 0.85) == (rank[first] < rank[second]) else 4

    return choose


def even(_first, _second, item, rater):
    return (2, 4)[(item + rater) % 2]


def always(_first, _second, _item, _rater):
    return 2


def figure(round_, **params):
    found = jobs.compute(name="preferences", round_=round_, params=params)
    return typed.read_figure(PreferencesFigure, found)


def read(round_, *, shown=True):
    """A reading of a round by an owner, to whom names are shown or not."""
    owner = make.member(Role.OWNER, in_=round_.project)
    if shown:
        unblinding.show_names(round_=round_, by=owner, now=make.NOW)
    return labels.ReadRound(Scope(round_.project, owner, frozenset({Role.OWNER})), round_)


def board(round_, claim=Claim.OTHERS, **query):
    data = jobs.compute(name="preferences", round_=round_, params={})
    return PreferenceBoard(asked.of_cut(read(round_)), data, query, claim)


@pytest.fixture
def reader(client):
    client.force_login(make.member(Role.OWNER))
    return client


def at(name, *args):
    return reverse(name, args=["northport", 1, *args])


def computed(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    compute()
    found = client.get(url)
    assert found.status_code == 200, found
    return found.content.decode()


def words(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


class TestFigure:
    def test_counts_every_pair_from_the_stronger_side(self):
        (of,) = figure(preferred.chosen(n_items=12, choices=swaying)).criteria

        assert (of.n, of.wanted, of.n_questions, of.n_raters, of.n_answers) == (108, 108, 12, 3, 36)
        order = [one.release for one in of.systems]
        assert [(one.left, one.right) for one in of.pairs] == [
            (order[0], order[1]),
            (order[0], order[2]),
            (order[1], order[2]),
        ]
        for one in of.pairs:
            assert one.won + one.tied + one.lost == one.n == 36
            assert one.these.value == Fraction(2 * one.won + one.tied, 72)
        rates = [float(one.these.value) for one in of.systems]
        assert sum(rates) == pytest.approx(1.5)
        assert rates == sorted(rates, reverse=True)

    def test_tells_pairs_alone_where_somebody_never_lost(self):
        (of,) = figure(preferred.chosen(choices=always)).criteria

        assert of.reason == "never_lost"
        assert all(one.these.value is None and not one.ranks_these for one in of.systems)
        assert [(one.won, one.lost) for one in of.pairs] == [(36, 0)] * 3

    def test_has_parts_with_refusals_where_too_little_was_chosen(self):
        round_ = preferred.chosen(n_items=8, choices=swaying, capabilities=("Facts", "Tone"))

        (of,) = figure(round_).criteria

        assert [(one.by, one.n_questions) for one in of.parts] == [("capability", 4)] * 2
        ends = [one.these for part in of.parts for one in part.systems]
        assert all(one.low is None and (one.reason or one.interval_reason) for one in ends)

    def test_looks_at_the_systems_that_were_chosen(self):
        round_ = preferred.chosen(choices=swaying)
        pair = [one.release_id for one in round_.systems.order_by("release_id")][:2]

        (of,) = figure(round_, selection={"release": pair}).criteria

        assert {one.release for one in of.systems} == set(pair)
        assert (of.n, of.wanted) == (36, None)

    @pytest.mark.parametrize(
        ("purposes", "n"), [(["GOLD"], 27), (["NORMAL", "GOLD"], 108), (["REPEAT"], 9)]
    )
    def test_looks_at_the_purposes_that_were_chosen(self, purposes, n):
        round_ = preferred.chosen(n_items=12, choices=swaying, capabilities=("Facts", "Tone"))
        places = list(round_.items.order_by("ordinal"))
        round_.items.filter(pk__in=[one.pk for one in places[:9]]).update(purpose="GOLD")
        for place in places[-3:]:
            make_again(round_, place)

        (of,) = figure(round_, selection={"purpose": purposes}).criteria

        assert of.n == n
        assert sum(one.n for one in of.raters) == n
        assert sum(one.n for one in of.pairs) == n
        assert sum(one.n for one in of.parts) in (0, n)

    def test_has_topics_where_questions_have_an_area(self):
        from annotation.domains.models import Domain

        round_ = preferred.chosen(n_items=12, choices=swaying)
        areas = [
            Domain.objects.create(project=round_.project, name=name) for name in ("Law", "Sea")
        ]
        for n, place in enumerate(round_.items.order_by("item_id", "pair")):
            place.item.domain = areas[n // 3 % 2]
            place.item.save(update_fields=["domain"])
        cut = asked.of_cut(read(round_))

        (of,) = figure(round_, **cut.preferences).criteria

        told = [(one.area, one.n_questions, one.n) for one in of.parts if one.by == "area"]
        assert told == [("Law", 6, 54), ("Sea", 6, 54)]

    def test_is_in_no_trend_and_no_change_of_scores(self, reader):
        round_ = preferred.chosen(n_items=2)

        assert movement.choices(round_.project) == []
        assert trend.course(read(round_).scope).rounds == []

    def test_sees_what_was_chosen_twice(self):
        round_ = preferred.chosen(n_items=6, choices=swaying)
        places = list(round_.items.order_by("ordinal"))
        for place in places[:2]:
            again = make_again(round_, place)
            assert again == 3

        (of,) = figure(round_).criteria

        assert (of.n, of.n_again, of.n_same) == (54, 6, 6)
        assert [one.n_again for one in of.raters] == [2, 2, 2]

    def test_counts_what_was_chosen_twice_in_what_is_looked_at(self):
        round_ = preferred.chosen(n_items=6, choices=swaying)
        places = list(round_.items.order_by("ordinal"))
        for place in places[:3]:  # the three pairs of the first question
            make_again(round_, place)
        pair = [one.release_id for one in round_.systems.order_by("release_id")][:2]
        somebody = round_.annotators.order_by("rater_id")[0].rater_id

        (of_two,) = figure(round_, selection={"release": pair}).criteria
        (of_one,) = figure(round_, selection={"annotator": [somebody]}).criteria
        (first,) = figure(round_, selection={"purpose": ["NORMAL"]}).criteria

        assert [one.n_again for one in (of_two, of_one, first)] == [3, 3, 9]
        assert [one.n_again for one in of_two.raters] == [1, 1, 1]


def make_again(round_, place):
    """Have every annotator meet a pair once more, sides swapped, and choose alike."""
    from annotation import models

    later = models.RoundItem.objects.create(
        round=round_,
        item=place.item,
        pair=place.pair,
        occasion=2,
        purpose="REPEAT",
        ordinal=500 + place.ordinal,
        n_seats=3,
        rubric_version=place.rubric_version,
    )
    shown = {
        one.release_id: models.RoundResponse.objects.create(
            round_item=later, release=one.release, response=one.response
        )
        for one in place.responses.all()
    }
    first = models.Grade.objects.filter(assignment__round_item=place)
    for n, one in enumerate(first):
        seat = models.Assignment.objects.create(
            round=round_,
            round_item=later,
            seat=n + 1,
            ordinal=5000 + 10 * place.ordinal + n,
            state="SUBMITTED",
            rater=one.rater,
            submitted_at=make.NOW,
            order_version="test",
        )
        slots = [
            models.Slot.objects.create(
                assignment=seat, position=at, round_response=shown[answer.release_id]
            )
            for at, answer in enumerate((one.against, one.response))
        ]
        models.Grade.objects.create(
            round=round_,
            response=one.against,
            against=one.response,
            criterion=one.criterion,
            rater=one.rater,
            slot=slots[0],
            assignment=seat,
            value=preferred.TURNED[int(one.value)],
            given_at=make.at(1),
        )
    return len(first)


class TestVerdict:
    @pytest.mark.parametrize("choices", [swaying, even, preferred.steady])
    def test_claims_no_more_than_the_pairs(self, choices):
        found = board(preferred.chosen(n_items=20, choices=choices))

        first = found.places[0].name
        mine = [one for one in found.pairs if first in (one.left, one.right)]
        sure = {one.pair.certainty for one in mine}
        if "every other" in found.title:
            assert sure == {Certainty.CLEAR}
            assert all((one.value > 50) == (one.left == first) for one in mine)
        if "too close" in found.title or "clearly ahead" in found.title:
            assert Certainty.OPEN in sure
        if "only its lead" in found.title:
            assert Certainty.CLEAR in sure
        assert found.title
        assert first.text in found.title

    def test_is_that_of_two_systems(self):
        round_ = preferred.chosen(systems=("Kestrel", "Harbour"), n_items=30, choices=swaying)

        found = board(round_)

        assert found.title.startswith("People prefer Kestrel to Harbour, in ")

    def test_says_why_there_is_no_order(self):
        assert board(preferred.chosen(choices=always)).title == (
            "There is no ranking yet. Some systems never lost to the others."
        )

    def test_says_so_where_systems_never_met(self):
        round_ = preferred.chosen(systems="KHTP", n_items=8, choices=even)
        rows = snapshots.table([round_])
        k, h, t, p = [one.release_id for one in round_.systems.order_by("release_id")]
        pairs = zip(rows["release"], rows["against"], strict=True)
        rows = rows[[{*pair} in ({k, h}, {t, p}) for pair in pairs]]
        data = plain(computing.figure_of(rows, rows))

        found = PreferenceBoard(asked.of_cut(read(round_)), data, {}, Claim.OTHERS)

        assert found.title == "There is no ranking yet. Some systems never met."
        assert {one.why for one in found.pairs if not one.pair.n} == {"Some systems never met."}

    def test_of_even_chances_names_nobody_ahead(self):
        found = board(preferred.chosen(n_items=20, choices=even))

        assert "are level at 50" in found.title
        assert {place.certainty for place in found.places} <= {Certainty.OPEN, Certainty.EQUAL}

    def test_says_which_lead_is_clear_and_which_pairs_are_not(self):
        def choices(first, second, item, rater):
            if {first, second} == {0, 1}:
                return 4 if (7 * item + rater) % 20 < 9 else 2
            return 4 if (item + rater) % 10 == 0 else 2

        found = board(preferred.chosen(n_items=30, choices=choices))

        assert found.title.startswith("Kestrel comes first with ")
        assert found.title.endswith("only its lead over Tern is clear.")
        assert "Too close to call: Kestrel – Harbour. Clear: Harbour over Tern." in found.subtitle

    def test_says_where_the_first_loses_to_another(self):
        def choices(first, second, item, rater):
            if {first, second} == {0, 1}:
                return 4 if (item + rater) % 20 < 11 else 2
            return 4 if second == 2 and first == 1 and (item + rater) % 3 == 0 else 2

        found = board(preferred.chosen(n_items=20, n_raters=2, choices=choices))

        assert found.title.startswith("Kestrel is highest with ")
        assert found.title.endswith(", but more chose Harbour over it.")

    def test_names_no_leader_without_an_interval(self):
        def choices(first, second, item, rater):
            return 4 if item == 0 else 2

        found = board(preferred.chosen(systems=("Kestrel", "Harbour"), n_items=3, choices=choices))

        assert found.places[0].cell.low is None
        assert found.title == "Kestrel is highest with 67 %. Too little was chosen to say more."


class TestPeople:
    def test_have_shares_of_a_the_same_both_bad_and_b(self):
        def choices(first, second, item, rater):
            return (1, 2, 3, 6, 4)[item % 5]

        found = board(preferred.chosen(n_items=10, choices=choices))

        for _label, one in found.people:
            assert sum(one.shares) == pytest.approx(1)
            assert one.shares[1:3] == pytest.approx((0.2, 0.2))
            assert one.shares[0] + (one.shares[1] + one.shares[2]) / 2 == pytest.approx(one.first)
        side = next(one for one in found.checks if one.title == "Side")
        assert side.text.startswith("A was preferred in ")
        assert "ties counted half" in side.text


class TestChecks:
    def test_of_few_triples_say_nothing_of_circles(self):
        def of(n_items):
            round_ = preferred.chosen(n_items=n_items, choices=decided, number=n_items)
            return next(one for one in board(round_).checks if one.title == "Circles")

        def decided(_first, _second, item, _rater):
            return 4 if item % 7 == 1 else 2

        few, many = of(2), of(12)

        assert (few.state, few.word) == ("", "")
        assert few.text.endswith("too few to say")
        assert (many.state, many.word) == ("ok", "fine")


class TestParts:
    def test_without_a_figure_say_why(self, reader):
        def choices(first, second, item, rater):
            return 2 if item % 2 else swaying(first, second, item, rater)

        preferred.chosen(n_items=24, choices=choices, capabilities=("Facts", "Tone"))

        page = words(computed(reader, at("results")))

        assert page.count("Some systems never lost to the others.") >= 2
        assert re.search(r"Tone – – – 12 Some systems never lost", page)


class TestMatrix:
    def test_adds_up_to_a_hundred_across_the_diagonal(self):
        found = board(preferred.chosen(n_items=12, choices=swaying))

        for n, (_row, fields) in enumerate(found.matrix):
            assert fields[n].value is None
            for m, one in enumerate(fields):
                if m != n:
                    assert abs(one.value + found.matrix[m][1][n].value - 100) <= 1
                    assert one.said == "36 choices"


class TestPage:
    def test_shows_strengths_pairs_checks_and_parts(self, reader):
        preferred.chosen(n_items=24, choices=swaying, capabilities=("Facts", "Tone"))

        page = words(computed(reader, at("results")))

        for said in ("Strength", "Who wins against whom", "Pair by pair", "Can it be trusted?"):
            assert said in page
        for said in ("216 choices by 3 annotators", "Where they differ", "Facts", "Tone"):
            assert said in page
        assert "Kestrel" not in page
        assert "nan" not in page

    def test_says_under_a_filter_what_is_of_the_whole_round(self, reader):
        rater = preferred.chosen(n_items=12, choices=swaying).annotators.first().rater

        whole = words(computed(reader, at("results")))
        part = words(computed(reader, f"{at('results')}?annotator={rater.pk}"))

        assert "whole round" not in whole
        assert part.count("whole round") == 2

    def test_leads_to_training_data(self, reader):
        preferred.chosen(n_items=2)

        assert f'href="{at("results_datasets")}"' in computed(reader, at("results"))

    def test_shows_one_criterion_at_a_time(self, reader):
        preferred.chosen(n_items=6, choices=swaying, criteria=("better", "kinder"))

        page = computed(reader, at("results"))

        assert "?criterion=kinder" in page
        assert (
            'aria-current="true">Kinder'
            in reader.get(f"{at('results')}?criterion=kinder").content.decode()
        )

    def test_of_a_round_without_choices_says_so(self, reader):
        preferred.chosen(n_items=0, state="OPEN")

        assert "No grades yet" in computed(reader, at("results"))

    def test_of_scores_of_a_round_of_grades_stays(self, reader):
        rounds.graded()

        assert "Strength" not in computed(reader, at("results"))
        assert reader.get(at("results_beside")).status_code == 302
        assert reader.get(at("results_sheet", "wins")).status_code == 404

    @pytest.mark.parametrize("name", ["results_breakdown", "results_model", "results_whole"])
    def test_leads_to_preferences_where_there_would_be_scores(self, reader, name):
        preferred.chosen(n_items=2)

        assert reader.get(at(name)).url == at("results")

    def test_opens_the_choices_behind_a_field(self, reader):
        preferred.chosen(n_items=3, choices=swaying)

        page = reader.get(f"{at('results_items')}?release=1&release=2&at_criterion=better")

        shown = words(page.content.decode())
        assert "3 pairs of answers" in shown
        assert "Preferred" in shown
        assert "System 1" in shown
        assert " of 6" not in shown


class TestAgreement:
    def test_is_on_what_was_chosen_whatever_the_side(self, reader):
        preferred.chosen(n_items=9, choices=lambda first, second, item, _rater: 2 + 2 * (item % 2))

        page = words(computed(reader, at("results_agreement")))

        assert "Agreement is 1.00, from too little to say more." in page
        assert "Pairs of systems" in page
        assert "Pass and fail" not in page
        assert ("AC1" in page, "AC2" in page) == (True, False)

    def test_does_not_depend_on_which_system_came_first(self):
        told = []
        for number, (names, rank) in enumerate([("KHT", (0, 1, 2)), ("PQR", (1, 0, 2))], start=1):
            round_ = preferred.chosen(
                systems=names, n_items=20, choices=ranked(rank), number=number
            )
            told.append(
                typed.read_figure(
                    AgreementFigure, jobs.compute(name="agreement", round_=round_, params={})
                )
            )

        one, other = told
        for mine, its in (
            (one.overall.coefficients, other.overall.coefficients),
            (one.parts[0].agreement.coefficients, other.parts[0].agreement.coefficients),
            (one.pairs, other.pairs),
            (one.without, other.without),
        ):
            assert [it.value for it in mine] == [pytest.approx(it.value) for it in its]
        # Everybody prefers the stronger one, and within two systems nobody agrees beyond that.
        assert one.overall.find("raw").value > 0.6
        assert abs(one.overall.find("alpha_nominal").value) < 0.15
        (left, *_rest), mean = one.systems, one.overall.find("alpha_nominal").value
        values = sorted(it.value for it in one.systems if it.value is not None)
        assert values[0] <= mean <= values[-1]
        assert left.n_pairable == 20

    def test_finds_who_chose_the_other_answer(self, reader):
        def lonely(_first, _second, item, rater):
            return 4 if rater == 1 and item == 0 else 2

        preferred.chosen(n_items=4, choices=lonely)

        page = words(computed(reader, at("results_disputes")))
        opened = words(computed(reader, f"{at('results_dispute')}?question=P1-0"))

        assert "One question is in dispute: P1-0." in page
        assert "some chose one answer, some the other" in page
        assert opened.count("stands alone") == 3  # of three pairs of systems
        assert "System 1" in opened
        assert "Preferred" in opened

    def test_of_agreement_has_no_columns_that_pairs_leave_empty(self, reader):
        preferred.chosen(n_items=6, choices=swaying)

        page = words(computed(reader, at("results_agreement")))

        assert "Fleiss’ κ" in page
        for said in ("AC2", "ICC(2,k)", "Levels used"):
            assert said not in page

    def test_of_annotators_shows_how_each_chose(self, reader):
        preferred.chosen(n_items=6, choices=swaying)

        page = words(computed(reader, at("results_annotators")))

        assert "How each annotator chose" in page
        assert "Annotator 3 18" in page


class TestPlan:
    def test_says_how_many_questions_a_rate_takes(self, reader):
        preferred.chosen(n_items=24, choices=swaying)

        page = words(computed(reader, f"{at('results_plan')}?delta=10&width=20"))

        assert "Questions for the width" in page
        assert "From even, in points" in page


class TestBesideGrades:
    def test_counts_choices_of_the_better_graded_answer(self):
        round_ = preferred.chosen(n_items=6, choices=always)
        preferred.graded_too(round_, marks=lambda system, item, rater: 2 - system)

        found = jobs.compute(name="beside_grades", round_=round_, params={"rounds": [2]})

        (of,) = typed.read_figure(GradesBesideFigure, found).criteria
        assert (of.these.value, of.n, of.n_apart) == (1, 54, 0)

    def test_lists_where_people_chose_otherwise(self, reader):
        round_ = preferred.chosen(n_items=9, choices=swaying)
        preferred.graded_too(round_)

        page = words(computed(reader, at("results_beside")))
        lead = computed(reader, at("results"))

        assert re.search(r"People chose the better graded answer in \d+ %\.", page)
        assert "Where they disagree" in page
        assert at("results_beside") in lead

    def test_says_what_is_lacking(self, reader):
        preferred.chosen(n_items=2)

        page = words(reader.get(at("results_beside")).content.decode())
        asked_for = reader.get(reverse("api_beside", args=["northport", 1]))

        assert "No other round has graded these answers." in page
        assert asked_for.status_code == 422
        assert asked_for.json()["code"] == "bad_setting"

    def test_of_another_round_names_those_there_are(self, reader):
        round_ = preferred.chosen(n_items=6, choices=swaying)
        preferred.graded_too(round_)

        page = words(computed(reader, f"{at('results_beside')}?other=9"))

        assert "Round 9 has graded none of these answers. Choose one of: 2." in page

    def test_hides_grades_of_a_round_whose_names_are_hidden(self, client):
        round_ = preferred.chosen(n_items=6, choices=swaying)
        other = preferred.graded_too(round_)
        owner = make.member(Role.OWNER)
        client.force_login(owner)
        unblinding.show_names(round_=round_, by=owner, now=make.NOW)

        page = client.get(at("results_beside")).content.decode()
        told = client.get(reverse("api_beside", args=["northport", 1]))
        sheet = client.get(reverse("results_sheet", args=["northport", 1, "grades-beside"]))

        assert f'action="{reverse("results_names", args=["northport", 2])}"' in page
        assert "People chose the better graded answer" not in page
        assert told.json()["code"] == "names_hidden"
        assert sheet.status_code == 302

        unblinding.show_names(round_=other, by=owner, now=make.NOW)

        assert "People chose the better graded answer" in computed(client, at("results_beside"))

    def test_prefers_a_round_whose_names_are_shown(self, client):
        round_ = preferred.chosen(n_items=6, choices=swaying)
        shown = preferred.graded_too(round_)
        rated_again = preferred.graded_too(round_, number=3)
        owner = make.member(Role.OWNER)
        for one in (round_, shown):
            unblinding.show_names(round_=one, by=owner, now=make.NOW)
        mine = labels.of_reading(Scope(round_.project, owner, frozenset({Role.OWNER})), 1)

        other, known = beside.round_beside(mine, "")

        assert (other, known) == (shown, [rated_again, shown])


class TestPrograms:
    def test_are_told_what_the_page_shows(self, reader):
        preferred.chosen(n_items=12, choices=swaying)
        url = reverse("api_preferences", args=["northport", 1])
        assert reader.get(url).status_code == 202
        compute()

        said = reader.get(url).json()

        (of,) = said["criteria"]
        assert next(one["system"] for one in of["systems"]).startswith("System ")
        assert of["pairs"][0]["won"] + of["pairs"][0]["tied"] + of["pairs"][0]["lost"] == 36
        assert of["annotators"][0]["annotator"] == "Annotator 1"

    @pytest.mark.parametrize("name", ["results", "breakdown", "annotators", "round_model"])
    def test_are_told_where_preferences_are(self, reader, name):
        preferred.chosen(n_items=2)

        found = reader.get(reverse(f"api_{name}", args=["northport", 1]))

        assert (found.status_code, found.json()["code"]) == (409, "round_of_pairs")

    def test_get_a_report_with_preferences(self, reader):
        preferred.chosen(n_items=6, choices=swaying)
        url = reverse("api_report", args=["northport", 1])
        reader.get(url)
        compute()

        said = reader.get(f"{url}?annotators=none").json()

        assert said["preferences"]["criteria"][0]["n"] == 54
        assert said["preferences"]["criteria"][0]["annotators"] == []
        assert "scores" not in said


class TestFiles:
    def test_are_those_of_a_round_of_pairs(self):
        round_ = preferred.chosen(n_items=2)

        assert set(sheets.kinds(round_)) == set(tables.OF_PAIRS)
        assert set(sheets.kinds(Round(of_pairs=False))) == set(sheets.SHEETS) - sheets.OF_PAIRS

    @pytest.mark.parametrize(
        "name", ["rates", "rates-by-part", "wins", "annotator-choices", "system-pairs"]
    )
    def test_hold_a_line_for_each_row(self, reader, name):
        preferred.chosen(n_items=12, choices=swaying, capabilities=("Facts", "Tone"))
        reader.get(at("results_sheet", name))
        compute()

        lines = b"".join(reader.get(at("results_sheet", name)).streaming_content).splitlines()

        rows = {"rates": 3, "rates-by-part": 6}.get(name, 3)
        assert len(lines) == 1 + rows

    def test_of_results_are_rates(self, reader):
        preferred.chosen(n_items=12, choices=swaying)
        for name in ("results_csv", "breakdown_csv"):
            reader.get(at(name))
        compute()

        lines = b"".join(reader.get(at("results_csv")).streaming_content).decode().splitlines()

        assert lines[0].startswith("criterion,system,rate,low,high,low_others,high_others")
        assert len(lines) == 4

    def test_draw_strengths(self, reader):
        preferred.chosen(n_items=12, choices=swaying)
        reader.get(at("results_picture", "strengths"))
        compute()

        drawn = b"".join(reader.get(at("results_picture", "strengths")).streaming_content)

        assert drawn.startswith(b"<svg")
        assert b"System 1" in drawn


class TestReport:
    def test_holds_every_criterion_and_no_name(self, reader):
        preferred.chosen(n_items=8, choices=swaying, criteria=("better", "kinder"))

        page = words(computed(reader, at("results_report")))

        assert page.count("Who wins against whom") == 2
        assert "Kestrel" not in page
        assert "Davidson" in page
        assert "Each pair of answers was for 3 annotators" in page

    def test_of_a_study_speaks_of_pairs(self, reader):
        preferred.chosen(n_items=8, choices=swaying)

        page = words(computed(reader, at("study")))

        assert "Pairs of answers" in page
        assert "Krippendorff’s α, nominal" in page


WALKED = (
    *("results", "results_items", "results_table", "results_agreement", "results_disputes"),
    *("results_dispute", "results_review", "review_effect", "results_annotators"),
    *("results_signals", "results_comments", "results_explore", "results_plan", "results_beside"),
    *("results_report", "results_report_html", "study", "study_md"),
)


class TestEveryPage:
    @pytest.mark.slow
    def test_of_a_round_of_pairs_says_something_true(self, reader):
        preferred.graded_too(preferred.chosen(n_items=6, choices=swaying))
        for name in WALKED:
            reader.get(at(name))
        compute()

        for name in WALKED:
            found = reader.get(at(name))
            assert found.status_code == 200, name
            body = (
                b"".join(found.streaming_content) if found.streaming else found.content
            ).decode()
            said = words(re.sub(r"<(script|style).*?</\1>", "", body, flags=re.DOTALL))
            for wrong in ("nan", "None", "could not be computed", "No grades", "Kestrel"):
                assert not re.search(rf"\b{wrong}\b", said), (name, wrong)


class TestHome:
    def test_says_who_is_preferred_most(self, reader):
        preferred.chosen(n_items=12, choices=swaying)
        reader.get(at("results"))
        compute()

        page = reader.get(reverse("project_home", args=["northport"])).content.decode()

        assert "Most preferred" in page
        assert "Kestrel" not in page  # names are hidden
