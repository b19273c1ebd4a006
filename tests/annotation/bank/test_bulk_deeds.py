import contextlib
from datetime import date

import pytest

from annotation.bank import bulk, questions
from annotation.bank import operations as writing
from annotation.bank import questions as standing
from annotation.bank.bulk import BulkChange
from annotation.bank.models import BulkEdit, Question, QuestionChange, QuestionVersion
from annotation.bank.rules import BulkAction
from annotation.people.models import AuditEvent, Role
from evalsite import errors, queue
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def designer():
    return make.member(Role.DESIGNER)


def clock():
    return make.at(5)


def change(action=BulkAction.CHANGE, note="", meaning_same=False, **values):
    return BulkChange(action, values, note, meaning_same)


def plan(what, by, rows=None):
    home = make.project()
    return bulk.plan(
        project=home,
        change=what,
        rows=questions.newest(home) if rows is None else rows,
        by=by,
        now=make.NOW,
    )


def done(what, by):
    """Try a change out on the whole bank and carry it out; return what became of each line."""
    edit = plan(what, by)
    bulk.start(edit=edit, by=by, now=make.NOW)
    bulk.carry_on(edit_id=edit.pk, clock=clock)
    return outcomes(edit)


def outcomes(edit):
    rows = edit.lines.order_by("external_id")
    return [(one.external_id, one.fate, one.outcome) for one in rows]


def newest(external_id):
    return QuestionVersion.objects.filter(question__external_id=external_id).first()


class TestPlan:
    def test_says_what_would_become_of_each_and_writes_nothing_else(self, designer):
        other = make.member(Role.CURATOR)
        make.question_version("DRAFT", author=designer, external_id="A")
        make.question_version("DRAFT", author=other, external_id="B")
        make.question_version("SUBMITTED", author=designer, external_id="C")
        make.question_version("ACCEPTED", author=other, external_id="D")
        before = list(QuestionVersion.objects.order_by("pk").values())

        edit = plan(change(difficulty="DIFFICULT"), designer)

        assert outcomes(edit) == [
            ("A", "EDIT", "WAITING"),
            ("B", "REFUSED", "REFUSED"),
            ("C", "REFUSED", "REFUSED"),
            ("D", "REVISE", "WAITING"),
        ]
        assert "in inspection" in edit.lines.get(external_id="C").reason
        assert list(QuestionVersion.objects.order_by("pk").values()) == before

    def test_takes_the_place_of_the_one_before(self, designer):
        make.question_version("DRAFT", author=designer)
        plan(change(difficulty="DIFFICULT"), designer)

        plan(change(difficulty="INTERMEDIATE"), designer)

        assert BulkEdit.objects.get().values["difficulty"] == "INTERMEDIATE"

    @pytest.mark.parametrize(
        ("what", "field"),
        [
            (change(), "values"),
            (change(tags_added=[]), "values"),
            (change(capability_id=10**9), "capability_id"),
            (change(domain_id=10**9), "domain_id"),
            (change(difficulty="IMPOSSIBLE"), "difficulty"),
            (change(question_type="RIDDLE"), "question_type"),
            (change(valid_until="tomorrow"), "valid_until"),
            (change(tags_added=["x" * 101]), "tags_added"),
            (change(tags_added=["fine", "b\u202ead"]), "tags_added"),
            (change(tags_dropped=["x"] * 21), "tags_dropped"),
            (change(BulkAction.RETIRE, note=" "), "note"),
        ],
    )
    def test_refuses_a_change_that_cannot_be(self, designer, what, field):
        make.question_version("DRAFT", author=designer)

        with pytest.raises(errors.Incomplete) as refusal:
            plan(what, designer)

        assert list(refusal.value.fields) == [field]
        assert not BulkEdit.objects.exists()

    def test_refuses_a_capability_of_another_project(self, designer):
        make.question_version("DRAFT", author=designer)
        theirs = make.capability(in_=make.project("southgate"))

        with pytest.raises(errors.Incomplete):
            plan(change(capability_id=theirs.pk), designer)

    def test_refuses_no_question(self, designer):
        with pytest.raises(errors.Incomplete):
            plan(change(difficulty="SIMPLE"), designer)

    def test_refuses_more_than_are_edited_at_a_time(self, designer, monkeypatch):
        monkeypatch.setattr(bulk, "MOST", 1)
        for _ in range(2):
            make.question_version("DRAFT", author=designer)

        with pytest.raises(bulk.TooManyQuestions):
            plan(change(difficulty="DIFFICULT"), designer)

    def test_refuses_whoever_does_not_write(self):
        make.question_version("DRAFT")

        with pytest.raises(errors.NotNow):
            plan(change(difficulty="DIFFICULT"), make.member(Role.ANALYST))

    def test_asks_the_database_as_often_for_many_as_for_few(
        self, designer, django_assert_max_num_queries
    ):
        for _ in range(12):
            make.question_version("DRAFT", author=designer)

        with django_assert_max_num_queries(24):
            plan(change(BulkAction.SUBMIT), designer)


class TestCarryOn:
    def test_changes_a_draft_and_leaves_its_text(self, designer):
        version = make.question_version("DRAFT", author=designer, external_id="A")
        area = make.domain("Rail")

        found = done(
            change(
                domain_id=area.pk,
                difficulty="DIFFICULT",
                valid_until=date(2027, 1, 31),
                tags_added=["audit"],
            ),
            designer,
        )

        assert found == [("A", "EDIT", "DONE")]
        now = newest("A")
        assert (now.pk, now.domain_id, now.difficulty) == (version.pk, area.pk, "DIFFICULT")
        assert (now.valid_until, now.tags) == (date(2027, 1, 31), ["audit"])
        assert (now.turns, now.answer, now.key_points) == (
            version.turns,
            version.answer,
            version.key_points,
        )
        assert now.citations.count() == 1

    def test_makes_a_new_draft_of_an_accepted_one_and_keeps_the_old(self, designer):
        version = make.question_version("ACCEPTED", external_id="A")

        assert done(change(difficulty="DIFFICULT"), designer) == [("A", "REVISE", "DONE")]

        version.refresh_from_db()
        assert (version.state, version.difficulty) == ("ACCEPTED", "SIMPLE")
        made = newest("A")
        assert (made.number, made.state, made.difficulty) == (2, "DRAFT", "DIFFICULT")
        assert (made.author, made.meaning_changed) == (designer, None)

    def test_says_that_the_meaning_stays_where_a_round_has_used_it(self, designer, monkeypatch):
        version = make.question_version("ACCEPTED", external_id="A")
        monkeypatch.setattr(standing, "used_among", lambda questions: {version.question_id})

        done(change(difficulty="DIFFICULT", meaning_same=True), designer)

        assert newest("A").meaning_changed is False

    def test_hands_in_what_lacks_nothing(self, designer):
        make.question_version("DRAFT", author=designer, external_id="A")
        bare = writing.WholeDraft(turns=[{"role": "user", "content": "Why?"}])
        make.question_version("DRAFT", author=designer, external_id="B", text=bare)

        found = done(change(BulkAction.SUBMIT), designer)

        assert found == [("A", "SUBMIT", "DONE"), ("B", "REFUSED", "REFUSED")]
        assert [newest(one).state for one in "AB"] == ["SUBMITTED", "DRAFT"]

    def test_retires_with_the_reason_on_record(self):
        curator = make.member(Role.CURATOR)
        make.question_version("ACCEPTED", external_id="A")

        assert done(change(BulkAction.RETIRE, "Out of date."), curator) == [("A", "RETIRE", "DONE")]

        made = QuestionChange.objects.get()
        assert (made.new, made.reason, made.by) == ("RETIRED", "Out of date.", curator)

    def test_leaves_what_was_changed_meanwhile(self, designer):
        version = make.question_version("DRAFT", author=designer, external_id="A")
        make.question_version("DRAFT", author=designer, external_id="B")
        edit = plan(change(difficulty="DIFFICULT"), designer)
        text = make.question_text("Something new?")
        writing.save_draft(version=version, text=text, base_rev=0, by=designer, now=make.at(1))

        bulk.start(edit=edit, by=designer, now=make.at(2))
        bulk.carry_on(edit_id=edit.pk, clock=clock)

        assert outcomes(edit) == [("A", "EDIT", "STALE"), ("B", "EDIT", "DONE")]
        assert (newest("A").asked, newest("A").difficulty) == ("Something new?", "SIMPLE")
        assert "changed since" in edit.lines.get(external_id="A").reason

    def test_names_what_was_thrown_away_meanwhile(self, designer):
        version = make.question_version("DRAFT", author=designer, external_id="A")
        edit = plan(change(difficulty="DIFFICULT"), designer)
        writing.discard(version=version, by=designer, now=make.at(1))

        bulk.start(edit=edit, by=designer, now=make.at(2))
        bulk.carry_on(edit_id=edit.pk, clock=clock)

        assert outcomes(edit) == [("A", "EDIT", "STALE")]

    def test_refuses_what_is_no_longer_theirs_and_goes_on(self, designer):
        make.question_version("DRAFT", author=designer, external_id="A")
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)
        designer.memberships.update(ended_at=make.at(1))

        bulk.carry_on(edit_id=edit.pk, clock=clock)

        assert outcomes(edit) == [("A", "EDIT", "REFUSED")]
        assert newest("A").difficulty == "SIMPLE"

    def test_records_every_change(self, designer):
        make.question_version("DRAFT", author=designer, external_id="A")

        done(change(tags_added=["audit"]), designer)

        rows = AuditEvent.objects.filter(verb__contains="bulk").order_by("pk")
        assert [one.verb for one in rows] == ["bulk.started", "question.bulk_edited", "bulk.done"]
        assert rows[1].data == {"bulk": 1, "fields": ["tags"]}

    def test_goes_on_where_it_stopped(self, designer):
        for _ in range(6):
            make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)

        stopped = bulk.carry_on(edit_id=edit.pk, clock=clock, seconds=0)
        assert stopped.state == "RUNNING"
        assert 0 < edit.lines.filter(outcome="DONE").count() < 6
        finished = bulk.carry_on(edit_id=edit.pk, clock=clock)

        assert finished.state == "DONE"
        assert edit.lines.filter(outcome="DONE").count() == 6
        assert not QuestionVersion.objects.exclude(difficulty="DIFFICULT").exists()

    def test_leaves_a_line_over_which_workers_end_and_does_the_others(self, designer, monkeypatch):
        for name in "ABC":
            make.question_version("DRAFT", author=designer, external_id=name)
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)
        carry_out = bulk._settled

        def dies(edit, line, now):
            if line.external_id == "B":
                raise SystemExit
            return carry_out(edit, line, now)

        monkeypatch.setattr(bulk, "_settled", dies)
        for _worker in range(6):
            with contextlib.suppress(SystemExit):
                bulk.carry_on(edit_id=edit.pk, clock=clock)

        edit.refresh_from_db()
        assert edit.state == "DONE"
        assert outcomes(edit) == [
            ("A", "EDIT", "DONE"),
            ("B", "EDIT", "REFUSED"),
            ("C", "EDIT", "DONE"),
        ]
        assert edit.lines.get(external_id="B").reason == (
            "The worker ended over this question three times. Its log says why."
        )

    def test_leaves_a_second_worker_nothing(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)
        lines = list(edit.lines.all())
        assert bulk._carry_out(edit, lines, make.NOW)

        late = BulkEdit.objects.get(pk=edit.pk)
        late.cursor = 0

        assert not bulk._carry_out(late, lines, make.NOW)


class TestStart:
    def test_rings_for_a_worker(self, designer, django_capture_on_commit_callbacks):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)

        with django_capture_on_commit_callbacks(execute=True):
            bulk.start(edit=edit, by=designer, now=make.NOW)
        queue.burst()

        edit.refresh_from_db()
        assert edit.state == "DONE"

    def test_refuses_a_second_time(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)

        with pytest.raises(bulk.NotPlanned):
            bulk.start(edit=edit, by=designer, now=make.NOW)

    def test_refuses_somebody_else(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)

        with pytest.raises(bulk.NotPlanned):
            bulk.start(edit=edit, by=make.member(Role.CURATOR), now=make.NOW)

    def test_refuses_when_nothing_would_change(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="SIMPLE"), designer)

        with pytest.raises(bulk.NotPlanned):
            bulk.start(edit=edit, by=designer, now=make.NOW)


class TestDrop:
    def test_touches_no_question(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)

        bulk.drop(edit=edit, by=designer)

        assert not BulkEdit.objects.exists()
        assert Question.objects.count() == 1

    def test_refuses_what_was_started(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)

        with pytest.raises(bulk.NotPlanned):
            bulk.drop(edit=edit, by=designer)


class TestRingAgain:
    def test_rings_for_what_lost_its_worker(self, designer):
        make.question_version("DRAFT", author=designer)
        edit = plan(change(difficulty="DIFFICULT"), designer)
        bulk.start(edit=edit, by=designer, now=make.NOW)

        assert bulk.ring_again(make.NOW) == 0
        assert bulk.ring_again(make.at(1)) == 1
