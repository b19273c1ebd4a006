import pytest

from annotation import models
from annotation.operations import similarity
from annotation.queries import similarity as reads
from annotation.rules import contents, diffs
from annotation.rules.similarity import Likeness
from tests import make

pytestmark = pytest.mark.django_db


def near(text, **given):
    return reads.near(make.project(), contents.as_messages(text), **given)


@pytest.fixture
def bank():
    for place, text in enumerate(
        ["Who loads the truck under FCA?", "What is a sea waybill?", "20吨货物需要几辆卡车？"]
    ):
        make.item(f"I{place}", question=text)
    similarity.index_rest(project=make.project())


class TestNear:
    def test_is_empty_in_an_empty_bank_and_for_an_empty_question(self, bank):
        assert near("") == near(" ?! ") == []
        assert reads.near(make.project("southgate"), contents.as_messages("What?")) == []

    def test_says_how_alike_and_which_words_differ(self, bank):
        (hint,) = near("25吨货物需要几辆卡车？")

        assert (hint.kind, hint.external_id, hint.likeness) == ("item", "I2", Likeness.NUMBERS)
        assert hint.percent == 100
        assert hint.differences == (("20", "25"),)
        assert diffs.Run(diffs.Kind.NEW, "25") in hint.runs

    def test_lists_no_words_where_only_their_order_differs(self, bank):
        (hint,) = near("Under FCA, who loads the truck?")

        assert hint.likeness == Likeness.ORDER
        assert hint.differences == ()

    def test_says_nothing_of_other_projects(self, bank):
        assert (
            reads.near(make.project("southgate"), contents.as_messages("What is a sea waybill?"))
            == []
        )

    def test_says_nothing_of_an_import_that_is_not_finished(self, bank):
        batch = models.ImportBatch.objects.create(
            project=make.project(),
            number=1,
            kind="ANSWERS",
            file_name="a.csv",
            file_sha="1",
            mapping={},
            mapping_sha="1",
            created_by=make.user("northport-owner"),
            created_at=make.NOW,
            touched_at=make.NOW,
        )
        models.Item.objects.filter(external_id="I1").update(batch=batch)

        assert near("What is a sea waybill?") == []

    def test_gives_a_few_hints_only(self, bank):
        for place in range(9):
            make.item(f"D{place}", question="What is a sea waybill")
        similarity.index_rest(project=make.project())

        assert len(near("What is a sea waybill?")) == reads.MOST_HINTS

    def test_asks_the_database_as_often_for_many_as_for_few(
        self, bank, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(7):
            near("What is a sea waybill?", answer="A paper.")
        for place in range(30):
            make.item(f"D{place}", question=f"What is a sea waybill of type {place}")
        similarity.index_rest(project=make.project())

        with django_assert_max_num_queries(7):
            near("What is a sea waybill?", answer="A paper.")
