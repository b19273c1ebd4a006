import pytest

from annotation.bank import operations as writing
from annotation.people.models import Role
from annotation.sources import operations as sources
from annotation.sources import queries as reads
from annotation.sources.models import Appointment
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def collection(name="Tariffs"):
    return sources.create_collection(
        project=make.project(), name=name, note="", by=make.member(Role.CURATOR), now=make.NOW
    )


def kept_in(shelf, title="Closed"):
    version = make.source_version(title)
    curator = make.member(Role.CURATOR)
    sources.move(source=version.source, collection=shelf, by=curator, now=make.NOW)
    return version


def appointed(shelf, user):
    return sources.appoint(collection=shelf, user=user, by=make.member(Role.CURATOR), now=make.NOW)


def seen(user):
    return {one.title for one in reads.visible_to(make.project(), user)}


class TestCreateCollection:
    def test_refuses_a_name_twice(self):
        collection()

        with pytest.raises(sources.CollectionNameTaken):
            collection(" Tariffs ")

    def test_is_for_curators(self):
        with pytest.raises(errors.NotNow):
            sources.create_collection(
                project=make.project(),
                name="Mine",
                note="",
                by=make.member(Role.DESIGNER),
                now=make.NOW,
            )


class TestAppoint:
    def test_shows_a_collection_to_the_designers_of_it(self):
        shelf = collection()
        kept_in(shelf)
        make.source_version("Open")
        one, other = (make.member(Role.DESIGNER, username=name) for name in ("d-1", "d-2"))

        appointed(shelf, one)

        assert seen(one) == {"Closed", "Open"}
        assert seen(other) == {"Open"}
        assert seen(make.member(Role.INSPECTOR)) == {"Closed", "Open"}

    def test_happens_once(self):
        shelf, designer = collection(), make.member(Role.DESIGNER)

        assert appointed(shelf, designer) == appointed(shelf, designer)

    def test_is_for_designers(self):
        with pytest.raises(sources.NoDesigner):
            appointed(collection(), make.member(Role.ANNOTATOR))


class TestEndAppointment:
    def test_takes_the_collection_out_of_sight_and_stays_on_record(self):
        shelf, designer = collection(), make.member(Role.DESIGNER)
        kept_in(shelf)
        made = appointed(shelf, designer)

        curator = make.member(Role.CURATOR)
        sources.end_appointment(appointment=made, by=curator, now=make.NOW)

        assert seen(designer) == set()
        assert Appointment.objects.get().ended_by == curator
        with pytest.raises(errors.NotNow):
            sources.end_appointment(appointment=made, by=curator, now=make.NOW)


class TestMove:
    def test_keeps_others_from_adding_to_it(self):
        shelf, designer = collection(), make.member(Role.DESIGNER)

        with pytest.raises(errors.Incomplete):
            sources.add_source(
                project=make.project(),
                about=sources.SourceAbout("Another", collection_id=shelf.pk),
                said=sources.SourceSaid(),
                by=designer,
                now=make.NOW,
            )

    def test_keeps_others_from_citing_and_changing_it(self):
        designer = make.member(Role.DESIGNER)
        version = kept_in(collection())
        text = writing.WholeDraft(cited=[writing.Cited(version.pk)])

        with pytest.raises(errors.Incomplete):
            writing.create_question(project=make.project(), text=text, by=designer, now=make.NOW)
        with pytest.raises(errors.NotNow):
            sources.add_version(
                source=version.source, said=sources.SourceSaid(text="x"), by=designer, now=make.NOW
            )

    def test_leaves_what_was_cited_before(self):
        designer = make.member(Role.DESIGNER)
        version = make.source_version("Closed")
        text = writing.WholeDraft(cited=[writing.Cited(version.pk)])
        made = writing.create_question(project=make.project(), text=text, by=designer, now=make.NOW)
        kept_in(collection())

        saved = writing.save_draft(
            version=made, text=text, base_rev=made.rev, by=designer, now=make.NOW
        )

        assert saved.citations.count() == 1
