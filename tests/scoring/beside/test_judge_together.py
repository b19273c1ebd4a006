from dataclasses import replace

import pytest
from django.http import QueryDict

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.beside import asked as judge_asked
from scoring.beside import figures as judge_mixes
from scoring.beside import mixing as judge_together
from scoring.shown.sheet import NothingDrawn
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def together(query=""):
    round_ = beside_people.world()
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    options = judge_asked.options("judge_mixes", scope, QueryDict(query))
    params = judge_asked.params("judge_mixes", options.choice) | {"resamples": 40}
    data = judge_mixes.mixes_of(round_, params)
    return judge_together.MixPage(data, options)


class TestTogether:
    def test_shows_aggregates_first_and_says_why_one_is_undefined(self):
        found = together("open=data").part.lines

        names = ["AVG", "Median", "LLMSel", "CorrW", "CorrW, in-sample"]
        assert [line.name for line in found[:5]] == names
        assert {line.name for line in found[5:]} == {"good", "guess", "rouge"}
        assert (found[2].figure.value, found[2].figure.why) == (
            None,
            "None is ticked for this criterion.",
        )
        assert all(line.figure.low < line.figure.value for line in found if line.name != "LLMSel")

    def test_says_what_each_counts_for(self):
        part = together("open=data").part

        assert [one.title for one in part.weights][-1] == "In-sample: all questions"
        assert len(part.weights) == 5 + 1
        assert all(sum(map(abs, one.weights)) == pytest.approx(1) for one in part.weights)

    def test_draws_aggregates_and_machines_with_the_band_of_people(self):
        found = together("open=data")

        assert ">CorrW, in-sample<" in judge_together.drawn(found)

    def test_draws_nothing_where_no_judge_has_the_criterion(self):
        found = together("&".join(f"map.coh.{n}=" for n in range(200)))
        with pytest.raises(NothingDrawn):
            judge_together.drawn(found.__class__(replace(found.data, criteria=()), found.options))


class TestTicks:
    def test_stand_where_a_judge_has_the_criterion(self):
        beside_people.world()
        good, rouge = beside_people.judge("good"), beside_people.judge("rouge")
        scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
        query = QueryDict(f"align.coh={good}&map.coh.{rouge}=")
        found = judge_together.ticks(judge_asked.options("judge_mixes", scope, query))

        assert {name: boxes for _, name, boxes in found} == {
            "good": [("align.coh", "good: coh", True)],
            "guess": [("align.coh", "guess: coh", False)],
            "rouge": [None],
        }


class TestSheets:
    def test_hold_every_coefficient_and_weight(self):
        found = together("open=data")
        mixes, weights = list(found.mixes), list(found.weights)

        assert len(mixes) == (5 + 3) * 4
        assert {row.why for row in mixes if row.name == "LLMSel"} == {
            "None is ticked for this criterion."
        }
        assert len(weights) == 3 * (5 + 1)
