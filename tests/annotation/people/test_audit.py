import pytest

from annotation.people import audit
from annotation.people.models import AuditEvent
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    """Return a project with six sealed events of its own; the third has a note."""
    home = make.project()
    AuditEvent.objects.all().delete()
    for n in range(1, 7):
        audit.record(
            project=home,
            actor=None,
            verb="thing.done",
            subject=f"thing:{n}",
            at=make.at(n),
            note="Because." if n == 3 else "",
            n=n,
        )
    assert audit.seal() == 6
    return home


def sealed(project):
    return AuditEvent.objects.filter(project=project, seq__isnull=False).order_by("seq")


class TestSeal:
    def test_numbers_what_was_written_in_order_and_once(self, project):
        assert [one.subject for one in sealed(project)] == [f"thing:{n}" for n in range(1, 7)]
        assert audit.seal() == 0
        assert audit.broken_link(project) is None

    def test_goes_on_where_it_stopped(self, project):
        audit.record(
            project=project, actor=None, verb="thing.done", subject="thing:7", at=make.at(7)
        )

        audit.seal(limit=1)

        assert sealed(project).latest("seq").seq == 7
        assert audit.broken_link(project) is None


class TestBrokenLink:
    @pytest.mark.parametrize(
        "changed",
        [
            {"verb": "nothing.done"},
            {"subject": "thing:9"},
            {"data": {"n": 9}},
            {"actor": "00000000-0000-0000-0000-000000000001"},
            {"at": make.at(99)},
            {"note": "For another reason."},
            {"note_sha": "0" * 64},
            {"sha": "0" * 64},
        ],
        ids=lambda changed: next(iter(changed)),
    )
    def test_is_the_event_that_was_changed(self, project, changed):
        sealed(project).filter(seq=3).update(**changed)

        assert audit.broken_link(project) == 3

    def test_is_where_an_event_was_taken_out(self, project):
        sealed(project).filter(seq=4).delete()

        assert audit.broken_link(project) == 4

    def test_is_found_where_the_hash_was_made_to_fit_again(self, project):
        event = sealed(project).get(seq=3)
        event.verb = "nothing.done"
        previous = sealed(project).get(seq=2).sha
        event.sha = audit.link(previous, event, 3)
        event.save(update_fields=["verb", "sha"])

        assert audit.broken_link(project) == 4

    def test_is_none_where_a_note_was_taken_out(self, project):
        sealed(project).filter(seq=3).update(note="")

        assert audit.broken_link(project) is None
