from datetime import date

import pytest

from annotation import models
from annotation.models import Role
from annotation.operations.bank import refusals, sources
from annotation.operations.bank.sources import About, Said
from tests import make

pytestmark = pytest.mark.django_db


def add(title="Handbook", by=None, **said):
    by = by or make.member(Role.DESIGNER)
    return sources.add_source(
        project=make.project(), about=About(title), said=Said(**said), by=by, now=make.NOW
    )


def again(version, by=None, **said):
    by = by or make.member(Role.DESIGNER)
    return sources.add_version(source=version.source, said=Said(**said), by=by, now=make.NOW)


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
        with pytest.raises(refusals.Incomplete) as refused:
            add(title, **said)

        assert list(refused.value.fields) == [field]
        assert not models.Source.objects.exists()

    def test_is_for_people_of_the_bank(self):
        with pytest.raises(refusals.NotNow):
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

        with pytest.raises(refusals.Incomplete):
            again(first, **BACKWARDS)

    def test_is_for_people_of_the_bank(self):
        first = add()

        with pytest.raises(refusals.NotNow):
            again(first, by=make.member(Role.ANNOTATOR), text="New.")
