import json

import pytest

from annotation.systems.models import Item
from scoring.beside import figures as judge_powered
from scoring.shown.wording import NothingYet
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def powered(name="good", **options):
    round_ = beside_people.the_round()
    params = beside_people.choice(name, criterion="coh").params() | options
    data = judge_powered.powered_of(round_, params)
    assert json.dumps(data, allow_nan=False)
    return [one["means"] for one in data["rows"]]


class TestPowered:
    def test_is_refused_where_nobody_drew(self, round_):
        assert {one["powered"]["reason"] for one in powered()} == {"not_random"}

    def test_is_the_mean_of_people_where_all_were_drawn(self, round_, monkeypatch):
        beside_people.by_lot(monkeypatch, 1)
        rows = powered()

        assert all(one["powered"]["value"] == pytest.approx(one["humans"]["value"]) for one in rows)
        assert {one["n_human"] for one in rows} == {24}
        means = [one["humans"]["value"] for one in rows]
        assert means == sorted(means, reverse=True)

    def test_is_narrower_with_a_good_judge_of_what_nobody_graded(self, round_, monkeypatch):
        beside_people.drawn(monkeypatch)
        good, guess = powered(), powered("guess")

        assert {(one["n"], one["n_human"]) for one in good} == {(72, 24)}
        assert sum(one["saved"] for one in good) > 10
        assert sum(one["effective"] for one in good) > sum(one["effective"] for one in guess)

    def test_is_of_the_capabilities_where_people_used_the_criterion(self, round_, monkeypatch):
        beside_people.drawn(monkeypatch)
        Item.objects.filter(external_id__startswith="a").update(capability=make.capability("Else"))

        assert {(one["n"], one["n_human"]) for one in powered()} == {(48, 24)}

    def test_is_refused_where_the_chances_do_not_add_up(self, round_, monkeypatch):
        beside_people.by_lot(monkeypatch, 0.1)

        assert {one["powered"]["reason"] for one in powered()} == {"other_frame"}

    def test_takes_one_round(self, round_):
        with pytest.raises(ValueError, match="belongs to one round"):
            powered(rounds=[1, 2])

    def test_needs_a_criterion_that_both_have(self, round_):
        with pytest.raises(NothingYet, match="nothing on this criterion"):
            powered(criterion="style")
