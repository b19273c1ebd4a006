from datetime import date
from functools import partial

import pytest
from django.db import DatabaseError, transaction

from annotation import models
from annotation.people.models import Role
from annotation.sources import operations as sources
from annotation.sources.operations import SourceAbout, SourceSaid
from annotation.sources.records import PARTICULARS
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def add(title="Handbook", by=None, **said):
    by = by or make.member(Role.DESIGNER)
    return sources.add_source(
        project=make.project(),
        about=SourceAbout(title),
        said=SourceSaid(**said),
        by=by,
        now=make.NOW,
    )


def again(version, by=None, **said):
    by = by or make.member(Role.DESIGNER)
    return sources.add_version(source=version.source, said=SourceSaid(**said), by=by, now=make.NOW)


BACKWARDS = {"valid_from": date(2026, 2, 1), "valid_until": date(2026, 1, 1)}


class TestAddSource:
    def test_takes_a_source_in_with_what_it_says(self):
        made = add(text="It says so.")

        assert (made.number, made.text, made.source.title) == (1, "It says so.", "Handbook")

    def test_refuses_a_title_twice(self):
        add()

        with pytest.raises(sources.TitleTaken) as refused:
            add()
        assert list(refused.value.fields) == ["title"]

    @pytest.mark.parametrize(
        ("title", "said", "field"), [(" ", {}, "title"), ("Book", BACKWARDS, "valid_until")]
    )
    def test_says_what_is_wrong(self, title, said, field):
        with pytest.raises(errors.Incomplete) as refused:
            add(title, **said)

        assert list(refused.value.fields) == [field]
        assert not models.Source.objects.exists()

    def test_is_for_people_of_the_bank(self):
        with pytest.raises(errors.NotNow):
            add(by=make.member(Role.ANALYST))


class TestAddVersion:
    def test_keeps_what_it_said_before(self):
        first = add(text="So.")

        second = again(first, text="Otherwise.")

        first.refresh_from_db()
        assert (first.text, second.number) == ("So.", 2)

    def test_changes_nothing_where_it_says_the_same(self):
        first = add(text="So.")

        assert again(first, text="So.") == first

    def test_takes_new_dates_as_something_new(self):
        first = add(text="So.")

        assert again(first, text="So.", valid_until=date(2027, 1, 1)).number == 2

    def test_refuses_dates_that_contradict_each_other(self):
        first = add()

        with pytest.raises(errors.Incomplete):
            again(first, **BACKWARDS)

    def test_is_for_people_of_the_bank(self):
        first = add()

        with pytest.raises(errors.NotNow):
            again(first, by=make.member(Role.ANNOTATOR), text="New.")


def correct(version, by=None, seen=None, **about):
    by = by or make.member(Role.DESIGNER)
    old = {name: getattr(version.source, name) for name in PARTICULARS}
    return sources.edit(
        source=version.source, about=SourceAbout(**{**old, **about}), seen=seen, by=by, now=make.NOW
    )


class TestEdit:
    def test_keeps_what_it_was_on_record(self):
        version = add()

        made = correct(version, title=" Guide ", licence="CC BY 4.0")

        version.source.refresh_from_db()
        assert (version.source.title, version.source.licence) == ("Guide", "CC BY 4.0")
        assert made.before == {"title": "Handbook", "licence": ""}
        assert made.after == {"title": "Guide", "licence": "CC BY 4.0"}
        event = models.AuditEvent.objects.get(verb="source.edited")
        assert event.data == {"fields": ["title", "licence"], "edit": made.pk}

    def test_is_found_by_its_new_title(self):
        version = add(text="So.")

        correct(version, title="Zanzibar")

        assert " zanzibar " in models.SearchText.objects.get(source=version.source).words

    def test_changes_nothing_where_it_says_so_already(self):
        version = add()

        assert correct(version) is None
        assert not models.SourceEdit.objects.exists()

    def test_refuses_what_somebody_else_corrected_meanwhile(self):
        version = add()
        seen = SourceAbout("Handbook")
        correct(version, licence="CC0")

        with pytest.raises(sources.EditedMeanwhile):
            correct(version, seen=seen, licence="MIT")
        assert models.Source.objects.get().licence == "CC0"

    @pytest.mark.parametrize(
        ("title", "refusal"), [(" ", errors.Incomplete), ("Taken", sources.TitleTaken)]
    )
    def test_refuses_a_title_that_is_none(self, title, refusal):
        version = add()
        add("Taken")

        with pytest.raises(refusal) as refused:
            correct(version, title=title)

        assert list(refused.value.fields) == ["title"]
        assert not models.SourceEdit.objects.exists()

    def test_is_for_people_of_the_bank(self):
        version = add()

        with pytest.raises(errors.NotNow):
            correct(version, by=make.member(Role.ANALYST), title="Guide")

    def test_is_for_those_who_see_the_source(self):
        version, curator = add(), make.member(Role.CURATOR)
        shelf = sources.create_collection(
            project=make.project(), name="Closed", note="", by=curator, now=make.NOW
        )
        sources.move(source=version.source, collection=shelf, by=curator, now=make.NOW)

        with pytest.raises(errors.NotNow):
            correct(version, title="Guide")

    @pytest.mark.parametrize("deed", ["update", "delete"])
    def test_cannot_be_undone_behind_its_back(self, deed):
        correct(add(), title="Guide")

        rows = models.SourceEdit.objects.all()
        act = rows.delete if deed == "delete" else partial(rows.update, at=make.NOW)

        with pytest.raises(DatabaseError, match="stays on record"), transaction.atomic():
            act()
