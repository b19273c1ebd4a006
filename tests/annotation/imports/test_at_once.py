import datetime

import pytest

from annotation.files.cells import FileProblem
from annotation.files.choices import ChoiceMapping
from annotation.files.mappings import ColumnTarget
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.imports import operations as at_once
from annotation.imports import recognising
from annotation.imports import uploading as limits
from annotation.systems.models import Item
from evalsite import queue
from tests import imports, make

pytestmark = pytest.mark.django_db

READ = {
    "running": False,
    "ok": True,
    "n_rows": 1,
    "problems": [],
    "counts": {},
    "new_capabilities": [],
    "new_domains": [],
}


def bring_in(text=imports.CHOICES, **more):
    def mapping(upload):
        places = tuple(
            ColumnTarget(column.name, guess.target) for column, guess in recognising.guesses(upload)
        )
        return ChoiceMapping(places, dataset="Quay")

    project = make.project()
    return at_once.bring_in(
        project=project,
        kind=ImportKind.CHOICES,
        name="quay.csv",
        pieces=[text.encode()],
        mapping=mapping,
        by=make.user("northport-owner"),
        clock=imports.clock,
        **{"only_check": False} | more,
    )


class TestBringIn:
    def test_takes_maps_checks_and_applies(self):
        outcome = bring_in()

        assert outcome.batch.state == "APPLIED"
        assert outcome.report["n_rows"] == 2
        assert Item.objects.count() == 2

    def test_is_the_same_import_again(self):
        assert bring_in().batch == bring_in().batch
        assert Upload.objects.count() == 1

    def test_keeps_nothing_of_a_check_or_of_a_file_with_problems(self):
        assert bring_in(only_check=True).batch is None
        with pytest.raises(at_once.FileHasProblems) as refused:
            bring_in(imports.CHOICES.replace(",C,lifting", ",E,lifting").replace(",A,", ",F,"))

        assert list(refused.value.fields) == ["line 2, answer", "line 3, answer"]
        assert not (Item.objects.exists())
        assert not (Upload.objects.exists())

    def test_asks_what_only_a_person_can_say(self):
        with pytest.raises(at_once.NeedsAnswer) as asked:
            bring_in(imports.CHOICES.replace("gull,C,", "gull,E,"))

        assert [one.key for one in asked.value.asked] == ["broken"]
        assert list(asked.value.fields) == ["broken", "line 3, answer"]


@pytest.fixture
def kept(django_capture_on_commit_callbacks):
    """Have a large file brought in; return what is kept of it."""

    def bring(**more):
        rows = "".join(f"{n},{'Which way? ' * 50}{n},left,right,B\n" for n in range(1_000))
        with django_capture_on_commit_callbacks(execute=True):
            outcome = bring_in("id,question,A,B,answer\n" + rows, **more)
        assert outcome.batch is None
        return outcome.waits

    return bring


def found(upload):
    upload.refresh_from_db()
    return at_once.state_of(upload, upload.batches.first())


class TestALargeFile:
    def test_is_kept_for_a_worker(self, kept):
        upload = kept()

        assert found(upload) == "checking"
        assert [name for name, _given in queue.waiting("bulk")] == ["annotation.jobs.check_import"]

    def test_is_only_checked_where_that_is_wished(self, kept):
        upload = kept(only_check=True)
        Upload.objects.update(report={"running": False, "ok": True, "n_rows": 1, "problems": []})
        upload.refresh_from_db()

        at_once.go_on(upload=upload, now=make.NOW)

        assert found(upload) == "checked"

    def test_is_brought_in_once_it_was_checked(self, kept, django_capture_on_commit_callbacks):
        upload = kept()
        with django_capture_on_commit_callbacks(execute=True):
            queue.burst("bulk")
            assert found(upload) == "importing"
        queue.burst("bulk")

        assert found(upload) == "imported"
        assert Item.objects.count() == 1_000

    def test_waits_for_another_import_of_the_project(self, kept):
        upload = kept()
        other = imports.apply(imports.answers())
        ImportBatch.objects.filter(pk=other.pk).update(state="STAGED")
        Upload.objects.filter(pk=upload.pk).update(report=READ)
        at_once.sweep(make.NOW)
        assert found(upload) == "waiting"

        ImportBatch.objects.filter(pk=other.pk).update(state="APPLIED")
        at_once.sweep(make.NOW)
        assert found(upload) == "importing"

    def test_says_why_it_was_not_brought_in(self, kept):
        upload = kept()
        problem = FileProblem("unpacked_too_large", facts={"most": "256"}).as_dict()
        Upload.objects.update(report={**READ, "ok": False, "problems": [problem]})

        at_once.sweep(make.NOW)

        assert found(upload) == "refused"
        said = at_once.problems_of(upload.report)["file"]
        assert said[0].startswith("Unpacked, the file is larger than 256 MB.")

    def test_is_forgotten_after_a_day_where_nothing_came_of_it(self, kept):
        kept()
        Upload.objects.update(report={**READ, "ok": False})

        at_once.sweep(make.NOW + datetime.timedelta(hours=23))
        assert Upload.objects.count() == 1
        at_once.sweep(make.NOW + datetime.timedelta(hours=25))
        assert Upload.objects.count() == 0

    def test_is_refused_where_too_many_wait_and_not_kept(self, kept):
        kept()
        Upload.objects.update(report={"running": True})
        twin = Upload.objects.get()
        for number in range(2, limits.FILES + 1):
            twin.pk, twin.number = None, number
            twin.save()

        with pytest.raises(limits.TooManyImports):
            kept()

        assert Upload.objects.count() == limits.FILES
