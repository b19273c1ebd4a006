import secrets
from collections import Counter

import pytest

from annotation.demo import loading
from annotation.grading.models import FlagAnswer, Grade
from annotation.people.models import Project, Rater
from annotation.review.models import Decision, Look
from annotation.rounds.models import Assignment, Round, Unblinding
from evalsite import env
from scoring.demo import watched as demo_watched
from scoring.figures import labels
from scoring.watching import figure as signalling
from scoring.watching import queries as watching
from tests import make

pytestmark = pytest.mark.django_db


def gold_of(round_):
    return round_.items.filter(purpose="GOLD")


class TestPlay:
    def test_does_nothing_where_nothing_is_known_of_a_trial(self):
        demo_watched.play(project=make.project(), by=make.user(), now=make.NOW)

        assert Project.objects.exists()
        assert not Round.objects.exists()


@pytest.mark.nightly
class TestTheCheckOfJuly:
    def test_leaves_a_signal_a_look_and_a_desk_that_is_half_cleared(self):
        # As on a first start: by chance, and the same signals come all the same.
        loading.load(
            fixtures=env.BASE_DIR / "fixtures",
            password=make.PASSWORD,
            secrets=(secrets.token_bytes(32), secrets.token_bytes(32)),
            now=make.NOW,
        )
        round_ = Round.objects.get(name="July check")

        data = signalling.signals_of(round_, watching.params(round_))
        signals = watching.Signals(data, labels.labels_of(round_), watching.looks(round_))
        people = {one.pk: one.user.username for one in Rater.objects.filter(user__isnull=False)}

        met = Counter(
            people[one.rater_id]
            for one in Assignment.objects.filter(round_item__in=gold_of(round_))
        )
        assert met.total() == 12
        assert min(met[name] for name in ("lena", "kofi", "mei", "jonas")) >= 2
        assert {people[one.rater]: list(one.alarms) for one in signals.lines} == {
            "lena": [],
            "kofi": [],
            "mei": ["gold"],
            "jonas": ["pace"],
        }
        assert round_.state == "REVIEW"
        assert {one.purpose for one in round_.items.all()} == {"NORMAL", "GOLD", "REPEAT"}
        assert [people[one.rater] for one in signals.lines if one.needs_look] == ["mei"]
        assert Look.objects.get().rater.user.username == "jonas"
        assert list(Decision.objects.order_by("at").values_list("act", flat=True)) == [
            "ADJUDICATE",
            "HAND_BACK",
            "KEEP",
            "REGRADE",
        ]
        handed = Decision.objects.get(act="HAND_BACK").assignment
        assert Grade.objects.filter(slot__assignment=handed, revision=2).exists()
        assert FlagAnswer.objects.filter(flag__slot__assignment__round=round_).count() == 1
        knowing = Unblinding.objects.filter(round__name__in=["Spring comparison", "July check"])
        assert (
            sorted(knowing.values_list("user__username", flat=True)) == ["ines"] * 2 + ["noor"] * 2
        )
