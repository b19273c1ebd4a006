"""Answers as people have them: which systems and which texts come of each file, without a word said."""

import pytest

from annotation.files import stored
from annotation.files.mappings import AnswerMapping
from annotation.files.models import ImportBatch, ImportKind
from annotation.imports import operations, recognising, uploading
from annotation.imports.operations import carry_on, start
from annotation.systems.models import Item, Response
from evalsite import errors
from tests import cases, imports, make

pytestmark = pytest.mark.django_db


def received(path, told=None):
    """Return a file that was handed in as what it looks like."""
    return uploading.receive(
        project=make.project(),
        kind=ImportKind.ANSWERS,
        name=path.name,
        pieces=[path.read_bytes()],
        by=make.user("northport-owner"),
        now=make.NOW,
        told=told,
    )


def checked(path, told=None, **options):
    upload = received(path, told)
    mapping = AnswerMapping(imports.places(upload), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    return upload


def brought(path, told=None, **options):
    """Bring a file in; return the answers as (question, system, text)."""
    upload = checked(path, told, **options)
    assert upload.report["ok"], (upload.report["problems"], upload.report["asks"])
    batch = start(upload=upload, by=upload.created_by, now=make.NOW)
    carry_on(batch_id=batch.pk, clock=imports.clock)
    assert ImportBatch.objects.get(pk=batch.pk).state == ImportBatch.State.APPLIED
    rows = Response.objects.order_by("item", "release").select_related("item", "release__system")
    return [
        (one.item.messages[-1]["content"], one.release.system.name, one.messages[-1]["content"])
        for one in rows
    ]


def keys(upload):
    return [one["key"] for one in (*upload.layout["asks"], *(upload.report or {}).get("asks", ()))]


QUAY = [("What is a quay?", "Alpha", "A place to moor."), ("What is a quay?", "Beta", "A wall.")]
BUOY = [("What is a buoy?", "Alpha", "A float."), ("What is a buoy?", "Beta", "A boy.")]


class TestTables:
    def test_keep_times_and_tokens_as_details(self):
        assert brought(cases.file("wide_with_timing.csv")) == QUAY + BUOY
        assert Response.objects.first().details == {
            "response_time_ms": "812",
            "output_tokens": "14",
        }

    @pytest.mark.parametrize(
        ("name", "systems"),
        [
            ("one_model_per_file.csv", {"pine-7b"}),
            ("flat_model_id.csv", {"pine-7b", "oak-13b"}),
            ("mt_answers_flat.jsonl", {"pine", "oak"}),
        ],
    )
    def test_name_their_systems_in_a_column(self, name, systems):
        assert {system for _question, system, _text in brought(cases.file(name))} == systems

    @pytest.mark.parametrize(
        ("name", "question", "systems"),
        [
            ("excel_sep.csv", "What is a quay?", {"Alpha", "Beta"}),
            ("comment_head.csv", "What is a quay?", {"Alpha", "Beta"}),
            ("jsonl_pretty.jsonl", "What is a quay?", {"Alpha"}),
            ("jsonl_trailing_comma.jsonl", "What is a quay?", {"Alpha"}),
            ("jsonl_bom.jsonl", "What is a quay?", {"Alpha"}),
            ("column_oriented.json", "What is a quay?", {"Alpha"}),
            ("pandas_index.csv", "What is a quay?", {"Alpha", "Beta"}),
            ("excel_de_utf8bom.csv", "Was heißt „Löschen“ im Hafen?", {"Köln", "Bär"}),
            ("x_title_row.xlsx", "What is a quay?", {"Alpha", "Beta"}),
            ("x_second_sheet.xlsx", "What is a quay?", {"Alpha"}),
            ("x_merged_header.xlsx", "What is a quay?", {"Alpha", "Beta"}),
            ("x_hidden.xlsx", "What is a quay?", {"Alpha", "Beta"}),
            ("russian_utf8.csv", "Что такое причал?", {"Сосна", "Дуб"}),
            ("japanese_eucjp.csv", None, {"A", "B"}),
            ("japanese_sjis.csv", None, {"A", "B"}),
            ("chinese_big5.csv", None, {"A", "B"}),
            ("korean_euckr.csv", "부두란 무엇입니까?", {"A", "B"}),
            ("quotes_lone.csv", 'What is 5" in cm?', {"Alpha"}),
        ],
    )
    def test_are_read_however_they_are_written(self, name, question, systems):
        found = brought(cases.file(name))

        assert {system for _question, system, _text in found} == systems
        assert question is None or found[0][0] == question

    def test_keep_markdown_and_numbers(self):
        found = brought(cases.file("answers_markdown.csv"))

        assert [text for _question, _system, text in found] == ["- Rotterdam\n- Genoa", "-2"]

    def test_fill_merged_cells_down_once_that_is_said(self):
        path = cases.file("x_merged_cells_down.xlsx")
        with pytest.raises(uploading.MappingIncomplete, match="fill_down"):
            checked(path)

        found = brought(path, {"fill_down": "yes"})

        assert [one[:2] for one in found] == [
            ("What is a quay?", "Alpha"),
            ("What is a quay?", "Beta"),
            ("What is a buoy?", "Alpha"),
            ("What is a buoy?", "Beta"),
        ]

    @pytest.mark.parametrize(
        ("name", "n"), [("headerless_answers.tsv", 2), ("headerless_grades.csv", 3)]
    )
    def test_without_names_of_columns_are_asked_about(self, name, n):
        upload = received(cases.file(name))

        assert keys(upload) == ["header"]
        assert upload.layout["n_sampled"] == n


class TestNothing:
    def test_written_as_a_word_is_asked_about(self):
        upload = checked(cases.file("pandas_nan.csv"))

        assert not upload.report["ok"]
        assert keys(upload) == ["missing_answers"]

    def test_that_was_said_to_be_nothing_is_no_answer(self):
        told = {"missing_answers": "missing"}

        assert brought(cases.file("pandas_nan.csv"), told) == [("Is it nan?", "Beta", "A wall.")]

    def test_that_was_said_to_be_an_answer_is_one(self):
        found = brought(cases.file("pandas_nan.csv"), {"missing_answers": "answer"})

        assert [text for _question, _system, text in found] == ["nan", "A wall.", "NaN"]

    def test_in_json_is_no_answer(self):
        upload = checked(cases.file("null_answers.jsonl"), {"missing_answers": "missing"})

        assert upload.report["counts"]["new_responses"] == 0
        assert imports.problems(upload) == [("failed_answer", 2, "answer_Beta")]


class TestBrokenRows:
    @pytest.mark.parametrize(
        ("name", "lines", "kept"),
        [("ragged_one.csv", [2], 2), ("long_with_errors.csv", [3, 4], 2)],
    )
    def test_are_named_and_may_be_left_out(self, name, lines, kept):
        upload = checked(cases.file(name))
        assert [line for _code, line, _column in imports.problems(upload)] == lines
        assert not upload.report["ok"]
        assert "broken" in keys(upload)

        assert len(brought(cases.file(name), {"broken": "leave_out"})) == kept

    @pytest.mark.parametrize(
        ("name", "line"),
        [("ragged_all.csv", 2), ("jsonl_nan_inf.jsonl", 1), ("jsonl_dotted.jsonl", 1)],
    )
    def test_alone_give_the_reason_of_the_first(self, name, line):
        with pytest.raises(errors.FileRefused, match=rf"(?i)line {line}\b|row {line}\b"):
            received(cases.file(name))


class TestQuestionsThatAreHere:
    def test_are_found_by_their_text_by_a_second_file(self):
        first, second = cases.file("alpaca_pine-7b.json"), cases.file("alpaca_oak-13b.json")
        brought(first)

        found = brought(second)

        assert {system for _question, system, _text in found} == {"pine-7b", "oak-13b"}
        assert Item.objects.count() == 3

    def test_are_found_by_their_text_where_they_have_ids(self):
        imports.apply(imports.answers())

        upload = imports.answers("question,answer_Osprey\nWhat is a quay?,A wall.\n")

        assert upload.report["counts"]["known_items"] == 1
        assert upload.report["counts"]["new_items"] == 0
        imports.apply(upload)
        assert Response.objects.get(release__system__name="Osprey").item.external_id == "Q2"

    def test_are_the_same_where_a_file_only_tells_their_text(self):
        imports.apply(imports.answers())

        upload = imports.answers("id,question,answer_Osprey\nQ2,What is a quay?,A wall.\n")

        assert (upload.report["counts"]["known_items"], imports.problems(upload)) == (1, [])

    def test_with_another_text_are_shown_and_kept_beside(self):
        imports.apply(imports.answers())

        upload = imports.answers("id,question,answer_Osprey\nQ2,What is a mole?,A wall.\n")

        assert keys(upload) == ["differing_questions"]
        imports.apply(upload)
        assert Item.objects.filter(external_id="Q2").count() == 2

    def test_with_another_text_stay_if_that_is_said(self):
        imports.apply(imports.answers())
        upload = imports.answers("id,question,answer_Osprey\nQ2,What is a mole?,A wall.\n")

        uploading.answer(upload=upload, told={"differing_questions": "ours"})
        operations.check(upload=upload, clock=imports.clock)
        imports.apply(upload)

        said = Response.objects.get(release__system__name="Osprey")
        assert said.item.messages[-1]["content"] == "What is a quay?"

    def test_with_other_texts_may_be_told_one_by_one(self):
        imports.apply(imports.answers())
        text = "id,question,answer_Osprey\nQ1,What is a crate?,A box.\nQ2,What is a mole?,A wall.\n"
        upload = imports.answers(text)
        one_by_one = ["differing_questions:Q1", "differing_questions:Q2"]
        assert keys(upload) == ["differing_questions", *one_by_one]

        uploading.answer(upload=upload, told={"differing_questions:Q2": "ours"})
        operations.check(upload=upload, clock=imports.clock)
        imports.apply(upload)

        said = Response.objects.filter(release__system__name="Osprey").order_by("item__external_id")
        assert [one.item.messages[-1]["content"] for one in said] == [
            "What is a crate?",
            "What is a quay?",
        ]


def test_files_are_told_by_what_they_hold():
    names = ["wide_with_timing.csv", "grades_case.csv", "scores_sentinel.csv", "bank_formula.csv"]
    found = [
        recognising.kind_of(stored.layout_of(received(cases.file(name))), make.project())
        for name in names
    ]

    assert found == [
        ImportKind.ANSWERS,
        ImportKind.GRADES,
        ImportKind.SCORES,
        ImportKind.QUESTIONS,
    ]


class TestWorkbooks:
    def test_keep_ids_as_they_are_written(self):
        brought(cases.file("x_number_ids.xlsx"))

        assert list(Item.objects.order_by("pk").values_list("external_id", flat=True)) == [
            "1",
            "001",
            "2024.5",
        ]

    def test_are_read_without_their_formatting(self):
        assert brought(cases.file("x_rich.xlsx")) == [("What is a quay?", "Alpha", "A bold place.")]

    def test_have_no_formula_computed(self):
        upload = checked(cases.file("x_formula.xlsx"))

        assert {code for code, _line, _column in imports.problems(upload)} == {"formula"}


class TestWhatCannotBeRead:
    def test_is_refused_with_the_reason_of_its_first_line(self):
        with pytest.raises(errors.FileRefused, match=r"(?i)line 1\b"):
            received(cases.file("json_single_quotes.jsonl"))

    def test_is_refused_where_every_row_is_broken(self):
        with pytest.raises(errors.FileRefused, match=r"(?i)line 2\b"):
            received(cases.file("promptfoo_out.csv"))

    def test_of_a_bare_matrix_is_no_table_of_anything(self):
        layout = stored.layout_of(received(cases.file("kripp.csv")))

        assert recognising.kind_of(layout, make.project()) is None
