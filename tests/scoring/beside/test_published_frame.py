from collections import Counter

import numpy as np
import pytest

from annotation.people.models import Rater
from annotation.rubrics.models import Criterion
from scoring.beside import columns as judge_sides
from scoring.beside import figures
from scoring.beside.options import BesideChoice
from scoring.engine.models import Judgment
from scoring.kinds.interviews.models import Exchange
from scoring.publishing import outputs
from tests import make
from tests.scoring import completed, connected, interviewed, suites, suites_published
from tests.scoring.interviews_published import graded, published

pytestmark = pytest.mark.django_db


def choice(round_, rater, people="overall", own="overall"):
    return BesideChoice(
        rounds=(round_.number,),
        judges=(rater,),
        criteria={people: {rater: own}},
        criterion=people,
    )


def frame(round_, rater, *named):
    both = judge_sides.sides(round_, choice(round_, rater, *named))
    _key, human, judged = both.of_one()
    return figures.frame_of(round_, both, human, judged)


class TestOfInterviews:
    @pytest.mark.parametrize("sort", ["exchanges", "exchange_0", "dialogues"])
    def test_is_all_that_was_put_out_with_what_the_evaluator_said_of_it(self, sort):
        run = interviewed.held(n=8)
        round_ = graded(published(run, sort, n=3))

        found = frame(round_, run.judge.rater_id)

        places = outputs.places(run, sort)
        assert (
            len(found.judge)
            == len(places)
            == sum(len(one.outputs) for one in outputs.units(run, sort))
        )
        n_units = round_.publication.n_units
        assert round_.items.count() == 3 < n_units
        assert (~np.isnan(found.human)).sum() == 3 * len(places) / n_units
        assert np.isfinite(found.judge).sum() > 6
        assert set(found.inclusion[~np.isnan(found.human)]) == {3 / n_units}

    def test_has_the_verdict_of_the_very_exchange(self):
        run = interviewed.held(n=4)
        round_ = graded(published(run, "exchanges", n=2))

        found = frame(round_, run.judge.rater_id)

        said = {
            (one.dialogue.response_id, one.k): (one.scores or {}).get("overall", np.nan)
            for one in Exchange.objects.filter(dialogue__run=run).select_related("dialogue")
        }
        wanted = [said[one.source, one.index] for one in outputs.places(run, "exchanges")]
        np.testing.assert_array_equal(found.judge, wanted)

    def test_leaves_out_what_the_judge_said_elsewhere(self):
        run = interviewed.held(n=4)
        graded(published(run, "exchange_0", number=1))
        round_ = graded(published(run, "exchange_1", number=2, n=2))

        found = frame(round_, run.judge.rater_id)

        assert len(found.judge) == len(outputs.places(run, "exchange_1"))

    def test_is_what_a_judge_of_the_round_alone_lacks(self):
        run = interviewed.held(n=4)
        round_ = graded(published(run, "exchanges", n=3))
        other = Rater.objects.create(
            project=make.project(), kind="JUDGE", ref="Only the round", created_at=make.NOW
        )
        rows = Judgment.objects.filter(
            rater=run.judge.rater_id, target_level="RESPONSE", criterion__key="overall"
        )
        for one in rows:
            one.pk, one.rater = None, other
            one.save()

        found = frame(round_, other.pk)

        scored = [one for one in rows if one.value is not None]
        assert int(np.isfinite(found.judge).sum()) == len(scored) <= 3


class TestOfSuites:
    @pytest.mark.parametrize("sort", ["turns", "conversations"])
    def test_is_every_turn_of_the_sort(self, sort):
        run = suites_published.judged(n=6)
        round_ = graded(suites_published.published(run, sort, n=3))
        rater = next(iter(run.config["judges"]["0"].values()))[1]
        criterion = Judgment.objects.filter(run=run, rater=rater).values_list(
            "criterion__key", flat=True
        )[0]
        people = Criterion.objects.filter(grades__round=round_).first().key

        found = frame(round_, rater, people, criterion) if sort != "conversations" else None

        places = outputs.places(run, sort)
        assert len(places) == sum(len(one.outputs) for one in outputs.units(run, sort)) > 3
        if found is not None:
            assert len(found.judge) == len(places)
            assert np.isfinite(found.judge).all()
            assert int((~np.isnan(found.human)).sum()) == 3

    def test_stand_beside_each_other_as_units_do(self):
        connected.endpoint("house", model_name="house-1")
        connected.endpoint("other", model_name="other-1")
        run = completed.worked(
            suites.requested(
                completed.saved("[{endpoint: house}, {endpoint: other}]"), completed.brought()
            ),
            completed.Answers(),
        )

        units, places = outputs.units(run, "turns"), outputs.places(run, "turns")

        assert [(unit.group, one.release_id) for unit in units for one in unit.outputs] == [
            (one.group, one.release) for one in places
        ]


class TestOthers:
    def test_have_no_such_frame(self):
        run = interviewed.held(n=3)
        round_ = graded(published(run))
        round_.publication.delete()

        assert frame(round_, run.judge.rater_id) is None


class TestPoweredOfPublished:
    def test_counts_all_outputs_and_says_what_they_are_of(self):
        run = interviewed.held(n=10)
        round_ = graded(published(run, "exchanges", n=8))

        data = figures.powered_of(round_, choice(round_, run.judge.rater_id).params())

        places = outputs.places(run, "exchanges")
        assert data["drawn_from"] == {"run": run.number, "name": run.name, "n": len(places)}
        # The sample is drawn at random over all systems: one of them may have no grade, and no mean.
        shown = {one["release"]: one["means"]["n"] for one in data["rows"]}
        of_each = Counter(one.release for one in places)
        assert shown == {release: of_each[release] for release in shown}
        assert sum(one["means"]["n_human"] for one in data["rows"]) == 8
