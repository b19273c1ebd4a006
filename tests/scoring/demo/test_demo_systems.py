import pytest

from annotation.people.models import AuditEvent
from scoring.demo import files as demo_systems
from scoring.endpoints import queries as connections
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


def play() -> None:
    home = make.project()
    demo_systems.play_systems(project=home, by=connected.owner(home), now=make.NOW)


class TestPlay:
    def test_says_what_is_known_and_connects_one_with_the_script(self):
        dock, meridian = make.release("Dock RAG"), make.release("Meridian L")
        connected.endpoint()

        play()

        dock.refresh_from_db()
        assert dock.attributes[:2] == ["no web access", "retrieval"]
        assert connections.current([meridian.pk])[meridian.pk].settings["temperature"] == 0.3

    def test_does_nothing_twice(self):
        make.release("Meridian L")
        connected.endpoint()
        play()
        before = AuditEvent.objects.count()

        play()

        assert AuditEvent.objects.count() == before

    def test_leaves_a_project_without_these_systems_alone(self):
        make.release("Kestrel")

        play()

        assert not AuditEvent.objects.filter(verb__startswith="release.").exists()
