from decimal import Decimal

import pytest

from annotation import models
from annotation.people.models import Role
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as reads
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


class TestCopyRubric:
    def test_begins_with_the_wording_of_another_projects_and_keeps_where_it_comes_from(self):
        theirs = make.rubric_version(in_=make.project("southgate"), key="facts")
        home = make.project()
        by = make.member(Role.CURATOR)

        made = rubrics.copy_rubric(project=home, version=theirs, by=by, now=make.NOW)

        assert (made.rubric.project, made.rubric.key, made.number) == (home, "facts", 1)
        assert made.frozen_at is None
        assert reads.wording(made) == reads.wording(theirs)
        assert made.rubric.copied_from == theirs
        assert reads.wording(theirs).sha() == reads.wording(made).sha()

    def test_finds_a_key_that_is_free_unless_one_is_asked_for(self):
        theirs = make.rubric_version(in_=make.project("southgate"), key="facts")
        given = {"project": make.project(), "version": theirs, "now": make.NOW}
        given["by"] = make.member(Role.CURATOR)

        keys = [rubrics.copy_rubric(**given).rubric.key for _time in range(3)]

        assert keys == ["facts", "facts-2", "facts-3"]
        with pytest.raises(errors.NameTaken):
            rubrics.copy_rubric(key="facts", **given)


def wording(maximum: int = 2, *, label: str = "Level", key: str = "grade") -> Wording:
    levels = tuple(LevelText(Decimal(value), f"{label} {value}") for value in range(maximum + 1))
    criterion = CriterionText(key, "Grade", Decimal(0), Decimal(maximum), levels=levels)
    return Wording("Wrong is 0.", (criterion,))


def create(key: str = "factuality", text: Wording | None = None) -> models.RubricVersion:
    return rubrics.create_rubric(
        project=make.project(),
        key=key,
        name=key.title(),
        wording=text or wording(),
        by=make.user("northport-owner"),
        now=make.NOW,
    )


def save(version: models.RubricVersion, text: Wording, base: str | None = None, name: str = ""):
    return rubrics.save_version(
        version=version,
        wording=text,
        base_sha=reads.wording(version).sha() if base is None else base,
        by=make.user("northport-owner"),
        now=make.at(5),
        name=name,
    )


class TestCreateRubric:
    def test_writes_version_one_with_criteria_and_levels(self):
        version = create()

        assert version.number == 1
        assert reads.wording(version) == wording()
        assert models.AuditEvent.objects.filter(verb="rubric.created").count() == 1

    def test_refuses_a_key_that_is_taken(self):
        create()

        with pytest.raises(errors.NameTaken) as refused:
            create()

        assert "key" in refused.value.fields

    def test_refuses_a_scale_that_makes_no_sense(self):
        with pytest.raises(rubrics.ScaleInvalid) as refused:
            create(text=Wording("", (CriterionText("a", "A", Decimal(3), Decimal(1)),)))

        assert "criteria.0.maximum" in refused.value.fields
        assert not models.Rubric.objects.exists()


class TestSaveVersion:
    def test_changes_an_unused_version_in_place_and_keeps_its_criteria(self):
        version = create()
        row = version.criteria.get()

        saved = save(version, wording(3, label="Step"), name="Facts")

        assert (saved.number, saved.rubric.versions.count()) == (1, 1)
        assert reads.wording(saved) == wording(3, label="Step")
        assert saved.criteria.get().pk == row.pk
        assert models.Rubric.objects.get().name == "Facts"

    def test_takes_away_a_criterion_that_is_left_out(self):
        saved = save(create(), wording(key="other"))

        assert [one.key for one in saved.criteria.all()] == ["other"]

    def test_refuses_a_frozen_version(self):
        version = create()
        rubrics.freeze(version=version, now=make.NOW)

        with pytest.raises(rubrics.Frozen):
            save(version, wording(3))

        assert reads.wording(version) == wording()

    def test_refuses_when_somebody_else_was_faster(self):
        version = create()
        base = reads.wording(version).sha()
        save(version, wording(3))

        with pytest.raises(rubrics.WordingMoved):
            save(version, wording(4), base=base)


class TestNewVersion:
    def test_leaves_the_old_one_as_it_is(self):
        first = create()
        rubrics.freeze(version=first, now=make.NOW)

        second = rubrics.new_version(
            rubric=first.rubric,
            wording=wording(3),
            base_sha=reads.wording(first).sha(),
            by=make.user("northport-owner"),
            now=make.at(5),
        )

        assert (second.number, second.frozen_at) == (2, None)
        assert reads.wording(first) == wording()
        assert second.criteria.get().key == first.criteria.get().key

    def test_refuses_when_there_is_a_newer_one(self):
        first = create()

        with pytest.raises(rubrics.WordingMoved):
            rubrics.new_version(
                rubric=first.rubric,
                wording=wording(3),
                base_sha="what it was long ago",
                by=make.user("northport-owner"),
                now=make.at(5),
            )


class TestFreeze:
    def test_holds_from_the_first_time_on(self):
        version = create()
        rubrics.freeze(version=version, now=make.at(1))

        rubrics.freeze(version=version, now=make.at(2))

        assert version.frozen_at == make.at(1)

    def test_refuses_a_version_without_criteria(self):
        version = create()
        models.Level.objects.all().delete()
        models.Criterion.objects.all().delete()

        with pytest.raises(rubrics.RubricNotReady):
            rubrics.freeze(version=version, now=make.NOW)


class TestLoadFixture:
    def load(self) -> list[models.RubricVersion]:
        return rubrics.load_fixture(
            project=make.project(),
            entries=reads.list_rubrics_examples(),
            by=make.user("northport-owner"),
            now=make.NOW,
        )

    def test_writes_the_rubrics_of_lalaeval_once(self):
        assert len(self.load()) == len(reads.list_rubrics_examples()) == 18
        assert self.load() == []

    def test_gives_capabilities_their_rubric_unless_they_have_one(self):
        bare = models.Capability.objects.create(project=make.project(), name="Creativity")
        own = make.capability("Logical reasoning")

        self.load()

        bare.refresh_from_db()
        own.refresh_from_db()
        assert bare.rubric is not None
        assert own.rubric is not None
        assert (bare.rubric.key, own.rubric.key) == ("creativity", "factuality")
