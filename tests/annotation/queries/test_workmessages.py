import pytest

from annotation.models import Round
from annotation.queries import workmessages
from tests import make

pytestmark = pytest.mark.django_db


class TestListMessages:
    @pytest.mark.parametrize(
        ("asks", "says"),
        [
            (None, "It is in your list. Nothing else is needed to begin."),
            (make.NOW, "You are given its questions about what you have qualified in."),
        ],
    )
    def test_promise_of_an_open_round_only_what_it_gives(self, asks, says):
        round_ = make.open_round()
        Round.objects.update(qualified_only_since=asks)

        told = workmessages.list_messages(round_.project, make.annotators(round_)[0], make.at(1))

        assert [(one.title, one.text) for one in told] == [("A round is open", says)]
