import json

import pytest

from scoring.beside import columns as judge_sides
from scoring.beside import figures as judge_mixes
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def mixed(round_, **options):
    made = beside_people.choice("good", "guess", "rouge", **options.pop("choice", {}))
    data = judge_mixes.mixes_of(round_, made.params() | {"resamples": 60} | options)
    assert json.dumps(data, allow_nan=False)
    return data["criteria"][0]


def cells(row):
    return {one["correlation"]["coefficient"]: one for one in row["cells"]}


class TestMixes:
    def test_stand_beside_their_assistants(self, round_):
        found = mixed(round_, by_data=True)
        by = {one["name"]: one for one in found["rows"]}
        good = cells(by[str(beside_people.judge("good"))])["pearson"]

        assert by["CorrW"]["within_folds"]["pearson"] > by["AVG"]["within_folds"]["pearson"]
        assert by["AVG"]["n"] == 96
        assert by["LLMSel"]["reason"] == "none_named"
        assert good["correlation"]["value"] > 0.6
        assert good["interval"]["low"] < good["correlation"]["value"] < good["interval"]["high"]
        assert found["ceilings"][0]["n_raters"] == 3
        assert len(found["weights"]) == 5

    def test_select_what_a_plan_names(self, round_):
        good = beside_people.judge("good")
        found = mixed(round_, by_data=True, alignment={"coh": [good]})
        by = {one["name"]: one for one in found["rows"]}

        assert cells(by["LLMSel"]) == cells(by[str(good)])

    @pytest.mark.parametrize("level", ["system", "item"])
    def test_are_compared_at_every_level(self, round_, level):
        found = mixed(round_, choice={"level": level})

        assert cells(found["rows"][0])["spearman"]["correlation"]["value"] is not None
        assert found["rows"][0]["within_folds"]["spearman"] is not None

    def test_of_nothing_are_none(self, round_, monkeypatch):
        monkeypatch.setattr(judge_sides, "shares", lambda *_args, **_more: None)
        found = mixed(round_)

        assert (found["rows"], len(found["left_out"])) == ([], 3)
        assert found["left_out"][0]["reason"] == "open_scale"
