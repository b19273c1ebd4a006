import itertools

import pytest

from annotation import models
from annotation.bank import operations as bank
from annotation.bank import questions as lists
from annotation.bank.models import Question, QuestionVersion
from annotation.bank.questions import BankFilters
from annotation.bank.rules import Act
from annotation.files.mappings import QuestionMapping
from annotation.files.models import ImportBatch
from annotation.imports import operations as applying
from annotation.imports import undoing, uploading
from annotation.imports import writers as questions
from annotation.people.models import Role
from evalsite import errors, queue
from tests import imports, make

pytestmark = pytest.mark.django_db
CHANGED = imports.QUESTIONS.replace("The buyer.", "The buyer does.")


def start(upload, by=None):
    return applying.start(upload=upload, by=by or upload.created_by, now=make.NOW)


def undo(batch):
    return undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)


def newest(external_id):
    rows = QuestionVersion.objects.newest()
    return rows.get(question__external_id=external_id)


def rows():
    kinds = (QuestionVersion, models.Citation, models.QuestionComment)
    return [Question.everything.count(), *(kind.objects.count() for kind in kinds)]


def many(n=400):
    return imports.lines(
        *({"id": f"C-{place}", "question": f"What is {place} and {place}?"} for place in range(n))
    )


class Killed(Exception):
    """Stands for a worker that dies."""


def killing_clock(after):
    calls = itertools.count()

    def tell():
        if next(calls) >= after:
            raise Killed
        return make.NOW

    return tell


class TestWriting:
    def test_brings_drafts_with_all_that_a_row_says(self):
        row = {
            "id": "C-1",
            "messages": [
                {"role": "user", "content": "What is FOB?"},
                {"role": "assistant", "content": "A term."},
                {"role": "user", "content": "Who pays?"},
            ],
            "standard_answer": "The buyer.",
            "key_points": ["buyer", "- freight"],
            "capability": "Language › Factuality",
            "domain": "Customs",
            "difficulty": "困难",
            "type": "factual",
            "as_of": "2026-01-01",
            "valid_until": "2027年1月31日",
            "tags": ["sea", "terms"],
            "language": "en",
            "principle": "Names the buyer.",
            "sources": [{"title": "Handbook", "locator": "p. 3", "address": "https://a.example/b"}],
            "notes": "Asked often.",
        }
        batch = imports.apply(imports.questions(imports.lines(row), "a.jsonl"))

        assert batch.state == ImportBatch.State.APPLIED
        found = newest("C-1")
        assert (found.state, found.number, found.question.state) == ("DRAFT", 1, "LIVE")
        assert found.author == batch.created_by
        assert found.turns == row["messages"]
        assert (found.answer, found.key_points) == ("The buyer.", ["buyer", "- freight"])
        assert (found.capability.name, found.capability.parent.name) == ("Factuality", "Language")
        assert (found.domain.name, found.difficulty) == ("Customs", "DIFFICULT")
        assert (found.question_type, found.principle) == ("FACTUAL", "Names the buyer.")
        assert (found.as_of, str(found.valid_until)) == ("2026-01-01", "2027-01-31")
        assert (found.tags, found.language) == (["sea", "terms"], "en")
        [cited] = found.citations.all()
        source = cited.source_version.source
        assert (source.title, cited.locator, source.kind) == ("Handbook", "p. 3", "WEB")
        [note] = found.question.comments.all()
        assert note.text == "Asked often."
        assert batch.counts == {
            "questions": 1,
            "new_versions": 0,
            "unchanged": 0,
            "sources": 1,
            "notes": 1,
        }

    def test_cites_what_the_corpus_has(self):
        make.source_version("Handbook")

        batch = imports.apply(imports.questions())

        assert batch.counts["sources"] == 0
        assert models.Source.objects.count() == 1
        assert newest("C-1").citations.get().locator == "p. 3"

    def test_can_be_under_the_name_of_a_designer(self):
        make.project()
        designer = make.member(Role.DESIGNER, username="dana")

        imports.apply(imports.questions(author="dana"))

        assert newest("C-1").author == designer
        assert newest("C-1").question.created_by == designer

    def test_brings_nothing_the_second_time(self):
        imports.apply(imports.questions())
        before = rows()

        again = imports.apply(imports.questions(imports.QUESTIONS + "\n"))

        assert again.counts["unchanged"] == 3
        assert rows() == before

    def test_refuses_the_same_file(self):
        imports.apply(imports.questions())

        with pytest.raises(applying.AlreadyImported):
            start(imports.questions())


class TestNextVersions:
    def taken(self, state="ACCEPTED"):
        imports.apply(imports.questions())
        return make.taken_to(state, newest("C-2"))

    def test_begin_from_the_one_that_was_accepted(self):
        old = self.taken()

        batch = imports.apply(imports.questions(CHANGED, new_versions=True))

        found = newest("C-2")
        assert (batch.counts["new_versions"], batch.counts["unchanged"]) == (1, 2)
        assert (found.question_id, found.number, found.state) == (old.question_id, 2, "DRAFT")
        assert found.answer == "The buyer does."
        assert found.meaning_changed is None
        assert (found.tags, found.capability) == (old.tags, old.capability)
        assert found.citations.get().source_version == old.citations.get().source_version
        assert Question.everything.count() == 3

    def test_keep_what_the_file_does_not_speak_of(self):
        old = self.taken()

        imports.apply(
            imports.questions("id,question\nC-2,Who pays under FOB?\n", new_versions=True)
        )

        found = newest("C-2")
        assert found.number == 2
        assert (found.answer, found.tags, found.difficulty) == (
            old.answer,
            old.tags,
            old.difficulty,
        )
        assert found.citations.count() == old.citations.count() == 1

    def test_are_not_seen_before_all_rows_are_in(self):
        old = self.taken()
        batch = start(imports.questions(CHANGED, new_versions=True))

        with pytest.raises(Killed):
            applying.carry_on(batch_id=batch.pk, clock=killing_clock(2))

        assert QuestionVersion.objects.filter(batch=batch).count() == 1
        assert newest("C-2") == old
        assert old.question.versions.count() == 1

    def test_give_way_to_one_that_was_begun_meanwhile(self):
        old = self.taken()
        batch = start(imports.questions(CHANGED, new_versions=True))
        with pytest.raises(Killed):
            applying.carry_on(batch_id=batch.pk, clock=killing_clock(2))
        mine = bank.revise(version=old, by=old.author, now=make.NOW)

        stopped = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert "another version meanwhile" in stopped.stopped
        assert newest("C-2") == mine
        undoing.drop(batch=batch, by=batch.created_by, clock=imports.clock)
        assert (newest("C-2"), Question.everything.count()) == (mine, 3)

    def test_go_again_by_an_undo(self):
        old = self.taken()
        batch = imports.apply(imports.questions(CHANGED, new_versions=True))

        undone = undo(batch)

        assert undone.state == ImportBatch.State.UNDONE
        assert newest("C-2") == old


class TestStaging:
    def test_shows_nothing_before_everything_is_in(self):
        batch = start(imports.questions(many(), "a.jsonl"))
        home = batch.project

        with pytest.raises(Killed):
            applying.carry_on(batch_id=batch.pk, clock=killing_clock(2))

        batch.refresh_from_db()
        assert 0 < batch.cursor < 400
        assert Question.everything.count() == batch.cursor
        seen = lists.filtered(home, BankFilters(), user=batch.created_by, now=make.NOW)
        assert seen.count() == Question.objects.count() == sum(lists.by_life(home).values()) == 0

    def test_goes_on_after_a_kill_at_any_batch(self):
        batch = start(imports.questions(many(), "a.jsonl"))
        for after in (1, 2, 3, 1):
            with pytest.raises(Killed):
                applying.carry_on(batch_id=batch.pk, clock=killing_clock(after))

        done = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert done.state == ImportBatch.State.APPLIED
        assert (done.counts["questions"], Question.objects.count()) == (400, 400)

    def test_takes_ids_that_nobody_else_gets(self):
        batch = start(imports.questions("id,question\nQ0001,What is a quay?\n"))
        with pytest.raises(Killed):
            applying.carry_on(batch_id=batch.pk, clock=killing_clock(2))

        made = bank.create_question(
            project=batch.project, text=bank.WholeDraft(), by=batch.created_by, now=make.NOW
        )

        assert made.question.external_id == "Q0002"

    def test_lets_hints_find_what_came_in(self, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            imports.apply(imports.questions())
        queue.burst()

        assert models.IndexedText.objects.filter(question__isnull=False).count() == 3


class TestUndo:
    def test_takes_questions_away_and_leaves_what_they_cite(self):
        batch = imports.apply(imports.questions(imports.QUESTIONS.replace("tags\n", "note\n", 1)))
        assert rows() == [3, 3, 2, 2]

        undone = undo(batch)

        assert undone.state == ImportBatch.State.UNDONE
        assert rows() == [0, 0, 0, 0]
        assert models.Source.objects.count() == 1

    def test_lets_the_file_in_again(self):
        upload = imports.questions()
        undo(imports.apply(upload))

        again = imports.apply(upload)

        assert (again.number, again.counts["questions"], Question.objects.count()) == (1, 3, 3)

    @pytest.mark.parametrize("state", ["SUBMITTED", "ACCEPTED", "RETURNED"])
    def test_refuses_what_was_handed_in(self, state):
        batch = imports.apply(imports.questions())
        make.taken_to(state, newest("C-1"))

        with pytest.raises(errors.StillUsed, match="submitted questions: 1"):
            undo(batch)

        assert Question.objects.count() == 3  # and all are seen as before

    def test_refuses_what_was_edited_commented_or_retired(self):
        batch = imports.apply(imports.questions())
        by, version = batch.created_by, newest("C-1")
        text = make.question_text(answer="Another one.")
        bank.save_draft(version=version, text=text, base_rev=0, by=by, now=make.NOW)
        second, third = newest("C-2").question, newest("C-3").question
        bank.comment(question=second, text="Really?", by=by, now=make.at(1))
        bank.change_life(question=third, act=Act.RETIRE, reason="Old.", by=by, now=make.NOW)

        with pytest.raises(errors.StillUsed) as refused:
            undo(batch)

        assert "edited: 1" in refused.value.message
        assert "question comments: 1" in refused.value.message
        assert "question changes: 1" in refused.value.message


class TestWhoMayBringIn:
    def mapping(self, author=""):
        return QuestionMapping((), author=author)

    def test_are_those_who_write_questions(self):
        home, designer = make.project(), make.member(Role.DESIGNER)

        assert questions.author_of(project=home, mapping=self.mapping(), by=designer) == designer
        with pytest.raises(errors.NotNow, match="does not write"):
            questions.author_of(project=home, mapping=self.mapping(), by=make.member(Role.ANALYST))

    def test_name_others_only_as_curators(self):
        home, designer = make.project(), make.member(Role.DESIGNER)
        other = make.member(Role.CURATOR)

        with pytest.raises(errors.NotNow, match="owners and curators"):
            questions.author_of(project=home, mapping=self.mapping(other.username), by=designer)
        named = questions.author_of(project=home, mapping=self.mapping(designer.username), by=other)
        assert named == designer

    def test_are_asked_again_when_rows_come_in(self):
        upload = imports.questions()
        analyst = make.member(Role.ANALYST)

        with pytest.raises(errors.NotNow):
            start(upload, by=analyst)

        assert not ImportBatch.objects.exists()

    def test_an_author_must_write_here(self):
        upload = imports.take(imports.QUESTIONS, kind="QUESTIONS")
        mapping = QuestionMapping(imports.places(upload), author="nobody")

        with pytest.raises(uploading.MappingIncomplete, match="nobody"):
            uploading.set_mapping(upload=upload, mapping=mapping)
