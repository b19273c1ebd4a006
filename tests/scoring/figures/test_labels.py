import pytest

from scoring.figures import labels
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestLabels:
    def test_number_annotators_and_name_capabilities(self):
        round_ = rounds.graded(n_raters=2, capabilities=("A", "B"))
        first = round_.annotators.order_by("rater_id")[0].rater_id

        made = labels.labels_of(round_)

        assert made.rater(first) == "Annotator 1"
        assert made.rater(0) == "Former annotator"
        assert list(made.capabilities.values()) == ["A", "B"]
        assert made.capability(None) == "Without a capability"

    def test_order_capabilities_as_the_project_does(self):
        made = labels.Labels({"7": "A", "3": "B"}, {}, {})

        assert made.in_order([None, 3, 7, 3]) == [7, 3, None]
