import datetime
import gzip
import itertools
import time

import pytest
from django.urls import reverse

from annotation import models
from annotation.common import beats
from annotation.files.mappings import AnswerMapping, FileRubric
from annotation.files.models import Upload
from annotation.imports import operations as checking
from annotation.imports import uploading
from evalsite import queue
from tests import imports, make

pytestmark = pytest.mark.django_db

ONE = {"id": "Q1", "question": "What?", "system": "K", "response": "A"}


def check(*objects, name="a.jsonl", targets=None, **options):
    return imports.answers(imports.lines(*objects), name, targets, **options)


def large(upload, *, running=False, by=None):
    """Return a file as if it were large."""
    upload.unpacked = Upload.SMALL + 1
    upload.report = {"running": True, "n_rows": 0} if running else upload.report
    upload.created_by = by or upload.created_by
    upload.save()
    return upload


def codes(*objects, **options):
    return [code for code, _, _ in imports.problems(check(*objects, **options))]


class TestCheckingAnswers:
    def test_counts_what_is_new(self):
        report = imports.answers().report

        assert report["ok"]
        assert report["n_rows"] == 4
        assert report["counts"]["new_items"] == 2
        assert report["counts"]["new_responses"] == 4
        assert report["new_systems"] == ["Harbour", "Kestrel"]
        assert report["preview"][0]["external_id"] == "Q1"
        assert [one["html"].strip() for one in report["preview"][0]["answers"]] == [
            "<p>A base for goods.</p>",
            "<p>A ship.</p>",
        ]

    def test_writes_nothing(self):
        imports.answers()

        assert models.Item.objects.count() == models.System.objects.count() == 0

    def test_counts_what_is_known(self):
        imports.apply(imports.answers())
        report = imports.answers(imports.ANSWERS + "Q3,New?,Yes.,,Kestrel,No.\n").report

        assert report["counts"] == {
            "new_items": 1,
            "known_items": 2,
            "new_responses": 1,
            "known_responses": 4,
            "empty_cells": 0,
        }

    @pytest.mark.parametrize(
        ("second", "code"),
        [
            (ONE, "said_twice"),
            (ONE | {"response": "B"}, "said_differently"),
            (ONE | {"question": "Who?", "system": "H"}, "two_versions"),
            (ONE | {"response": "", "system": "H"}, "empty_response"),
            (ONE | {"system": ""}, "whose_answer"),
            (ONE | {"id": ""}, "empty_cell"),
            (ONE | {"question": "a\x00"}, "zero_byte"),
            (ONE | {"response": {"a": {"b": {"c": {"d": {}}}}}, "system": "H"}, "new_column"),
            (ONE | {"late": "x", "system": "H"}, "new_column"),
        ],
    )
    def test_tells_what_is_wrong_with_a_row(self, second, code):
        upload = imports.take(imports.lines(ONE, second), "a.jsonl")
        known = [one for one in upload.layout["columns"] if one["name"] in ONE]
        upload.layout["columns"] = known  # as if the sample had ended before
        upload.save()
        uploading.set_mapping(upload=upload, mapping=AnswerMapping(imports.places(upload)))

        checking.check(upload=upload, clock=imports.clock)

        assert (code, 2) in {(found, line) for found, line, _ in imports.problems(upload)}

    def test_tells_of_a_name_with_a_sign_that_nobody_sees_and_not_that_it_is_missing(self):
        hidden = ONE | {"system": "Kes\u202etrel"}

        assert imports.problems(check(hidden)) == [("unseen_sign", 1, "system")]

    def test_offers_a_column_that_comes_up_late(self):
        rows = [ONE | {"id": f"Q{place}"} for place in range(1000)]
        upload = check(*rows, ONE | {"id": "QX", "late": "x"})

        assert imports.problems(upload) == [("new_column", 1001, "late")]
        assert Upload.objects.get().layout["columns"][-1]["name"] == "late"

    def test_tells_labels_that_are_not_known(self):
        make.capability("Factuality")
        row = ONE | {"capability": "factuality", "domain": "Rail", "difficulty": "fiendish"}

        assert codes(row) == ["unknown_difficulty", "unknown_domain"]

    def test_lists_labels_that_would_be_created(self):
        row = ONE | {"capability": "Reasoning", "domain": "Rail"}
        report = check(row, create_missing=True).report

        assert report["ok"]
        assert (report["new_capabilities"], report["new_domains"]) == (["Reasoning"], ["Rail"])

    def test_finds_a_label_by_its_parent(self):
        home = make.project()
        for parent in ("Air", "Sea"):
            above = models.Domain.objects.create(project=home, name=parent)
            models.Domain.objects.create(project=home, name="Freight", parent=above)

        assert codes(ONE | {"domain": "Freight"}) == ["ambiguous_domain"]
        assert codes(ONE | {"domain": "sea / freight"}) == []

    def test_tells_an_answer_that_contradicts_one_that_is_here(self):
        imports.apply(check(ONE))

        assert codes(ONE | {"response": "B"}) == ["answer_conflict"]
        assert codes(ONE | {"response": "B"}, release="2") == []
        assert codes(ONE | {"response": "B", "sample_no": 2}) == []

    def test_warns_of_other_content_under_a_known_id(self):
        make.capability("Factuality")
        imports.apply(check(ONE))

        assert codes(ONE | {"question": "Who?"}) == ["another_question_under_this_id"]
        assert codes(ONE | {"standard_answer": "It."}) == ["another_version_of_this_question"]
        assert codes(ONE | {"capability": "Factuality"}) == ["known_item_keeps_labels"]

    def test_finds_known_questions_by_their_id(self):
        imports.apply(check(ONE))
        later = {"id": "Q1", "system": "H", "response": "B"}

        counts = check(later, later | {"system": "L"}).report["counts"]
        assert (counts["new_items"], counts["known_items"]) == (0, 1)
        assert counts["new_responses"] == 2
        batch = imports.apply(check(later, later | {"system": "L"}))
        assert (batch.counts["items"], batch.counts["known_items"]) == (0, 1)
        assert codes(later | {"id": "Q9"}) == ["unknown_item"]

    def test_tells_questions_of_the_bank_that_are_not_accepted(self):
        for name, state in (("D", "DRAFT"), ("S", "SUBMITTED"), ("R", "RETURNED")):
            make.question_version(state, external_id=name)
        make.question_version("ACCEPTED", external_id="A")
        rows = [{"id": name, "system": "K", "response": "B"} for name in "DSRAX"]

        assert codes(*rows) == [
            "question_is_draft",
            "question_in_inspection",
            "question_returned",
            "unknown_item",
        ]

    def test_tells_an_id_with_several_versions(self):
        imports.apply(check(ONE))
        imports.apply(check(ONE | {"question": "Who?"}))

        assert codes({"id": "Q1", "system": "H", "response": "B"}) == ["ambiguous_item"]

    def test_reads_conversations(self):
        talk = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
        ]
        upload = check({"messages": talk}, system="K")

        assert upload.report["counts"]["new_responses"] == 1

    def test_asks_once_whose_answers_conversations_end_with(self):
        talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]

        with pytest.raises(uploading.MappingIncomplete) as told:
            check({"messages": talk}, {"messages": talk[:1]})
        assert [one.code for one in told.value.problems] == ["no_system_column"]
        assert codes({"messages": talk[:1]}) == []

    def test_tells_where_reading_stopped(self):
        text = 'id,question\nQ1,What?\nQ2,"open\n'
        upload = imports.answers(text)

        assert imports.problems(upload) == [("broken_quotes", 3, "")]
        assert not upload.report["ok"]

    def test_keeps_the_first_problems_and_counts_all(self):
        rows = [ONE | {"id": f"Q{place}", "system": ""} for place in range(300)]
        report = check(*rows).report

        assert len(report["problems"]) == checking.KEPT
        assert report["n_errors"] == report["by_code"]["whose_answer"] == 300


class TestCheckingGrades:
    @pytest.fixture(autouse=True)
    def _answers(self):
        imports.apply(imports.answers())

    def test_counts_cells_and_leaves_empty_ones_out(self):
        report = imports.grades().report

        assert report["ok"]
        assert report["counts"] == {
            "grades": 11,
            "empty_cells": 1,
            "comments": 0,
            "items": 2,
            "systems": 2,
        }
        assert report["criteria"] == ["coh", "flu"]
        assert report["raters"] == {"e0": 6, "e1": 5}

    @pytest.mark.parametrize(
        ("row", "code"),
        [
            ("Q9,Kestrel,coh,a,3", "unknown_item"),
            ("Q1,Nobody,coh,a,3", "unknown_system"),
            ("Q1,Kestrel,coh,a,6", "off_scale"),
            ("Q1,Kestrel,coh,a,1.5", "off_scale"),
            ("Q1,Kestrel,coh,a,4;5", "not_a_number"),
            ("Q1,Kestrel,coh,a,=1+1", "not_a_number"),
            ("Q1,Kestrel,coh,a,", "no_grade_here"),
            ("Q1,Kestrel,,a,3", "empty_cell"),
            ("Q1,Kestrel,coh,,3", "empty_cell"),
            (",Kestrel,coh,a,3", "empty_cell"),
            ("Q1,Kestrel,coh,z,3", "graded_twice"),
        ],
    )
    def test_tells_what_is_wrong_with_a_row(self, row, code):
        text = f"item,system,criterion,rater,value\nQ1,Kestrel,coh,z,3\n{row}\n"

        assert (code, 3) in [
            (found, line) for found, line, _ in imports.problems(imports.grades(text))
        ]

    def test_names_the_column_of_what_the_project_does_not_have(self):
        text = "item,system,criterion,rater,value\nQ9,Nobody,coh,a,3\n"

        assert sorted(imports.problems(imports.grades(text))) == [
            ("unknown_item", 2, "item"),
            ("unknown_system", 2, "system"),
        ]

    def test_tells_that_a_graded_question_is_only_a_draft_of_the_bank(self):
        make.question_version("DRAFT", external_id="Q9")
        text = "item,system,criterion,rater,value\nQ9,Kestrel,coh,a,3\n"

        assert imports.problems(imports.grades(text)) == [("question_is_draft", 2, "item")]

    def test_tells_a_time_that_is_none(self):
        text = "item,system,criterion,rater,value,at\nQ1,Kestrel,coh,z,3,yesterday\n"

        assert imports.problems(imports.grades(text)) == [("no_moment", 2, "at")]

    def test_tells_a_criterion_that_the_rubric_has_not(self):
        make.rubric_version("summary", maximum=5, criteria=("coherence", "flu"))

        found = imports.problems(imports.grades(rubric="summary"))

        assert {code for code, _, _ in found} == {"unknown_criterion"}
        assert imports.grades(rubric="summary@1", aliases={"coh": "coherence"}).report["ok"]

    def test_tells_grades_with_too_many_decimals(self):
        text = "item,system,criterion,rater,value\nQ1,Kestrel,coh,z,3.00001\n"
        upload = imports.grades(text, new_rubric=FileRubric("S", "1", "5", ""))

        assert imports.problems(upload) == [("too_precise", 2, "value")]

    def test_needs_to_know_which_release_and_which_sample(self):
        imports.apply(imports.answers(release="2"))
        found = {code for code, _, _ in imports.problems(imports.grades())}

        assert found == {"which_release"}
        assert imports.grades(release="2").report["ok"]
        assert imports.problems(imports.grades(release="3"))[0][0] == "unknown_release"

    def test_tells_answers_that_are_missing_or_several(self):
        more = "id,question,standard_answer,capability,system,response,sample_no\n"
        more += "Q1,What is a pallet?,A flat base.,,Kestrel,Wood.,2\n"
        more += "Q3,What is a hold?,Room.,,Kestrel,Room.,1\n"
        imports.apply(imports.answers(more))
        text = "item,system,criterion,rater,value\nQ1,Kestrel,c,z,3\nQ3,Harbour,c,z,3\n"

        assert [code for code, _, _ in imports.problems(imports.grades(text))] == [
            "several_responses",
            "no_response",
        ]
        text = "item,system,sample_no,criterion,rater,value\nQ1,Kestrel,2,c,z,3\n"
        assert imports.grades(text).report["ok"]

    def test_points_at_an_earlier_import_once_a_rater(self):
        imports.apply(imports.grades())
        upload = imports.grades(round_name="Again")

        assert [code for code, _, _ in imports.problems(upload)] == ["graded_before"] * 2
        assert upload.report["ok"]


class TestRequestCheck:
    def test_checks_a_small_file_at_once(self):
        upload = imports.answers()
        upload.report = None

        checking.request_check(upload=upload, clock=imports.clock)

        assert upload.report["ok"]

    def test_leaves_a_large_file_to_a_worker(self, django_capture_on_commit_callbacks):
        upload = imports.answers()
        Upload.objects.update(unpacked=Upload.SMALL + 1)
        upload.refresh_from_db()

        with django_capture_on_commit_callbacks(execute=True):
            checking.request_check(upload=upload, clock=imports.clock)

        assert upload.report["running"]
        queue.burst()
        upload.refresh_from_db()
        assert upload.report["ok"]

    def test_refuses_more_while_many_large_ones_of_somebody_wait(self):
        for number in range(uploading.FILES):
            large(imports.answers(project=make.project(f"p{number}")), running=True)
        mine = make.user("p0-owner")
        Upload.objects.update(created_by=mine, unpacked=Upload.SMALL + 1)
        upload = large(imports.answers(project=make.project("p9")), by=mine)

        with pytest.raises(uploading.TooManyImports, match="4 large files of yours"):
            checking.request_check(upload=upload, clock=imports.clock)

    def test_refuses_more_while_many_large_ones_of_a_project_wait(self):
        for number in range(uploading.FILES):
            large(imports.answers(), running=True, by=make.user(f"curator-{number}"))
        upload = large(imports.answers())

        with pytest.raises(uploading.TooManyImports, match="4 large files of this project"):
            checking.request_check(upload=upload, clock=imports.clock)

    def test_refuses_nothing_small(self):
        for _file in range(uploading.FILES):
            large(imports.answers(), running=True)
        upload = imports.answers()

        checking.request_check(upload=upload, clock=imports.clock)

        assert upload.report["ok"]

    def test_stops_where_more_is_unpacked_than_may_be(self, settings):
        upload = imports.take(gzip.compress(imports.ANSWERS.encode()), "a.csv.gz")
        uploading.set_mapping(upload=upload, mapping=AnswerMapping(imports.places(upload)))
        settings.FILE_MOST = 100

        report = checking.check(upload=upload, clock=imports.clock)

        assert [one["code"] for one in report["problems"]] == ["unpacked_too_large"]

    def test_weighs_first_what_was_not_weighed_when_it_came_in(self, settings):
        upload = imports.take(gzip.compress(imports.ANSWERS.encode()), "a.csv.gz")
        uploading.set_mapping(upload=upload, mapping=AnswerMapping(imports.places(upload)))
        upload.unpacked = None
        settings.FILE_MOST = len(imports.ANSWERS) - 1  # all rows fit into the pieces before

        report = checking.check(upload=upload, clock=imports.clock)

        assert (report["n_rows"], report["by_code"]) == (0, {"unpacked_too_large": 1})


class TestRingAgain:
    def test_rings_for_a_check_that_does_not_move(self):
        upload = imports.answers()
        told = {"running": True, "n_rows": 1, "touched_at": make.NOW.isoformat()}
        Upload.objects.update(report=told)

        assert checking.ring_again(now=make.at(0.5)) == 0
        assert checking.ring_again(now=make.NOW + datetime.timedelta(minutes=2)) == 1
        assert upload.pk


class TestAFileOverWhichWorkersEnd:
    @pytest.fixture
    def given_up(self, django_capture_on_commit_callbacks):
        """A large file, of which a worker was rung for once more after three had ended."""
        upload = large(imports.answers())
        with django_capture_on_commit_callbacks(execute=True):
            checking.request_check(upload=upload, clock=imports.clock)
        for _worker in range(beats.TRIES):
            with pytest.raises(Ended):
                checking.check_waiting(upload=fresh(upload), clock=ends())
        queue.burst()
        return fresh(upload)

    def test_is_read_no_more_and_says_so(self, given_up):
        assert "ended three times" in given_up.report["refused"]
        assert checking.ring_again(now=make.at(600)) == 0
        with pytest.raises(checking.HasProblems):
            checking.start(upload=given_up, by=given_up.created_by, now=make.NOW)

    def test_is_told_on_its_page_and_in_the_list(self, client, given_up):
        client.force_login(given_up.created_by)

        for url in (
            reverse("import_map", args=["northport", given_up.number]),
            reverse("imports", args=["northport"]),
        ):
            assert "the worker that read it ended three times" in client.get(url).content.decode()

    def test_is_told_by_the_api(self, client, given_up):
        Upload.objects.update(wish=Upload.Wish.APPLY)
        client.force_login(given_up.created_by)

        said = client.get(reverse("api_import_file", args=["northport", given_up.number])).json()

        assert said["state"] == "refused"
        assert "ended three times" in said["problems"]["file"][0]

    def test_is_read_again_where_a_person_asks(self, given_up, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            checking.request_check(upload=given_up, clock=imports.clock)
        queue.burst()

        assert fresh(given_up).report["ok"]

    def test_counts_no_worker_that_leaves_it_to_another_one(self, monkeypatch):
        upload = large(imports.answers(), running=True)
        ticks = itertools.count(step=2)
        monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))

        for _worker in range(beats.TRIES + 1):
            checking.check_waiting(
                upload=fresh(upload), clock=imports.clock, is_stopping=lambda: True
            )

        assert fresh(upload).report["tries"] == 0


class Ended(Exception):
    """A worker is no more."""


def ends():
    """Return a clock that tells the time once, when a worker begins; what it says next is never heard."""
    told = itertools.count()

    def tell():
        if next(told):
            raise Ended
        return make.NOW

    return tell


def fresh(upload):
    return Upload.objects.select_related("project").get(pk=upload.pk)
