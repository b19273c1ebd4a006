import pytest

from annotation.rounds.models import RoundResponse
from annotation.systems.models import Display
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.tasks import CONVERSATION, QUESTION, REFERENCE, TaskField
from tests import make
from tests.scoring import fused, rounds

pytestmark = pytest.mark.django_db


class TestPages:
    def test_yield_the_answers_of_an_import_once_in_an_order_that_stays(self):
        batch = fused.scored()

        pages = list(reads.pages(make.project(), None, batch, size=3))

        assert [len(page) for page in pages] == [3, 1]
        keys = [one.response for page in pages for one in page]
        assert keys == sorted(set(keys))
        assert reads.count(make.project(), None, batch) == 4

    def test_leave_gold_and_repeats_of_a_round_out(self):
        round_ = rounds.graded(n_items=3)
        round_.items.filter(ordinal=0).update(purpose="GOLD")

        found = [one for page in reads.pages(make.project(), round_, None) for one in page]

        assert len(found) == 2 * 2
        assert len(found) < RoundResponse.objects.filter(round_item__round=round_).count()


class TestScores:
    def test_say_nothing_where_there_is_none(self):
        batch = fused.scored()
        task = fused.content("overlap", "entailment")
        (page,) = reads.pages(make.project(), None, batch)

        found = reads.scores(task, [one.response for one in page])

        assert sorted(len(one) for one in found.values()) == [1, 2, 2, 2]


class TestFieldText:
    def test_is_what_the_item_keeps(self):
        item = make.item(
            question="And now?",
            reference="Nothing.",
            earlier=[{"role": "assistant", "content": "It sailed."}],
            extra={"fact": "Ships sail."},
        )

        texts = {
            where: reads.field_text(item, TaskField("A", where))
            for where in (QUESTION, CONVERSATION, REFERENCE, "field:fact", "field:none")
        }

        assert texts[QUESTION] == "And now?"
        assert "It sailed." in texts[CONVERSATION]
        assert texts[REFERENCE] == "Nothing."
        assert (texts["field:fact"], texts["field:none"]) == ("Ships sail.", "")


class TestExample:
    def test_shows_what_people_were_shown(self):
        response = make.response(make.item(), make.release(), "I am Kestrel.")
        shown = Display(text="I am ▇▇.", mask_set="1")

        found = reads.example(fused.content(), response.item, response, shown, {})

        assert [one.content for one in found.answer] == ["I am ▇▇."]
