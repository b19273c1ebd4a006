from typing import Any

import pytest

from annotation.systems.models import Item
from scoring.engine.models import Step
from scoring.kinds.accuracy import figure as quiz_figures
from scoring.kinds.accuracy.figure import AskedQuestion
from scoring.kinds.accuracy.outcome import AccuracyOptions
from tests.scoring import interviewed, quizzed

pytestmark = pytest.mark.django_db


def asked(*chosen, right=0):
    return AskedQuestion(1, 1, chosen, (), right)


class TestAsked:
    @pytest.mark.parametrize(
        ("rule", "unread", "chosen", "value"),
        [
            ("mean", "wrong", (0, 1, None, 0), 0.5),
            ("mean", "left_out", (0, 1, None, 0), 2 / 3),
            ("strict", "wrong", (0, 0, None), 0.0),
            ("strict", "left_out", (0, 0, None), 1.0),
            ("vote", "wrong", (0, 0, 1), 1.0),
            ("vote", "wrong", (0, 1), 0.0),
            ("own", "wrong", (1, 0, 0), 0.0),
            ("own", "left_out", (None, 0), None),
            ("mean", "left_out", (None, None), None),
        ],
    )
    def test_becomes_a_value_by_the_rule(self, rule, unread, chosen, value):
        assert asked(*chosen).value(AccuracyOptions(rule, unread)) == pytest.approx(value)


def answered(run, choose):
    """Have every question of a run answered as `choose(release, item)` says, order by order."""
    pairs = [(pk, one["release"]) for pk in run.config["items"] for one in run.config["releases"]]
    for ordinal, (item, release) in enumerate(pairs):
        rows = [
            {"reply": "x", "order": [0, 1, 2, 3], "how": "label", "chosen": one}
            for one in choose(release, item)
        ]
        right = "ABCD".index(Item.objects.get(pk=item).extra["answer_label"])
        Step.objects.create(
            run=run,
            ordinal=ordinal,
            key=str(ordinal),
            item_id=item,
            release_id=release,
            state=Step.State.DONE,
            outcome=Step.Outcome.OK,
            result={"asked": rows, "right": right},
        )


def computed(run, params=None) -> Any:
    return quiz_figures.compute(run, params or {})


class TestCompute:
    @pytest.fixture
    def run(self):
        quizzed.questions(8)
        quizzed.questions(4, dataset="Dock", first=8)
        first, _second = releases = [one.pk for one in interviewed.candidates()]
        run = quizzed.requested(releases=releases, orders=2)
        rights = {
            pk: "ABCD".index(label)
            for pk, label in Item.objects.values_list("pk", "extra__answer_label")
        }

        def choose(release, item):
            if release == first:
                return [rights[item], rights[item]]
            return [rights[item], None]

        answered(run, choose)
        return run

    def test_is_the_mean_over_data_sets_with_replies_without_an_option_counted(self, run):
        data = computed(run)

        first, second = data["accuracy"]
        assert data["datasets"] == ["Dock", "Quay"]
        assert (first["overall"]["value"], second["overall"]["value"]) == (100.0, 50.0)
        assert [one["n"] for one in first["datasets"]] == [4, 8]
        assert [one["n_unread"] for one in data["facts"]] == [0, 12]
        assert data["facts"][0]["places"] == [6, 6, 6, 6]
        pair = data["pairs"][0]
        assert (pair["value"], pair["n"]) == (50.0, 12)

    def test_leaves_out_what_was_not_read_where_that_is_asked_for(self, run):
        data = computed(run, {"unread": "left_out"})

        assert data["accuracy"][1]["overall"]["value"] == 100.0

    def test_shows_each_order_by_itself(self, run):
        data = computed(run)

        own, other = data["orders"]
        assert [one["value"] for one in own] == [100.0, 100.0]
        assert [one["value"] for one in other] == [100.0, 0.0]
