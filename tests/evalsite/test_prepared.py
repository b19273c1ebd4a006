import re
import uuid
from pathlib import Path

import django
import pytest
from django.db import IntegrityError
from django.db.models import F, Model
from django.test.utils import isolate_apps

from annotation.people.models import AuditEvent, Project, Rater, User
from annotation.rounds.models import Assignment, Receipt
from evalsite.db import prepared
from tests import make

pytestmark = pytest.mark.django_db


def event(verb, **data) -> AuditEvent:
    return AuditEvent(verb=verb, subject="a:1", data=data, actor=uuid.UUID(int=7), at=make.NOW)


class TestQuery:
    def test_gives_what_the_query_set_gives(self):
        seat = make.claim(make.open_round())
        raters = prepared.PreparedQuery(
            lambda ref, project: Rater.objects.select_related("project", "user").filter(
                ref=ref, project=project
            ),
            ref=str,
            project=int,
        )
        rater = make.holder(seat)

        [found] = raters.all(ref=rater.ref, project=rater.project_id)

        assert found == rater
        assert found.public_id == rater.public_id
        assert found.project == rater.project
        assert found.user == rater.user
        assert raters.first(ref="nobody", project=rater.project_id) is None

    def test_puts_other_values_into_the_same_statement(self):
        slugs = prepared.PreparedQuery(
            lambda slug: Project.objects.filter(slug=slug).values_list("slug", flat=True), slug=str
        )
        one, two = make.project("one"), make.project("two")

        assert [slugs.first(slug=one.slug), slugs.first(slug=two.slug)] == [one.slug, two.slug]
        assert slugs.first(slug="' or 1=1 --") is None

    def test_makes_instances_as_the_query_set_does(self):
        seat = make.claim(make.open_round())
        seats = Assignment.objects.select_related("round__project", "rater").annotate(
            twice=F("ordinal") * 2
        )
        seats = seats.defer("round__manifest", "dropped_why")
        by_key = prepared.PreparedQuery(lambda pk: seats.filter(pk=pk), pk=int)

        found, usual = by_key.first(pk=seat.pk), seats.get(pk=seat.pk)

        def said(one: Model | None) -> dict[str, object]:
            state = one._state
            plain = {name: value for name, value in vars(one).items() if name != "_state"}
            return {**plain, "new": state.adding, "db": state.db, "with": set(state.fields_cache)}

        pairs = [(found, usual), (found.round, usual.round), (found.rater, usual.rater)]
        for one, other in [*pairs, (found.round.project, usual.round.project)]:
            assert said(one) == said(other)
            assert one.get_deferred_fields() == other.get_deferred_fields()
        assert found.round.manifest == usual.round.manifest

    def test_says_none_where_a_row_refers_to_nothing(self):
        seat = make.open_round().assignments.first()
        by_key = prepared.PreparedQuery(
            lambda pk: Assignment.objects.select_related("rater__user").filter(pk=pk), pk=int
        )

        assert by_key.first(pk=seat.pk).rater is None

    @isolate_apps("annotation")
    def test_leaves_models_with_parents_and_own_ways_of_making_to_django(self):
        class Counted(Project):
            """A project that notices where it comes from."""

            came_from_the_database = False

            class Meta:
                app_label, proxy = "annotation", True

            @classmethod
            def from_db(cls, *args, **kwargs):
                made = super().from_db(*args, **kwargs)
                made.came_from_the_database = True
                return made

        made = prepared.PreparedQuery(
            lambda pk: Counted.objects.filter(pk=pk).order_by("pk"), pk=int
        )
        one = make.project()

        assert made.first(pk=one.pk).came_from_the_database

    def test_refuses_a_value_that_stands_nowhere(self):
        useless = prepared.PreparedQuery(lambda slug: Project.objects.all(), slug=str)

        with pytest.raises(ValueError, match="slug"):
            useless.all(slug="x")


class TestUpdate:
    def test_changes_what_the_query_set_finds_and_says_how_many(self):
        stored = prepared.Insert(AuditEvent).add(event("one", n=1))
        change = prepared.Update(
            lambda pk, data, at, actor: (
                AuditEvent.objects.filter(pk=pk, actor=actor),
                {"data": data, "at": at, "verb": F("subject")},
            ),
            pk=int,
            data=dict,
            at=make.NOW.__class__,
            actor=uuid.UUID,
        )
        given = {"data": {"n": 2}, "at": make.at(5), "actor": stored.actor}

        assert change.run(pk=stored.pk, **given) == 1
        assert change.run(pk=stored.pk + 1, **given) == 0

        stored.refresh_from_db()
        assert (stored.data, stored.at, stored.verb) == ({"n": 2}, make.at(5), "a:1")


class TestDelete:
    def test_removes_what_the_query_set_finds(self):
        stored = prepared.Insert(AuditEvent).add(event("one"))
        gone = prepared.Delete(lambda pk: AuditEvent.objects.filter(pk=pk), pk=int)

        assert (gone.run(pk=stored.pk), gone.run(pk=stored.pk)) == (1, 0)


class TestInsert:
    def test_stores_a_row_as_save_does(self):
        stored = prepared.Insert(AuditEvent).add(event("one", text="ü", n=None))

        found = AuditEvent.objects.get(pk=stored.pk)
        assert (found.verb, found.data, found.actor, found.at, found.note) == (
            "one",
            {"text": "ü", "n": None},
            uuid.UUID(int=7),
            make.NOW,
            "",
        )
        assert not stored._state.adding

    def test_stores_several(self):
        events = prepared.Insert(AuditEvent)

        events.add_all([event("one"), event("two", n=2)])
        events.add_all([])

        assert sorted(AuditEvent.objects.values_list("verb", flat=True)) == ["one", "two"]

    def test_leaves_the_refusals_to_the_database(self):
        seat = make.claim(make.open_round())
        user = User.objects.get(pk=make.holder(seat).user_id)
        answer = {"user": user, "op_id": uuid.UUID(int=1), "assignment": seat, "kind": "draft"}
        receipts = prepared.Insert(Receipt)
        receipts.add(Receipt(**answer, rev=1, at=make.NOW))

        with pytest.raises(IntegrityError):
            receipts.add(Receipt(**answer, rev=1, at=make.NOW))


class TestWhatItStandsOn:
    def test_is_the_django_whose_inner_parts_it_was_compared_with(self):
        assert django.VERSION[:2] == (5, 2), (
            "Read evalsite/db/prepared.py beside what changed in django/db/models (query.py, base.py, "
            "sql/compiler.py), run the other tests here on both databases, and write down the new version."
        )

    def test_is_taken_by_nobody_else(self):
        inner = re.compile(
            r"from django\.db\.models\.(?:base|query|query_utils|sql|fields\.related_desc)\w*\b"
        )
        root = Path(prepared.__file__).parents[2]
        files = [
            one
            for part in ("annotation", "scoring", "evalsite")
            for one in (root / part).rglob("*.py")
        ]

        takers = {
            one.relative_to(root).as_posix() for one in files if inner.search(one.read_text())
        }

        assert takers == {"evalsite/db/prepared.py"}
