import json
from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.rounds.models import RoundItem
from annotation.systems.rules import Output, Unit
from scoring.publishing import choosing, outputs
from scoring.publishing import operations as publishing
from scoring.publishing.models import Publication
from tests import make
from tests.scoring import connected, interviewed, suites, suites_published
from tests.scoring.interviews_published import published

pytestmark = pytest.mark.django_db


def chances(round_):
    """Return the chance of each item that was drawn, by what its responses were made of."""
    rows = RoundItem.objects.filter(round=round_).order_by("pk")
    return {
        one.item.external_id: (one.inclusion_probability, [r.response for r in one.responses.all()])
        for one in rows
    }


@pytest.fixture
def talks():
    """Return a run of interviews with an evaluator, and the rule of its low marks."""
    run = interviewed.held(n=4)
    return run, f"low:{run.judge.rater_id}:overall"


class TestRulesOf:
    def test_are_low_marks_of_an_evaluator(self, talks):
        run, rule = talks

        assert rule in [one.key for one in choosing.rules_of(run)]
        assert {one.kind for one in choosing.rules_of(run)} == {"low"}

    def test_are_disagreements_of_several_judges_and_their_labels(self):
        run = suites_published.judged()

        found = {one.kind: one for one in reversed(choosing.rules_of(run))}

        assert {"apart", "low", "label"} <= set(found)
        assert found["apart"].label.endswith("(2 judges)")

    def test_are_labels_that_conversations_came_with(self):
        talks = suites_published.talks(4)
        for number, one in enumerate(talks):
            one["topic"] = "berths" if number % 2 else "ships"
        home = suites.brought(suites.lines(talks))
        run = suites.done(suites.requested(suites.saved(), home))

        keys = [one.key for one in choosing.rules_of(run)]
        found = choosing.preferred(run, outputs.units(run, "conversations"), "said:topic=ships")

        assert {"said:topic=ships", "said:topic=berths"} <= set(keys)
        assert sorted(found.sizes) == [0, 0, 1, 1]

    def test_are_none_where_nothing_was_scored(self):
        make.item("Q1")
        connected.connection(make.release("Kestrel"))

        assert choosing.rules_of(connected.done(connected.request())) == []


class TestPreferred:
    def test_is_the_larger_the_lower_the_mark(self, talks):
        run, rule = talks
        units = outputs.units(run, "exchanges")

        found = choosing.preferred(run, units, rule)

        marks = outputs.said(
            run.judge.rater_id, "overall", [output.place for one in units for output in one.outputs]
        )
        wanted = [
            None if one.outputs[0].place not in marks else 1 - (marks[one.outputs[0].place] - 1) / 3
            for one in units
        ]
        known = [one for one in wanted if one is not None]
        mean = sum(known) / len(known)
        assert found.sizes == pytest.approx([mean if one is None else one for one in wanted])
        assert found.n_unscored == wanted.count(None)
        assert set(found.aid) == set(marks)

    def test_is_how_far_judges_lie_apart(self):
        run = suites_published.judged(n=6)
        units = outputs.units(run, "turns")
        rule = next(one for one in choosing.rules_of(run) if one.kind == "apart")

        found = choosing.preferred(run, units, rule.key)

        said = suites_published.values_by_turn(run)
        for unit, size in zip(units, found.sizes, strict=True):
            one, other = said[unit.outputs[0].place]
            assert size == pytest.approx(abs(one - other))  # the rubric's choices are worth 0 and 1
        assert 0 < sum(size > 0 for size in found.sizes) < len(units)

    def test_of_an_earlier_publication_of_what_judges_disagreed_on_is_the_rule(self):
        run = suites_published.judged(n=6)
        made = suites_published.published(run, "turns", n=2).publication
        Publication.objects.update(sort="turns_apart")

        import_module("scoring.migrations.0036_disagreement_is_a_rule").to_rule(apps, None)

        made.refresh_from_db()
        said = suites_published.values_by_turn(run)
        wanted = {place for place, values in said.items() if len(set(values)) > 1}
        found = choosing.drawn_from(made, run)
        assert {(one.source, one.level, one.index) for one in found} == wanted
        assert 0 < len(wanted) < len(said)
        assert (made.sort, made.even, made.rule) == ("turns", 0, choosing.rules_of(run)[0].key)
        assert made.rule_label == "Judges apart: kind"

    def test_is_a_label_by_a_judge(self):
        run = suites_published.judged(n=6)
        units = outputs.units(run, "turns")
        rule = next(one for one in choosing.rules_of(run) if one.kind == "label")

        found = choosing.preferred(run, units, rule.key)

        assert set(found.sizes) == {0, 1}

    def test_goes_by_the_worst_of_those_that_stand_side_by_side(self, talks):
        run, rule = talks
        one, two = outputs.units(run, "exchanges")[:2]
        marks = outputs.said(
            run.judge.rater_id, "overall", [one.outputs[0].place, two.outputs[0].place]
        )

        both = Unit("both", [*one.outputs, *two.outputs])

        lowest = min(marks.values())
        assert choosing.preferred(run, [both], rule).sizes == [1 - (lowest - 1) / 3]

    def test_refuses_a_rule_that_the_run_lacks(self, talks):
        run, _rule = talks

        with pytest.raises(choosing.NoSuchRule, match="low:7:other"):
            choosing.preferred(run, outputs.units(run, "exchanges"), "low:7:other")

    def test_refuses_what_nothing_was_said_of(self, talks):
        run, rule = talks
        elsewhere = Unit("elsewhere", [Output(make.release().pk, response_id=987_654)])

        with pytest.raises(choosing.NothingToPrefer, match="says nothing of these outputs"):
            choosing.preferred(run, [elsewhere], rule)


class TestPublishing:
    def test_keeps_the_chance_of_each_and_what_it_was_drawn_from(self, talks):
        run, rule = talks
        units = outputs.units(run, "exchanges")

        round_ = published(run, "exchanges", n=8, rule=rule, even=40)

        found = choosing.preferred(run, units, rule)
        kept = Publication.objects.get(round=round_)
        shares = dict(zip([one.external_id for one in units], found.sizes, strict=True))
        drawn = chances(round_)
        assert len(drawn) == kept.n_taken == 8
        assert (kept.n_units, kept.rule, kept.even) == (len(units), rule, 40)
        whole = sum(found.sizes)
        for name, (chance, responses) in drawn.items():
            assert chance == pytest.approx(8 * (0.4 / len(units) + 0.6 * shares[name] / whole))
            said = found.aid.get(
                next(o.place for unit in units if unit.external_id == name for o in unit.outputs)
            )
            assert [kept.frame["aid"].get(str(one.pk)) for one in responses] == [said]
        assert len({chance for chance, _responses in drawn.values()}) > 1
        assert sum(one["n"] for one in kept.frame["releases"].values()) == len(units)

    def test_says_how_many_there_were_of_each_release_without_a_rule_too(self, talks):
        run, _rule = talks

        round_ = published(run, "exchanges", n=5)

        kept = Publication.objects.get(round=round_)
        assert (kept.rule, kept.even, kept.frame["aid"]) == ("", 100, {})
        assert {one["mean"] for one in kept.frame["releases"].values()} == {None}

    def test_refuses_a_rule_where_all_are_taken(self, talks):
        run, rule = talks

        with pytest.raises(publishing.RuleWithoutNumber, match="how many"):
            published(run, "exchanges", rule=rule)

        assert not Publication.objects.exists()

    def test_asks_several_annotators_of_each(self, talks):
        run, rule = talks

        round_ = published(run, "exchanges", n=4, rule=rule, n_seats=5)

        assert set(round_.items.values_list("n_seats", flat=True)) == {5}


class TestCommand:
    @pytest.fixture
    def said(self):
        def call(*args, **given):
            out = StringIO()
            call_command("publish_run", "northport", *map(str, args), stdout=out, **given)
            return out.getvalue()

        return call

    def test_lists_what_there_is(self, said, talks):
        run, rule = talks

        found = json.loads(said(run.number, list=True, json=True))

        assert "exchanges" in found["sorts"]
        assert "interview-overall" in found["rubrics"]
        assert rule in found["rules"]
        assert rule in said(run.number, list=True)

    def test_makes_a_round_as_page_and_api_do(self, said, talks):
        run, rule = talks
        make.member("OWNER")

        text = said(run.number, rubric="interview-overall", sort="exchanges", n=6, rule=rule)

        kept = Publication.objects.get()
        assert (kept.n_taken, kept.rule, kept.even) == (6, rule, 25)
        assert f"6 of {kept.n_units} outputs, sooner by {rule}" in text

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({}, "Name the rubric"),
            ({"rubric": "nothing"}, "Neither the project nor this run"),
            ({"rubric": "interview-overall", "even": 2}, "even: A whole number from 5 to 100"),
            ({"rubric": "interview-overall", "n": 2, "rule": "low:1:x"}, "no rule"),
            ({"rubric": "interview-overall", "by": "nobody"}, "nobody called"),
        ],
    )
    def test_says_why_it_cannot(self, said, talks, given, why):
        run, _rule = talks
        make.member("OWNER")

        with pytest.raises(CommandError, match=why):
            said(run.number, **given)

        assert not Publication.objects.exists()

    def test_knows_no_run_that_is_not_there(self, said):
        make.project()

        with pytest.raises(CommandError, match="no run 9"):
            said(9)
