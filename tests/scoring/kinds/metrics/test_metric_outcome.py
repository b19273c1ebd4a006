import pytest

from annotation.rounds.models import Round
from tests.scoring import measured, rounds
from tests.scoring.outcomes.outcomes_world import api_at, page_at

pytestmark = pytest.mark.django_db


def told(client, run):
    found = client.get(api_at(run, "metrics")).json()
    return {one["name"]: one["rows"] for one in found["tables"]}


class TestMetricsOutcome:
    def test_has_the_mean_of_every_release_and_metric(self, as_analyst):
        measured.brought()

        run = measured.done(measured.over_import(["words", "bleu", "novelty1_source"]))

        found = told(as_analyst, run)
        rows = {(one["metric"], one["system"]): one for one in found["means"]}
        assert {system for _metric, system in rows} == {"Harbour · 1", "Kestrel · 1"}
        names = ["BLEU (references)", "New 1-grams (article)", "Words"]
        assert list(dict.fromkeys(one["metric"] for one in found["means"])) == names
        words = rows["Words", "Kestrel · 1"]
        assert (words["value"], words["n"], words["n_held"]) == (4.0, 2, 2)
        new = rows["New 1-grams (article)", "Kestrel · 1"]
        assert (new["n"], new["n_held"]) == (1, 2)
        # A mean of one answer, and that answer alone as one text.
        whole = {(one["metric"], one["system"]): one["value"] for one in found["as_one_text"]}
        bleu = "BLEU (references)", "Kestrel · 1"
        assert rows[bleu]["n"] == 1
        assert whole[bleu] == pytest.approx(rows[bleu]["value"])

    def test_says_why_answers_have_no_value(self, as_analyst):
        measured.brought()

        run = measured.done(measured.over_import(["words", "bleu"]))

        found = told(as_analyst, run)["without_value"]
        assert [tuple(one.values()) for one in found] == [
            ("The answer is empty.", "left out", 1, "BLEU (references), Words"),
            ("The question has no text to compare with.", "left out", 1, "BLEU (references)"),
        ]

    def test_is_hidden_before_the_round_is_final(self, as_analyst):
        round_ = rounds.graded(state="REVIEW")
        run = measured.done(measured.asked(measured.choice(["words"]), round_=round_))
        page = as_analyst.get(page_at(run, "metrics"))
        refused = as_analyst.get(api_at(run, "metrics"))
        file = as_analyst.get(page_at(run, "metrics", "means.csv"))

        Round.objects.filter(pk=round_.pk).update(state="FINAL")

        assert page.status_code == 409
        assert "once the round is final" in page.content.decode()
        assert refused.json()["code"] == "still_hidden"
        assert file.headers["Location"] == page_at(run, "metrics")
        names = {one["system"] for one in told(as_analyst, run)["means"]}
        assert len(names) == 2
        assert "Kestrel" not in "".join(names)  # whoever reads has not had the names shown

    def test_is_none_before_anything_is_measured(self, as_analyst):
        measured.brought()
        run = measured.over_import(["words"])

        page = as_analyst.get(page_at(run, "metrics")).content.decode()

        assert "Nothing has been measured yet" in page
