import pytest

from scoring.engine.models import Run
from scoring.kinds.losses import operations as losses
from tests import make
from tests.scoring import connected, interviewed, weighed

pytestmark = pytest.mark.django_db


class TestStart:
    def test_draws_as_many_of_both_kinds(self):
        more = weighed.brought("old", 4)

        run = weighed.requested(n=2, train_over=more)

        assert (len(run.config["train"]), len(run.config["test"])) == (2, 2)
        assert run.config["items"] == [*run.config["train"], *run.config["test"]]
        assert (run.kind, run.protocol) == (Run.Kind.LOSSES, "losses/v1")

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"texts": 3}, "texts"),
            ({"train_over": "import:99"}, "train_over"),
            ({"test_over": "round:99"}, "test_over"),
        ],
    )
    def test_says_which_setting_cannot_be_used(self, given, field):
        with pytest.raises(losses.BadLosses) as refused:
            weighed.requested(n=2, **given)

        assert field in refused.value.fields
        assert not Run.objects.exists()

    def test_refuses_texts_that_are_of_both_kinds(self):
        same = weighed.brought("old", 2)

        with pytest.raises(losses.BadLosses, match="both kinds"):
            weighed.requested(train_over=same, test_over=same)

    def test_refuses_a_source_without_texts(self):
        with pytest.raises(losses.BadLosses, match="no text"):
            weighed.requested(train_over="bank:", test_over="bank:")


class TestCheck:
    def test_counts_a_call_for_each_text_and_system(self):
        interviewed.candidates()

        found, _asked = connected.reckoned(losses.KIND, make.project(), weighed.wish(2))

        assert (found.calls, found.completion_tokens) == (8, 0)
        assert not Run.objects.exists()
