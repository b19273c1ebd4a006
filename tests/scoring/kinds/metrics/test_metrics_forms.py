import pytest

from scoring.engine import starting as run_start
from scoring.kinds.metrics import pages as metrics
from scoring.kinds.metrics.catalogue import METRICS
from scoring.kinds.metrics.operations import Choice
from scoring.kinds.metrics.pages import MetricsForm
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
        assert sent.choice() == Choice(
            ["bleu", "novelty1_source"], "texts", "best", "field:article", 1
        )
        assert sent.round() is None

    def test_finds_the_round(self):
        round_ = make.open_round()
        sent = form(over=f"round:{round_.number}", source="")

        assert sent.is_valid(), sent.errors
        assert sent.round() == round_
        assert sent.choice().batch is None

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


class TestInitialOf:
    def test_fills_the_form_with_a_run(self):
        measured.brought()
        run = measured.over_import(["words", "bleu"])

        assert metrics.initial_of(run) == {
            "over": "import:1",
            "metrics": ["bleu", "words"],
            "references": "texts",
            "many": "mean",
            "source": "field:article",
        }
