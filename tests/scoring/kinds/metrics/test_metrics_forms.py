import pytest

from scoring.engine import starting as run_start
from scoring.kinds.metrics import start as metrics
from scoring.kinds.metrics.catalogue import METRICS
from scoring.kinds.metrics.operations import KIND
from scoring.kinds.metrics.start import MetricsForm
from tests import make
from tests.scoring import measured

pytestmark = pytest.mark.django_db


def form(**given):
    fresh = run_start.fresh()
    sent = {
        "key": fresh["key"],
        "name": "Metrics",
        "over": "import:1",
        "metrics": ["bleu", "novelty1_source"],
        "references": "texts",
        "many": "best",
        "source": "field:article",
    }
    return MetricsForm({**sent, **given}, project=make.project(), **fresh)


class TestMetricsForm:
    def test_says_what_is_measured(self):
        measured.brought()
        sent = form()

        assert sent.is_valid(), sent.errors
        wish = sent.wish()
        assert (wish.metrics, wish.references) == (("bleu", "novelty1_source"), "texts")
        assert (wish.many, wish.source) == ("best", "field:article")
        assert (wish.round, wish.batch) == (None, 1)

    def test_finds_the_round(self):
        round_ = make.open_round()
        sent = form(over=f"round:{round_.number}", source="")

        assert sent.is_valid(), sent.errors
        assert sent.wish().chosen(make.project()) == round_
        assert sent.wish().batch is None

    def test_offers_neither_drafts_nor_what_is_elsewhere(self):
        draft = make.draft_round()
        measured.brought()

        assert "over" in form(over=f"round:{draft.number}").errors
        assert "over" in form(over="import:2").errors
        assert "source" in form(source="field:secret").errors
        assert "metrics" in form(metrics=["bluest"]).errors

    def test_is_empty_where_nothing_can_be_measured(self):
        assert form().is_empty


class TestLabel:
    def test_is_another_one_for_every_metric(self):
        labels = [str(metrics.label(key)) for key in METRICS]

        assert len(set(labels)) == len(labels)
        assert metrics.label("novelty2_source") == "2-grams not in the source text"


class TestAgain:
    def test_fills_the_form_with_a_run(self):
        measured.brought()
        run = measured.over_import(["words", "bleu"])

        assert KIND.again(run) == {
            "over": "import:1",
            "metrics": ["bleu", "words"],
            "references": "texts",
            "many": "mean",
            "source": "field:article",
        }
