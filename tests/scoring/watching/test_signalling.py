"""Who draws lots is seen by gold, by repeats and by pace; who grades with care is left alone."""

import numpy as np
import pandas as pd
import pytest

from annotation import models
from scoring.watching import figure as signalling
from scoring.watching import queries as watching
from tests import make
from tests.scoring import preferred, watched

pytestmark = pytest.mark.django_db


def found(round_):
    data = signalling.signals_of(round_, watching.params(round_))
    return [
        {name: row[name] and row[name]["alarm"] for name in watching.NAMES}
        for row in data["raters"]
    ]


class TestSignalsOf:
    def test_catches_the_careless_annotator_and_nobody_else(self):
        rows = found(watched.watched(careless=1))

        assert rows[1] | {"drift": None} == {
            "gold": True,
            "drift": None,
            "retest": True,
            "pace": True,
        }
        assert [any(row.values()) for row in (rows[0], rows[2])] == [False, False]

    def test_leaves_careful_annotators_alone_and_says_how_often_it_errs(self):
        round_ = watched.watched()

        data = signalling.signals_of(round_, watching.params(round_))

        assert not any(any(row.values()) for row in found(round_))
        gold = data["raters"][0]["gold"]
        assert gold["n"] == 2 * watched.N_GOLD
        assert 0 < gold["false_alarm"] < 0.05 < gold["caught"]

    def test_reads_what_was_submitted_first(self):
        round_ = watched.watched(careless=1)
        before = found(round_)
        careless = round_.annotators.order_by("rater_id")[1].rater
        references = {
            (one.response_id, one.criterion_id): one.value
            for one in models.Grade.objects.filter(round=round_, kind="REFERENCE")
        }
        for grade in models.Grade.objects.filter(round=round_, rater=careless, kind="GIVEN"):
            right = references.get((grade.response_id, grade.criterion_id))
            if right is not None and grade.value != right:
                models.Grade.objects.filter(pk=grade.pk).update(is_current=False)
                grade.pk, grade.value, grade.revision = None, right, 2
                grade.given_at = make.at(900)
                grade.save(force_insert=True)

        assert found(round_) == before

    def test_compares_gold_with_what_was_known_when_it_was_submitted(self):
        round_ = watched.watched(careless=1)
        before = signalling.signals_of(round_, watching.params(round_))
        trial = make.draft_round()
        for grade in models.Grade.objects.filter(round=round_, kind="REFERENCE"):
            grade.pk, grade.round, grade.value = None, trial, 2 - grade.value
            grade.given_at = make.at(900)
            grade.save(force_insert=True)

        assert signalling.signals_of(round_, watching.params(round_)) == before

    def test_leaves_out_gold_that_was_declared_invalid(self):
        round_ = watched.watched(careless=1)
        place = round_.items.filter(purpose="GOLD").earliest("pk")
        n = signalling.signals_of(round_, watching.params(round_))["raters"][0]["gold"]["n"]
        models.Invalidation.objects.create(
            round=round_,
            kind="QUESTION",
            item=place.item,
            reason="Its reference was wrong.",
            by=round_.created_by,
            at=make.at(950),
        )

        data = signalling.signals_of(round_, watching.params(round_))

        assert data["raters"][0]["gold"]["n"] == n - 2

    def test_tells_nothing_of_what_is_too_little(self):
        round_ = watched.watched(n_items=3)
        models.RoundItem.objects.filter(round=round_).update(purpose="NORMAL")

        row = found(round_)[0]

        assert (row["gold"], row["drift"], row["retest"]) == (None, None, None)


class TestChoices:
    """Of rounds in which people said which of two answers is better."""

    def signals(self, round_):
        return signalling.signals_of(round_, watching.params(round_))["raters"]

    def test_have_the_pace_of_every_pair(self):
        round_ = preferred.chosen()
        hasty = round_.annotators.order_by("rater_id")[0].rater
        quick = models.Grade.objects.filter(rater=hasty, assignment__round_item__pair__gt=1)
        quick.update(active_ms=900)

        paces = [one["pace"] for one in self.signals(round_)]

        assert [(one["n"], one["n_hits"]) for one in paces] == [(36, 24), (36, 0), (36, 0)]
        assert [one["alarm"] for one in paces] == [True, False, False]

    @pytest.mark.parametrize(("said", "n_right"), [(1, 36), (2, 36), (3, 0), (4, 0), (6, 0)])
    def test_agree_with_gold_where_they_take_the_same_answer(self, said, n_right):
        round_ = preferred.chosen(choices=lambda *_place: said)
        round_.items.update(purpose="GOLD")
        first = round_.annotators.order_by("rater_id")[0].rater
        models.Grade.objects.bulk_create(
            models.Grade(
                round=round_,
                response=left.response,
                against=right.response,
                criterion=place.rubric_version.criteria.get(),
                rater=first,
                kind="REFERENCE",
                value=2,
                given_at=make.at(-900),
            )
            for place in round_.items.all()
            for left, right in [place.responses.order_by("pk")]
        )

        gold = [one["gold"] for one in self.signals(round_)]

        assert [(one["n"], one["n_right"]) for one in gold] == [(36, n_right)] * 3

    @pytest.mark.parametrize(("again", "n_hits"), [(1, 18), (2, 18), (3, 0), (5, 0)])
    def test_are_the_same_again_where_they_take_the_same_answer(self, again, n_hits):
        round_ = preferred.chosen(choices=lambda _a, _b, item, _rater: again if item > 5 else 2)
        make_repeats(round_)

        retest = [one["retest"] for one in self.signals(round_)]

        assert [(one["n"], one["n_hits"]) for one in retest] == [(18, n_hits)] * 3


def make_repeats(round_):
    """Make the last six questions of twelve the first six once more."""
    items = list(models.Item.objects.filter(external_id__startswith="P1-").order_by("pk"))
    answers = {(one.item_id, one.release_id): one for one in models.Response.objects.all()}
    for early, late in zip(items[:6], items[6:], strict=True):
        places = models.RoundItem.objects.filter(round=round_, item=late)
        places.update(item=early, occasion=2, purpose="REPEAT")
        for grade in models.Grade.objects.filter(response__item=late):
            models.Grade.objects.filter(pk=grade.pk).update(
                response=answers[early.pk, grade.response.release_id],
                against=answers[early.pk, grade.against.release_id],
            )


def first_grades(seed, *, questions=30, people=4, later=0.0):
    """What steady annotators gave: grades of a question move together; the first may become kinder."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        of_question = rng.normal(0, 0.1, questions)
        for k in range(questions):
            at = make.NOW + k * pd.Timedelta(minutes=1)
            for system in range(3):
                more = later if person == 0 and k >= questions // 2 else 0.0
                share = 0.5 + 0.05 * system + of_question[k] + more + rng.normal(0, 0.1)
                rows.append((person, k, 3 * k + system, "c", 1, "NORMAL", share, at))
    columns = ["rater", "item", "response", "criterion", "occasion", "purpose", "share", "at"]
    return pd.DataFrame(rows, columns=columns)


class TestDrift:
    def test_accuses_any_steady_annotator_in_one_round_of_twenty_at_most(self):
        found = [signalling.drift_of(first_grades(seed)) for seed in range(150)]
        accused = sum(any(one["alarm"] for one in round_.values()) for round_ in found)

        assert accused / 150 <= 0.05 + 2.6 * (0.05 * 0.95 / 150) ** 0.5

    def test_finds_whoever_becomes_kinder_and_since_when(self):
        found = [signalling.drift_of(first_grades(seed, later=0.3)) for seed in range(5)]

        for round_ in found:
            assert round_[0]["alarm"]
            assert round_[0]["is_kinder"]
            assert abs(round_[0]["at"] - 16) <= 3

    def test_of_few_questions_says_nothing(self):
        assert signalling.drift_of(first_grades(1, questions=5)) == {}
