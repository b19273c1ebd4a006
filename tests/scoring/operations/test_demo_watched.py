import pytest

from annotation.models import Decision, FlagAnswer, Grade, Look, Project, Rater, Round
from annotation.operations.demo import loading
from evalsite import env
from scoring.operations import demo_watched
from scoring.queries import labels, signalling, watching
from tests import make

pytestmark = pytest.mark.django_db


class TestPlay:
    def test_does_nothing_where_nothing_is_known_of_a_trial(self):
        demo_watched.play(project=make.project(), by=make.user(), now=make.NOW)

        assert Project.objects.exists()
        assert not Round.objects.exists()


@pytest.mark.slow
class TestTheCheckOfJuly:
    def test_leaves_a_signal_a_look_and_a_desk_that_is_half_cleared(self):
        loading.load(
            fixtures=env.BASE_DIR / "fixtures",
            password=make.PASSWORD,
            secrets=(b"first round's secret", b"other round's secret"),
            now=make.NOW,
        )
        round_ = Round.objects.get(name="July check")

        data = signalling.signals_of(round_, watching.params(round_))
        assert isinstance(data, dict)
        signals = watching.Signals(data, labels.of(round_), watching.looks(round_))
        people = {one.pk: one.user.username for one in Rater.objects.filter(user__isnull=False)}

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
