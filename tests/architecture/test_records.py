"""What tables keep, records say: a field that a person or a program could never set or read is found here."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

import pytest
from django.db import models as orm
from django.forms import CharField
from rest_framework.exceptions import ValidationError

from annotation import models
from annotation.bank import records as bank
from annotation.bankfile import records as filed
from annotation.common.forms import RecordForm
from annotation.rounds import records as rounds
from annotation.rubrics.api import RubricIn
from annotation.rubrics.rules import CriterionText, LevelText
from evalsite import kinds
from evalsite.contract import document, shapes
from evalsite.contract.calls import as_sent
from evalsite.contract.shapes import Partly
from evalsite.records import Ask, NoSuchRecord, Record, RecordPart, parts, plain, read, said, values

#: Which record says what a table keeps; the bank file's is the whole of what its API and page say.
CARRIED: dict[type[orm.Model], type[Record]] = {
    models.Rubric: filed.RubricRecord,
    models.RubricVersion: filed.RubricVersionRecord,
    models.Criterion: filed.CriterionRecord,
    models.Level: LevelText,
    models.Domain: filed.AreaRecord,
    models.Capability: filed.Skill,
    models.PlanCell: filed.PlanCellRecord,
    models.PlanShare: filed.ShareRecord,
    models.SourceCollection: filed.Collection,
    models.Source: filed.SourceRecord,
    models.SourceVersion: filed.SourceVersionRecord,
    models.SourceCheck: filed.CheckRecord,
    models.Checklist: filed.ChecklistRecord,
    models.Question: filed.QuestionRecord,
    models.QuestionVersion: filed.VersionRecord,
    models.QuestionChange: filed.ChangeRecord,
    models.QuestionComment: filed.CommentRecord,
    models.MachineDraft: filed.DraftedRecord,
    models.Inspection: filed.Inspected,
    models.Finding: filed.FoundRecord,
    models.Round: rounds.RoundOut,
}
#: What stands around a record: its key, and what it belongs to.
AROUND = {"id", "project_id", "rubric_id", "rubric_version_id", "criterion_id", "parent_id"}
AROUND |= {"cell_id", "source_id", "question_id", "inspection_id"}
IN_THE_PATH = "the last name of the path"
NOT_IN_FILES = "an import of this site, which no other site knows"
#: Fields that no record carries, and why.
REASONS: dict[str, str] = {
    "Rubric.copied_from_id": "whence it was copied is told on its page; there the other project may be unknown",
    "RubricVersion.kind": "rubrics of metrics and judges are made where they run",
    "Domain.name": IN_THE_PATH,
    "Capability.name": IN_THE_PATH,
    "SourceCheck.version_id": "it stands within its version",
    "QuestionVersion.batch_id": NOT_IN_FILES,
    "Question.batch_id": NOT_IN_FILES,
    "Question.stands_for_id": "set while an import is under way",
    "MachineDraft.version_id": "it stands within its version",
    "MachineDraft.run": "a run of this site, which no other site knows",
    "Inspection.version_id": "it stands within its version",
    "Inspection.author_id": "that of the version",
    "Round.secret": "never leaves the database",
    "Round.created_by_id": "who began it stands in the audit",
    "Round.qualified_only_since": "told as asks_qualification",
    "Round.batch_id": NOT_IN_FILES,
    "Round.discarded_at": "a round that was discarded is not found any more",
    "Round.opening_at": "told as the state of the opening, on the round's own page",
}


def columns(model: type[orm.Model]) -> dict[str, Any]:
    return {one.attname: one for one in model._meta.concrete_fields}


def carried(record: type[Record]) -> dict[str, RecordPart]:
    return {name: one for one in parts(record) for name in (one.source[0], f"{one.source[0]}_id")}


class TestEveryFieldOfATable:
    @pytest.mark.parametrize("model", CARRIED, ids=lambda one: one.__name__)
    def test_is_carried_by_its_record_or_there_is_a_reason(self, model):
        known = carried(CARRIED[model]).keys() | AROUND
        missing = {f"{model.__name__}.{name}" for name in columns(model) if name not in known}

        assert missing - REASONS.keys() == set()

    def test_has_a_reason_only_while_it_is_not_carried(self):
        left = {
            f"{model.__name__}.{name}"
            for model, record in CARRIED.items()
            for name in columns(model)
            if name not in carried(record)
        }

        assert REASONS.keys() - left == set()

    @pytest.mark.parametrize("model", CARRIED, ids=lambda one: one.__name__)
    def test_takes_no_more_and_no_less_than_its_record(self, model):
        found = carried(CARRIED[model])
        apart = [
            f"{model.__name__}.{name}: {said}"
            for name, field in columns(model).items()
            if name in found and (said := _apart(field, found[name].kind))
        ]

        assert apart == []


def _apart(field: Any, kind: kinds.Kind | None) -> str:
    """Return how what a column takes differs from what its kind takes."""
    if isinstance(kind, kinds.Text) and field.get_internal_type() in {"CharField", "SlugField"}:
        return "" if kind.most == field.max_length else f"{kind.most} ≠ {field.max_length}"
    if isinstance(kind, kinds.Number):
        here, there = (kind.digits, kind.places), (field.max_digits, field.decimal_places)
        return "" if here == there else f"{here} ≠ {there}"
    if isinstance(kind, kinds.Choice) and field.choices:
        known = {str(value) for value, _title in field.choices}
        return "" if set(kind.of) <= known else f"{kind.of} ⊄ {known}"
    return ""


#: What nobody should send, and somebody will.
ODD = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("inf"),
    float("nan"),
    "",
    "\x00",
    "\ud800",
    [],
    [1],
    {},
    {"a": 1},
)


def taken() -> set[type[Record]]:
    """Return the records that come from outside: bodies of the API, lines of bank files."""
    calls = (call for one in document.routes() for call in one.promise.calls.values())
    kinds_ = (one.of if isinstance(one, Partly) else one for one in (call.takes for call in calls))
    return {one for one in kinds_ if isinstance(one, type) and issubclass(one, Record)} | {
        *filed.PARTS.values()
    }


class TestWhatWasSent:
    @pytest.mark.parametrize("name", ["name.x", "criteria.0", "a[0]", ".", "", "0", "x" * 500])
    def test_is_refused_in_words_whatever_its_fields_are_called(self, name):
        with pytest.raises(ValidationError) as told:
            as_sent(RubricIn, {"name": "", "criteria": [{name: 1}], name: 1})

        assert {"name", "key", "criteria"} <= told.value.detail.keys()
        assert isinstance(told.value.detail["criteria"], list)


class TestEveryRecordFromOutside:
    @pytest.mark.parametrize("record", sorted(taken(), key=str))
    @pytest.mark.parametrize("sent", [True, False])
    def test_says_in_words_what_is_wrong_whatever_is_sent(self, record, sent):
        names = [one.called if sent else one.name for one in parts(record)]
        for data in (*ODD, *({name: odd} for name in names for odd in (*ODD, *([x] for x in ODD)))):
            try:
                read(record, data, sent=sent)
            except NoSuchRecord as problem:
                words = [said(one) for one in problem.faults]
                assert words, data
                assert not any("%(" in one for one in words)


@dataclass(frozen=True)
class Crate(CriterionText):
    """A criterion with one field more, as `docs/adding.md` adds it."""

    unit: Annotated[str, kinds.Text(20), Ask("Unit", "Such as kg.")] = ""


class CrateForm(RecordForm, record=Crate):
    pass


class TestAFieldThatIsAdded:
    GIVEN: ClassVar = {"key": "a", "name": "A", "min": 0, "max": 2, "unit": "kg"}

    def test_is_asked_for_on_the_page(self):
        field = CrateForm().fields["unit"]

        assert isinstance(field, CharField)
        assert (field.label, field.help_text, field.max_length) == ("Unit", "Such as kg.", 20)

    def test_is_taken_and_told_by_the_api(self):
        made = read(Crate, self.GIVEN, sent=True)
        sent = shapes.schema_of_fields(shapes.of_record(Crate, sent=True), lambda *_: {})

        assert plain(made, sent=True)["unit"] == "kg"
        assert sent["properties"]["unit"]["maxLength"] == 20
        assert "unit" not in sent["required"]

    def test_stands_in_files_and_may_be_missing_in_older_ones(self):
        whole = plain(read(Crate, self.GIVEN, sent=True))
        older = {name: value for name, value in whole.items() if name != "unit"}

        assert whole["unit"] == "kg"
        assert read(Crate, older).unit == ""

    def test_is_what_its_column_holds(self):
        row = SimpleNamespace(**{**values(read(Crate, self.GIVEN, sent=True)), "levels": ()})

        assert Crate.of(row).unit == "kg"


class TestEveryRecordOfABankFile:
    def test_says_no_more_of_a_citation_than_its_table_keeps(self):
        kept = {"source", "sha"} | {one.source[0] for one in parts(bank.Cited)} | {"position"}

        assert {one.source[0] for one in parts(filed.CitationRecord)} <= kept
