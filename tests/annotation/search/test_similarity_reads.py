import itertools
from collections import Counter

import pytest

from annotation import models
from annotation.bank import operations as adopting
from annotation.common import diffs
from annotation.common import texts as contents
from annotation.common.similarity import Likeness
from annotation.search import similarity
from tests import make, planted

pytestmark = pytest.mark.django_db


def near(text, **given):
    return similarity.near(make.project(), contents.as_messages(text), **given)


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
        assert similarity.near(make.project("southgate"), contents.as_messages("What?")) == []

    def test_says_how_alike_and_which_words_differ(self, bank):
        (hint,) = near("25吨货物需要几辆卡车？")

        assert (hint.kind, hint.external_id, hint.likeness) == ("item", "I2", Likeness.NUMBERS)
        assert hint.percent == 100
        assert hint.differences == (("20", "25"),)
        assert diffs.DiffRun(diffs.RunFate.NEW, "25") in hint.runs

    def test_lists_no_words_where_only_their_order_differs(self, bank):
        (hint,) = near("Under FCA, who loads the truck?")

        assert hint.likeness == Likeness.ORDER
        assert hint.differences == ()

    def test_says_nothing_of_other_projects(self, bank):
        assert (
            similarity.near(
                make.project("southgate"), contents.as_messages("What is a sea waybill?")
            )
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

    def test_says_nothing_of_the_item_that_the_question_was_taken_from(self, bank):
        (made,) = adopting.adopt(
            project=make.project(),
            external_ids=["I1"],
            by=make.member(models.Role.DESIGNER),
            now=make.NOW,
        )

        assert near("What is a sea waybill?", but=made.question_id) == []
        assert len(near("What is a sea waybill?")) == 2

    def test_gives_a_few_hints_only(self, bank):
        for place in range(9):
            make.item(f"D{place}", question="What is a sea waybill")
        similarity.index_rest(project=make.project())

        assert len(near("What is a sea waybill?")) == similarity.MOST_HINTS

    def test_asks_the_database_as_often_for_many_as_for_few(
        self, bank, django_assert_max_num_queries
    ):
        with django_assert_max_num_queries(8):
            near("What is a sea waybill?", answer="A paper.")
        for place in range(30):
            make.item(f"D{place}", question=f"What is a sea waybill of type {place}")
        similarity.index_rest(project=make.project())

        with django_assert_max_num_queries(8):
            near("What is a sea waybill?", answer="A paper.")


N_BANK, N_PAIRS, N_FRESH = 3000, 300, 300


@pytest.mark.nightly
@pytest.mark.timeout(300)
class TestPlantedPairs:
    """300 questions of a bank in other words, and 300 others cut to the same patterns."""

    @pytest.fixture
    def made(self):
        questions = list(itertools.islice(planted.questions("bank"), N_BANK + N_FRESH))
        models.Item.objects.bulk_create(
            models.Item(
                project=make.project(),
                external_id=str(place),
                group=str(place),
                content_sha=str(place),
                prompt_sha=str(place),
                messages=contents.as_messages(one.text),
                created_at=make.NOW,
            )
            for place, one in enumerate(questions[:N_BANK])
        )
        similarity.index_rest(project=make.project())
        return questions

    def test_are_found_and_others_are_not_pointed_out(self, made):
        bank, fresh = made[:N_BANK], made[N_BANK:]
        pairs = planted.pairs(bank, N_PAIRS, "pairs")
        hits: Counter[str] = Counter()
        false = 0
        for pair in pairs:
            places = [int(hint.external_id) for hint in near(pair.text)]
            hits[pair.kind] += pair.place in places
            false += any(bank[place].subject != pair.subject for place in places)

        n_each = Counter(pair.kind for pair in pairs)
        recall = {kind: hits[kind] / n for kind, n in n_each.items()}
        false_on_fresh = sum(bool(near(one.text)) for one in fresh)

        assert len(recall) == 4
        assert min(recall.values()) >= 0.85, recall
        assert sum(hits.values()) / N_PAIRS >= 0.9, recall
        assert false / N_PAIRS <= 0.02
        assert false_on_fresh / N_FRESH <= 0.02

    def test_would_be_missed_by_equal_texts_and_too_many_by_shared_words(self, made):
        """Show that the pairs tell a good search from a simple one."""
        bank, fresh = made[:N_BANK], made[N_BANK:]
        texts = {one.text for one in bank}
        words = [set(one.text.split()) for one in bank]

        found = sum(pair.text in texts for pair in planted.pairs(bank, N_PAIRS, "pairs"))
        false = sum(
            any(len(own & other) > 0.7 * len(own | other) for other in words)
            for own in (set(one.text.split()) for one in fresh)
        )

        assert found / N_PAIRS < 0.1
        assert false / N_FRESH > 0.1
