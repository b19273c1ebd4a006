import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.bank import operations as states
from annotation.bank.rules import Act
from annotation.files.cells import FileRecord
from annotation.files.mappings import ColumnTarget, QuestionMapping
from annotation.files.questions import QuestionsReader
from annotation.imports import checks as question_checks
from annotation.imports import questions
from annotation.imports.questions import QuestionsResolver, RowFate
from annotation.people.models import Role
from annotation.sources import operations as sources
from tests import make

pytestmark = pytest.mark.django_db


def resolved(*rows, **options):
    """Return rows (by the names of targets) as they were looked up."""
    places = tuple(ColumnTarget(name, name) for name in rows[0])
    mapping = QuestionMapping(places, **options)
    reader = QuestionsReader(mapping)
    records = [reader.read(FileRecord(line, row)) for line, row in enumerate(rows, start=2)]
    return QuestionsResolver(make.project(), mapping, reader.said).resolve(records)


def codes(found):
    return [one.code for one in found.problems]


class TestResolver:
    def test_tells_new_rows_from_known_and_changed_ones(self):
        make.question_version("ACCEPTED", external_id="B-1", text=make.question_text("What?"))
        make.question_version("ACCEPTED", external_id="B-2", text=make.question_text("Who?"))
        rows = [
            {"external_id": "B-1", "question": "What?"},
            {"external_id": "B-2", "question": "Who else?"},
            {"external_id": "B-3", "question": "When?"},
        ]

        found = resolved(*rows, new_versions=True)

        assert [one.fate for one in found] == [RowFate.SAME, RowFate.VERSION, RowFate.NEW]
        assert found[1].differing == ["turns"]
        assert codes(resolved(*rows)[1]) == ["question_differs"]

    def test_compares_only_what_the_file_speaks_of(self):
        make.question_version("ACCEPTED", external_id="B-1", text=make.question_text("What?"))

        [found] = resolved({"external_id": "B-1", "question": "What?", "tags": "sea"})

        assert found.differing == ["tags"]

    def test_compares_places_in_sources_by_title(self):
        make.question_version("ACCEPTED", external_id="B-1", text=make.question_text("What?"))
        row = {"external_id": "B-1", "question": "What?"}
        version = make.source_version()
        sources.add_version(
            source=version.source,
            said=sources.SourceSaid(text="Something else."),
            by=make.member(Role.DESIGNER),
            now=make.NOW,
        )

        [same] = resolved({**row, "sources": "handbook | p. 3"})
        [elsewhere] = resolved({**row, "sources": "Handbook | p. 4"}, new_versions=True)
        [newer] = resolved(
            {**row, "sources": [{"title": "Handbook", "locator": "p. 3", "version": 2}]}
        )

        assert (same.fate, elsewhere.fate) == (RowFate.SAME, RowFate.VERSION)
        assert elsewhere.placed[0].source_version == version.pk  # the version that is cited stays
        assert newer.differing == ["cited"]

    @pytest.mark.parametrize(
        ("state", "code"),
        [("DRAFT", "question_under_way"), ("SUBMITTED", "question_under_way")],
    )
    def test_leaves_alone_what_somebody_is_at(self, state, code):
        make.question_version(state, external_id="B-1")

        [found] = resolved({"external_id": "B-1", "question": "Other?"}, new_versions=True)

        assert (codes(found), found.fate) == ([code], RowFate.REFUSED)

    def test_leaves_alone_what_is_out_of_use(self):
        version = make.question_version("ACCEPTED", external_id="B-1")
        states.change_life(
            question=version.question,
            act=Act.RETIRE,
            reason="Old.",
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )

        [found] = resolved({"external_id": "B-1", "question": "Other?"}, new_versions=True)

        assert codes(found) == ["question_out_of_use"]

    def test_warns_that_a_changed_question_gets_no_note(self):
        make.question_version("ACCEPTED", external_id="B-1")
        row = {"external_id": "B-1", "question": "Other?", "note": "Mind this."}

        [found] = resolved(row, new_versions=True)

        assert (codes(found), found.fate) == (["note_left_out"], RowFate.VERSION)

    def test_finds_a_capability_by_its_whole_path_first(self):
        above = make.capability("Language")
        below = make.capability("Reading")
        type(below).objects.filter(pk=below.pk).update(parent=above)
        top = make.capability("Reading 2")
        type(top).objects.filter(pk=top.pk).update(name="Reading")
        rows = [
            {"question": "1?", "capability": "Reading"},
            {"question": "2?", "capability": "language › reading"},
            {"question": "3?", "capability": "Language / Reading"},
        ]

        assert [one.capability for one in resolved(*rows)] == [top.pk, below.pk, below.pk]

    def test_says_what_is_not_there(self):
        [found] = resolved(
            {"question": "?", "capability": "Odd", "domain": "Odd", "sources": "Odd"}
        )

        assert codes(found) == ["unknown_capability", "unknown_domain", "unknown_source"]

    def test_says_that_a_new_source_ends_before_it_begins(self):
        source = {"title": "H", "valid_from": "2026-02-01", "valid_until": "2026-01-01"}

        [found] = resolved({"question": "?", "sources": [source]}, make_sources=True)

        assert codes(found) == ["source_ends_first"]

    def test_asks_as_often_for_many_rows(self):
        def asked(n):
            rows = [{"external_id": f"N-{one}", "question": f"What is {one}?"} for one in range(n)]
            with CaptureQueriesContext(connection) as queries:
                resolved(*rows)
            return len(queries)

        asked(1)
        assert asked(3) == asked(200)


class TestFaultsOf:
    def test_name_what_is_gone(self):
        mapping = QuestionMapping(
            (), capability="Odd", domain="Odd", difficulty="Odd", author="odd"
        )

        found = questions.faults_of(make.project(), mapping)

        assert [one.code for one in found] == ["label_is_gone"] * 3 + ["unknown_author"]


class TestWriters:
    def test_are_those_whose_role_writes(self):
        make.project()
        for role in (Role.DESIGNER, Role.CURATOR, Role.INSPECTOR):
            make.member(role)

        assert sorted(questions.writers(make.project())) == [
            "northport-curator",
            "northport-designer",
            "northport-owner",
        ]


class TestTheCheck:
    def test_counts_what_would_come_of_it(self):
        make.question_version("ACCEPTED", external_id="B-1", text=make.question_text("What?"))
        columns = ("external_id", "question", "sources")
        mapping = QuestionMapping(
            tuple(ColumnTarget(name, name) for name in columns),
            make_sources=True,
            new_versions=True,
        )
        check = question_checks.QuestionCheck(make.project(), mapping, shielded=False)
        rows = [
            ("B-1", "What?", "Handbook | p. 3"),
            ("B-2", "Who pays demurrage?", "Tariff; p. 1"),
            ("B-3", "Who pays the demurrage?", ""),
            ("B-4", "", ""),
        ]

        problems = check.batch(
            [
                FileRecord(line, dict(zip(columns, row, strict=True)))
                for line, row in enumerate(rows, 2)
            ]
        )

        assert [(one.code, one.line) for of_row in problems for one in of_row] == [
            ("like_in_file", 4),
            ("empty_cell", 5),
        ]
        assert check.summary()["counts"] == {
            "new_questions": 2,
            "new_versions": 0,
            "unchanged": 1,
            "near_duplicates": 1,
            "without_source": 1,
            "new_sources": 1,
        }
        assert check.summary()["new_sources"] == ["Tariff; p. 1"]
        assert [one["external_id"] for one in check.preview] == ["B-2", "B-3"]
