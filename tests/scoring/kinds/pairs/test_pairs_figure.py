import re
from typing import ClassVar

import pytest

from annotation.rounds.models import Round
from annotation.systems.models import Item, System
from scoring.endpoints.models import Endpoint
from scoring.kinds.pairs import figure, outcome
from scoring.outcomes.values import Contender
from tests import make
from tests.scoring import paired, preferred, rounds, worker

pytestmark = pytest.mark.django_db


def first_of_two(left, right, item):
    """The earlier system is better, whatever its place; some pairs are as good."""
    return (3, 3) if item % 4 == 3 else (2, 4)


def people(first, second, item, rater):
    return 3 if item % 4 == 3 else 2


def run_of(says=first_of_two, choices=people, **given):
    return paired.said(says, preferred.chosen(choices=choices, **given))


def marks(page):
    """Return the signs of systems on a page."""
    return set(re.findall(r'<svg class="mk (s\d+)"', page))


def swayed(found):
    return {one["name"]: one for one in found["sways"]}


class TestCompute:
    def test_counts_what_came_of_every_pair(self):
        def says(left, right, item):
            return [(2, 4), (2, 2), (3, 3), (6, 6), (None, 2), (4, 1)][item % 6]

        found = figure.compute(run_of(says), {})

        assert found["counts"] == {
            "n": 36, "decided": 12, "tied": 6, "both_bad": 6, "inconsistent": 6, "unread": 6,
            "left_out": 0, "machinery_failed": 0,
        }  # fmt: skip

    def test_finds_rates_and_every_two_systems(self):
        found = figure.compute(run_of(), {})

        pairs = found["rates"]["pairs"]
        assert [(one["won"], one["tied"], one["lost"]) for one in pairs] == [(9, 3, 0)] * 3
        assert [one["value"] for one in pairs] == [pytest.approx(10.5 / 12)] * 3
        assert [one["name"] for one in found["rates"]["field"]] == found["releases"]

    def test_takes_turns_of_a_conversation_for_one_question(self):
        run = run_of()
        for n, pk in enumerate(sorted(set(run.round.items.values_list("item", flat=True)))):
            Item.objects.filter(pk=pk).update(group=f"talk {n // 2}")

        found = figure.compute(run, {})

        sways = swayed(found)
        assert [one["n"] for one in found["rates"]["pairs"]] == [6, 6, 6]
        assert {one["n"] for one in found["equal"]} == {6}
        assert {sways[name]["judge"]["n"] for name in ("contradicts", "first", "longer")} == {6}
        assert found["people"]["judge"]["kappa"]["n"] == 6

    def test_leaves_contradictions_out_or_counts_them_as_ties(self):
        def says(left, right, item):
            return (2, 2) if item < 6 else (2, 4) if item < 10 else (4, 2)

        run = run_of(says)

        as_ties = figure.compute(run, {"inconsistent": "tie"})["rates"]["pairs"][0]
        left_out = figure.compute(run, {"inconsistent": "left_out"})["rates"]["pairs"][0]

        assert (as_ties["won"], as_ties["tied"], as_ties["lost"]) == (4, 6, 2)
        assert (left_out["won"], left_out["tied"], left_out["lost"]) == (4, 0, 2)

    def test_finds_a_judge_that_looks_at_the_place(self):
        found = figure.compute(run_of(lambda left, right, item: (2, 2)), {})

        sways = swayed(found)
        assert sways["contradicts"]["judge"]["value"] == 1.0
        assert sways["first"]["judge"]["value"] == 1.0
        assert sways["first"]["people"]["value"] == pytest.approx(0.625)  # two in three saw no turn
        assert {one["value"] for one in found["rates"]["pairs"]} == {0.5}

    def test_finds_a_judge_that_likes_length(self):
        round_ = preferred.chosen(choices=people)
        keys = sorted(make.release(name).pk for name in ("Kestrel", "Harbour", "Tern"))

        def longer(left, right, item):  # tests.scoring.rounds.apart
            return (2, 4) if keys[left] % 3 > keys[right] % 3 else (4, 2)

        found = figure.compute(paired.said(longer, round_), {})

        sway = swayed(found)["longer"]
        assert (sway["judge"]["value"], sway["judge"]["n_votes"]) == (1.0, 36)
        assert round(sway["people"]["value"], 6) in {0.333333, 0.666667}
        assert sway["more"]["value"] == pytest.approx(1 - sway["people"]["value"])
        assert {one["reason"] for one in found["equal"]} == {"never_lost"}

    def test_looks_for_its_own_family_where_both_are_known(self):
        run = run_of()
        assert "own" not in swayed(figure.compute(run, {}))

        Endpoint.objects.update(family="Heron")
        System.objects.filter(name="Kestrel").update(family="heron ")
        System.objects.exclude(name="Kestrel").update(family="Gull")

        own = swayed(figure.compute(run, {}))["own"]
        assert (own["judge"]["value"], own["people"]["value"]) == (1.0, 1.0)
        assert own["judge"]["n_votes"] == 9 * 2

    def test_of_nothing_read_has_no_rate(self):
        found = figure.compute(run_of(lambda left, right, item: (None, None)), {})

        assert found["rates"] is None
        assert found["counts"]["unread"] == 36


class TestBesidePeople:
    def test_agrees_wholly_where_both_say_the_same(self):
        found = figure.compute(run_of(), {})["people"]

        assert found["n_pairs"] == 36
        for measure in ("with_ties", "without_ties", "kappa"):
            assert found["judge"][measure]["value"] == pytest.approx(1.0)
        assert found["judge"]["with_ties"]["n_votes"] == 36 * 3
        assert found["judge"]["without_ties"]["n_votes"] == 27 * 3

    def test_counts_a_contradiction_as_a_tie_and_leaves_it_out_where_ties_are(self):
        found = figure.compute(run_of(lambda left, right, item: (2, 2)), {})["people"]

        assert found["judge"]["with_ties"]["value"] == pytest.approx(9 / 36)
        assert found["judge"]["without_ties"]["value"] is None

    def test_does_not_depend_on_the_sides_that_people_saw(self):
        found = figure.compute(run_of(lambda left, right, item: (4, 2)), {})["people"]

        # They say a tie of a quarter each, and contradict it in all others.
        assert found["judge"]["with_ties"]["value"] == pytest.approx(0.0)
        assert found["judge"]["table"] == [[0, 0, 0], [0, 0, 0], [81, 27, 0]]

    def test_may_stand_in_for_people_whom_it_is_like(self):
        def alike(first, second, item, rater):
            return 2 if (item + rater) % 7 else 4

        run = run_of(lambda left, right, item: (2, 4), choices=alike, n_items=60)

        found = figure.compute(run, {"epsilon": "0.1"})["people"]["stand_in"]

        assert found["n_people"] == 3
        assert found["passes"] is True
        assert "ε 0.1" in found["method"]

    def test_is_not_told_where_people_were_asked_something_else(self):
        graded = rounds.graded(systems=("Kestrel", "Harbour"), n_items=3, state="FINAL")
        assert figure.compute(paired.done(graded), {})["people"] is None

    def test_goes_by_the_criterion_that_the_judge_was_asked(self):
        def by_name(first, second, item, rater):
            return 2

        round_ = preferred.chosen(criteria=("better", "kinder"), choices=by_name)
        run = paired.said(first_of_two, round_, criterion="preference/kinder")

        found = figure.compute(run, {})["people"]

        assert found["judge"]["with_ties"]["n_votes"] == 36 * 3

    def test_is_not_told_where_the_judge_was_asked_by_another_rubric(self):
        round_ = preferred.chosen()
        preferred.choice_rubric(key="other", in_=round_.project)

        run = paired.said(first_of_two, round_, criterion="other/better")

        assert figure.compute(run, {})["people"] is None

    def test_waits_until_the_round_is_final(self):
        round_ = preferred.chosen()
        run = paired.done(round_)
        Round.objects.filter(pk=round_.pk).update(state="REVIEW")
        run.round.refresh_from_db()

        assert figure.compute(run, {})["people"] is None


class TestVerdict:
    known: ClassVar = {
        n: Contender(name, n) for n, name in enumerate(("Kestrel", "Harbour", "Tern"))
    }

    def said(self, *p_values):
        pairs = [
            {"left": 0, "right": n + 1, "value": 0.7, "p_holm": p} for n, p in enumerate(p_values)
        ]
        field = [{"name": n, "value": 0.6 - n / 10} for n in range(1 + len(p_values))]
        return outcome._verdict({"field": field, "pairs": pairs}, self.known)

    @pytest.mark.parametrize(
        ("p_values", "said"),
        [
            ((0.01, 0.02), "Kestrel wins 70\u00a0% against Harbour."),
            ((0.2, 0.02), "Kestrel is highest, but its lead over Harbour could be chance."),
            ((0.02, 0.2), "Kestrel is highest, but its lead over Tern could be chance."),
            (
                (0.2, 0.2),
                "Kestrel is highest, but its lead over Harbour and Tern could be chance.",
            ),
            ((0.2, None), "Kestrel comes out highest; certainty unknown."),
            ((), ""),
        ],
    )
    def test_names_every_lead_that_could_be_chance(self, p_values, said):
        assert self.said(*p_values) == said


class TestPage:
    def test_is_closed_until_the_round_is_final(self, as_analyst):
        round_ = preferred.chosen()
        run = paired.done(round_)
        address = f"/p/{run.project.slug}/runs/{run.number}/pairs/"
        assert as_analyst.get(address).status_code == 200

        Round.objects.filter(pk=round_.pk).update(state="REVIEW")

        assert as_analyst.get(address).status_code == 409
        told = as_analyst.get(f"/api/v1/projects/{run.project.slug}/runs/{run.number}/pairs/")
        assert told.status_code == 409
        assert make.project() == run.project

    def test_wears_no_marks_of_systems_while_names_are_hidden(self, as_analyst):
        round_ = preferred.chosen()
        run = paired.done(round_)
        System.objects.filter(project=round_.project).update(colour=7)
        address = f"/p/{run.project.slug}/runs/{run.number}/pairs/"
        as_analyst.get(address)
        worker.compute()

        hidden = as_analyst.get(address).content.decode()
        as_analyst.post(f"/p/{run.project.slug}/rounds/{round_.number}/results/names/")
        shown = as_analyst.get(address).content.decode()

        assert "Show names" in hidden
        assert "Kestrel" not in hidden
        assert len(marks(hidden)) == 3
        assert "Show names" not in shown
        assert "Kestrel" in shown
        assert len(marks(shown)) == 1
