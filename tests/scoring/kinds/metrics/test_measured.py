import pytest

from annotation.rounds.models import Round
from annotation.systems.models import Response
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.catalogue import METRICS, MeasuredText
from tests import make
from tests.scoring import measured as files

pytestmark = pytest.mark.django_db


def response(system="Kestrel", question="Q1"):
    return Response.objects.select_related("item").get(
        release__system__name=system, item__external_id=question
    )


class TestText:
    def test_takes_references_and_source_as_chosen(self):
        files.brought()
        one = response()
        one.item.reference = "A standard."
        own = files.LINES[0]["references"]

        def text(**config):
            return measured.text(one, one.item, config)

        said = "A ship left on Monday with grain."
        assert text() == MeasuredText(said, ("A standard.",))
        assert text(references="texts").references == tuple(own)
        assert text(references="both").references == ("A standard.", *own)
        assert text(source="question").source == "Sum the article up."
        assert text(source="field:article").source == files.SOURCE
        assert text(source="field:missing").source == ""


class TestSpoken:
    def test_is_what_the_system_said(self):
        messages = [
            {"role": "assistant", "content": "One."},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": [{"type": "text", "text": "Two."}]},
            {"role": "tool", "content": "{}"},
        ]

        assert measured.spoken(messages) == "One.\n\nTwo."


class TestName:
    @pytest.mark.parametrize(
        ("key", "config", "name"),
        [
            ("rouge1", {"references": "standard", "many": "best"}, "ROUGE-1 (standard answer)"),
            ("rouge1", {"references": "texts", "many": "best"}, "ROUGE-1 (references, best)"),
            ("bleu", {"references": "texts", "many": "best"}, "BLEU (references)"),
            ("novelty2_source", {"source": "question"}, "New 2-grams (question)"),
            ("overlap1_source", {"source": "field:article"}, "Overlap of 1-grams (article)"),
            ("words", {}, "Words"),
        ],
    )
    def test_says_what_was_compared(self, key, config, name):
        assert measured.name(METRICS[key], config) == name


class TestChoices:
    def test_are_rounds_that_stand_and_imports_of_answers(self):
        batch = files.brought()
        draft = make.draft_round()
        standing = make.open_round()

        assert measured.rounds_of(make.project()) == [standing]
        assert draft.state == Round.State.DRAFT
        assert measured.imports_of(make.project()) == [batch]
        assert measured.fields(make.project()) == ["article"]

    def test_are_none_of_another_project(self):
        files.brought()
        other = make.project("southgate")

        assert measured.rounds_of(other) == []
        assert measured.imports_of(other) == []
        assert measured.fields(other) == []
        assert not measured.responses(other, None, 1).exists()


class TestPages:
    def test_hold_all_answers_and_keep_questions_together(self):
        files.brought()
        run = files.over_import(["words"])

        pages = list(measured.pages(run, 3))

        assert [len(one) for one in pages] == [3, 1]
        items = [Response.objects.get(pk=pk).item_id for page in pages for pk in page]
        assert items == sorted(items)
        assert len({pk for page in pages for pk in page}) == 4
