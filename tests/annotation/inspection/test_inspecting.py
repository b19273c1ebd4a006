import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.bank.checklists import Checked, ChecklistLine
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def inspect(version, by, verdict="ACCEPT", **given):
    home = version.question.project
    failed = ("correct",) if verdict == "RETURN" else ()
    given = {"checked": make.checked(home, failed=failed), "now": make.at(5), **given}
    made = inspecting.inspect(version=version, verdict=verdict, by=by, **given)
    version.refresh_from_db()
    return made


def core_version() -> models.QuestionVersion:
    core = make.domain("Core", priority="P0")
    return make.question_version("SUBMITTED", text=make.question_text(domain_id=core.pk))


@pytest.fixture
def inspector():
    return make.member(Role.INSPECTOR)


class TestInspect:
    def test_accepts_a_version_and_makes_what_raters_see(self, inspector):
        text = make.question_text(principle="Be strict.", as_of="2026-02")
        version = make.question_version("SUBMITTED", text=text)

        made = inspect(version, inspector, note="  Good. ")

        assert (version.state, version.decided_at) == ("ACCEPTED", make.at(5))
        assert (made.note, made.findings.count()) == ("Good.", 14)
        item = version.item
        assert (item.external_id, item.messages) == (version.question.external_id, version.turns)
        assert (item.reference, item.as_of) == (version.answer, "2026-02")
        assert item.extra == {"principle": "Be strict."}

    def test_returns_a_version_with_reasons_and_makes_nothing(self, inspector):
        version = make.question_version("SUBMITTED")

        made = inspect(version, inspector, "RETURN", suggestion={"answer": "Another."})

        assert version.state == "RETURNED"
        assert made.suggestion == {"answer": "Another."}
        failed = made.findings.get(outcome="FAIL")
        assert (failed.line, failed.reason, failed.field) == ("correct", "wrong", "answer")
        assert not models.Item.objects.exists()

    def test_wants_two_inspectors_in_a_core_domain(self, inspector):
        version = core_version()

        inspect(version, inspector)
        assert version.state == "SUBMITTED"
        inspect(version, make.member(Role.CURATOR))

        assert version.state == "ACCEPTED"

    def test_returns_at_the_word_of_either(self, inspector):
        version = core_version()
        inspect(version, inspector)

        inspect(version, make.member(Role.CURATOR), "RETURN")

        assert version.state == "RETURNED"

    def test_is_done_once_by_each(self, inspector):
        version = core_version()
        inspect(version, inspector)

        with pytest.raises(errors.NotNow):
            inspect(version, inspector)
        assert version.inspections.count() == 1

    def test_is_never_done_by_the_author(self):
        curator = make.member(Role.CURATOR)
        version = make.question_version("SUBMITTED", author=curator)

        with pytest.raises(errors.NotNow):
            inspect(version, curator)
        assert version.state == "SUBMITTED"

    def test_is_not_done_by_whoever_wrote_the_version_that_came_back(self, inspector):
        # Version 2 holds the words of its first author, which nobody has passed.
        curator = make.member(Role.CURATOR)
        first = make.question_version("RETURNED", author=curator)
        second = writing.revise(version=first, by=make.member(Role.DESIGNER), now=make.NOW)
        make.taken_to("SUBMITTED", second)

        with pytest.raises(errors.NotNow):
            inspect(second, curator)
        inspect(second, inspector)
        assert second.state == "ACCEPTED"

    def test_may_be_done_by_whoever_wrote_a_version_that_was_accepted(self):
        curator = make.member(Role.CURATOR)
        first = make.question_version("ACCEPTED", author=curator)
        second = writing.revise(version=first, by=make.member(Role.DESIGNER), now=make.NOW)
        make.taken_to("SUBMITTED", second)

        inspect(second, curator)

        assert second.state == "ACCEPTED"

    def test_makes_an_author_of_the_inspector_who_goes_on_with_it(self):
        curator = make.member(Role.CURATOR)
        first = make.question_version("SUBMITTED")
        inspect(first, curator, "RETURN")
        second = make.taken_to("SUBMITTED", writing.revise(version=first, by=curator, now=make.NOW))

        with pytest.raises(errors.NotNow):
            inspect(second, curator)
        with pytest.raises(errors.NotNow):
            writing.save_draft(
                version=first, text=make.question_text(), base_rev=0, by=curator, now=make.NOW
            )

    @pytest.mark.parametrize("verdict", ["", "MAYBE"])
    def test_refuses_a_verdict_that_is_none(self, inspector, verdict):
        version = make.question_version("SUBMITTED")

        with pytest.raises(errors.Incomplete):
            inspect(version, inspector, verdict)
        assert version.state == "SUBMITTED"

    def test_says_which_line_is_not_answered(self, inspector):
        version = make.question_version("SUBMITTED")

        with pytest.raises(errors.Incomplete) as refused:
            inspect(version, inspector, checked=[])

        assert len(refused.value.fields) == 14

    def test_refuses_a_checklist_that_has_moved_on(self, inspector):
        version = make.question_version("SUBMITTED")
        old = inspecting.current_checklist(project=make.project(), now=make.NOW)
        saved(ChecklistLine("new", "One line"), base=old)

        with pytest.raises(inspecting.ChecklistMoved):
            inspect(version, inspector, checklist=old)

        checked = [Checked("new", "PASS")]
        inspect(version, inspector, checked=checked)
        assert version.state == "ACCEPTED"

    def test_leaves_a_question_alone_that_is_out_of_use(self, inspector):
        version = make.question_version("SUBMITTED")
        models.Question.objects.update(state="RETIRED")

        with pytest.raises(errors.NotNow):
            inspect(version, inspector)

    def test_is_on_record(self, inspector):
        version = make.question_version("SUBMITTED")

        inspect(version, inspector, "RETURN")

        event = models.AuditEvent.objects.get(verb="question.returned")
        assert event.data["failed"] == {"correct": "wrong"}


def saved(*lines: ChecklistLine, base: models.Checklist) -> models.Checklist:
    return inspecting.save_checklist(
        project=base.project, lines=lines, base=base, by=make.member(Role.CURATOR), now=make.NOW
    )


@pytest.fixture
def checklist():
    return inspecting.current_checklist(project=make.project(), now=make.NOW)


class TestCurrentChecklist:
    def test_is_made_once_and_then_the_newest(self, checklist):
        again = inspecting.current_checklist(project=make.project(), now=make.NOW)
        newer = saved(ChecklistLine("new", "One line"), base=checklist)

        assert again == checklist
        assert inspecting.current_checklist(project=make.project(), now=make.NOW) == newer


class TestSaveChecklist:
    def test_writes_the_next_version(self, checklist):
        made = saved(ChecklistLine("new", "One line", "turns", "duplicate"), base=checklist)

        assert made.number == 2
        assert made.lines == [
            {"key": "new", "text": "One line", "field": "turns", "reason": "duplicate"}
        ]

    def test_changes_nothing_for_the_same_lines(self, checklist):
        lines = [ChecklistLine(**row) for row in checklist.lines]

        assert saved(*lines, base=checklist) == checklist

    def test_refuses_a_page_that_is_behind(self, checklist):
        saved(ChecklistLine("new", "One line"), base=checklist)

        with pytest.raises(inspecting.ChecklistMoved):
            saved(ChecklistLine("other", "Another line"), base=checklist)

    def test_says_which_line_is_wrong(self, checklist):
        with pytest.raises(inspecting.LinesInvalid) as refused:
            saved(ChecklistLine("a", ""), base=checklist)

        assert list(refused.value.fields) == ["lines.0.text"]

    @pytest.mark.parametrize("role", [Role.DESIGNER, Role.INSPECTOR, Role.ANALYST])
    def test_is_for_owners_and_curators(self, checklist, role):
        with pytest.raises(errors.NotNow):
            inspecting.save_checklist(
                project=make.project(),
                lines=[ChecklistLine("a", "A line")],
                base=checklist,
                by=make.member(role),
                now=make.NOW,
            )
