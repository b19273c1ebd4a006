from datetime import timedelta

import pytest

from annotation.qualification import operations as qualifying
from annotation.qualification.rules import Event
from annotation.training import queries as training_news
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def told(*events, days=0):
    rater = qualified.annotator()
    for event in events:
        qualifying.step(
            rater=rater,
            capability=make.capability(),
            event=event,
            by=None,
            now=make.NOW,
            reason="Grades in haste.",
        )
    return list(training_news.messages(rater, make.NOW + timedelta(days=days, minutes=1)))


class TestMessages:
    @pytest.mark.parametrize(
        ("event", "says"),
        [
            (Event.PASSED, "You have qualified in Factuality"),
            (Event.FAILED, "How your trial in Factuality went"),
            (Event.UNDECIDED, "How your trial in Factuality went"),
        ],
    )
    def test_tell_how_a_trial_went(self, event, says):
        [message] = told(Event.PRACTISED, event)

        assert message.title == says

    def test_send_back_without_the_reason_that_is_the_curators(self):
        first, _second = told(Event.ALLOWED, Event.LAPSED)

        assert first.title == "Train once more in Factuality"
        assert "haste" not in first.title + first.text

    def test_are_news_for_a_week(self):
        assert told(Event.PRACTISED, Event.PASSED, days=8) == []
