import pytest

from annotation.people.models import Rater
from annotation.rubrics.models import Criterion
from evalsite import errors
from scoring.engine.models import Machine, Run
from scoring.kinds.metrics import operations as metrics
from tests import make
from tests.scoring import connected, machines, measured

pytestmark = pytest.mark.django_db


class TestRequestMetrics:
    def test_makes_a_rater_of_each_metric_with_its_range(self):
        measured.brought()

        measured.over_import(["words", "bleu", "rouge2", "reading_ease"])

        rows = Criterion.objects.filter(rubric_version__rubric__machine__isnull=False)
        assert {(one.rubric_version.rubric.name, one.minimum, one.maximum) for one in rows} == {
            ("ROUGE-2 (references, mean)", 0, 1),
            ("BLEU (references)", 0, 100),
            ("Words", 0, None),
            ("Flesch reading ease", None, None),
        }
        assert set(Rater.objects.values_list("kind", flat=True)) == {"METRIC"}

    def test_finds_its_raters_again(self):
        measured.brought()

        first = measured.over_import(["rouge1", "words"])
        second = measured.over_import(["rouge1", "words"], number=2)
        other = measured.over_import(["rouge1", "words"], number=3, many="best")

        assert first.config["raters"] == second.config["raters"]
        assert first.config["raters"]["words"] == other.config["raters"]["words"]
        assert first.config["raters"]["rouge1"] != other.config["raters"]["rouge1"]

    def test_is_the_same_run_when_it_is_asked_for_twice(self):
        measured.brought()

        assert measured.over_import() == measured.over_import()
        assert Run.objects.count() == 1

    def test_never_mixes_with_a_metric_that_was_imported(self):
        measured.brought()
        machines.brought("item,system,Words\nQ1,Kestrel,0.4\n")

        run = measured.over_import(["words"])

        rater = Rater.objects.get(pk=run.config["raters"]["words"][0])
        assert rater.ref == "Words, computed here"
        assert Machine.objects.filter(rater__ref="Words").count() == 1
        assert measured.over_import(["words"], number=2).config["raters"] == run.config["raters"]

    @pytest.mark.parametrize(
        ("choice", "field"),
        [
            (measured.choice(["bluest"]), "metrics"),
            (measured.choice(["words"], references="all"), "references"),
            (measured.choice(["words"], many="worst"), "many"),
            (measured.choice(["words"], source="file:///etc"), "source"),
            (measured.choice(["novelty1_source"]), "source"),
        ],
    )
    def test_refuses_what_it_does_not_know(self, choice, field):
        with pytest.raises(errors.Invalid) as refused:
            measured.asked({**choice, "batch": 1})

        assert list(refused.value.fields) == [field]
        assert not Rater.objects.exists()

    def test_refuses_a_draft_and_what_has_no_answers(self):
        with pytest.raises(errors.StillADraft):
            measured.asked(measured.choice(["words"]), round_=make.draft_round())
        with pytest.raises(metrics.NothingToMeasure):
            measured.asked(measured.choice(["words"], batch=7))


class TestCheck:
    def test_counts_what_there_is(self):
        measured.brought()

        head = connected.head(1, "Metrics", 0)
        wish = metrics.Measured(**head, **measured.choice(["words"], batch=1))
        _estimate, asked = connected.reckoned(metrics.KIND, make.project(), wish)

        assert asked.told == {
            "answers": 4,
            "with_standard_answer": 0,
            "with_references": 2,
            "releases": 2,
        }
