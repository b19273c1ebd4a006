import pytest

from annotation import models
from annotation.bank import operations as bank
from annotation.bank.rules import Act
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def change(question, act, by=None, reason="It is out of date."):
    by = by or make.member(Role.CURATOR)
    made = bank.change_life(question=question, act=act, reason=reason, by=by, now=make.NOW)
    question.refresh_from_db()
    return made


class TestChangeLife:
    @pytest.mark.parametrize(
        ("acts", "state"),
        [
            ([Act.RETIRE], "RETIRED"),
            ([Act.INVALIDATE], "INVALIDATED"),
            ([Act.RETIRE, Act.INVALIDATE], "INVALIDATED"),
            ([Act.RETIRE, Act.REVIVE], "LIVE"),
            ([Act.INVALIDATE, Act.REVIVE], "LIVE"),
        ],
    )
    def test_takes_out_of_use_and_back_and_keeps_every_step(self, acts, state):
        question = make.question_version().question

        for act in acts:
            change(question, act)

        assert question.state == state
        assert question.changes.count() == len(acts)

    @pytest.mark.parametrize("act", [Act.RETIRE, Act.INVALIDATE])
    def test_keeps_what_is_out_of_use_from_being_drawn(self, act):
        version = make.question_version()

        change(version.question, act)

        assert not models.QuestionVersion.objects.drawable().exists()
        assert models.Item.objects.filter(question_version=version).exists()

    def test_refuses_what_the_state_does_not_allow(self):
        question = make.question_version().question

        with pytest.raises(errors.NotNow):
            change(question, Act.REVIVE)

    @pytest.mark.parametrize("role", [Role.DESIGNER, Role.INSPECTOR, Role.ANALYST])
    def test_is_for_owners_and_curators(self, role):
        question = make.question_version().question

        with pytest.raises(errors.NotNow):
            change(question, Act.RETIRE, by=make.member(role))
        assert question.changes.count() == 0

    def test_wants_a_reason(self):
        question = make.question_version().question

        with pytest.raises(errors.Incomplete) as refused:
            change(question, Act.RETIRE, reason="  ")

        assert list(refused.value.fields) == ["reason"]


def say(question, text="Is this so?", by=None, **given):
    by = by or make.member(Role.DESIGNER)
    return bank.comment(question=question, text=text, by=by, now=make.NOW, **given)


class TestComment:
    @pytest.mark.parametrize("role", [Role.CURATOR, Role.DESIGNER, Role.INSPECTOR])
    def test_is_for_everybody_of_the_bank(self, role):
        version = make.question_version()

        made = say(version.question, by=make.member(role), version=version, field="answer")

        assert (made.version, made.field) == (version, "answer")

    def test_is_for_nobody_else(self):
        with pytest.raises(errors.NotNow):
            say(make.question_version().question, by=make.member(Role.ANALYST))

    @pytest.mark.parametrize(("text", "field"), [(" ", ""), ("Hm.", "author")])
    def test_refuses_what_says_nothing_or_is_nowhere(self, text, field):
        with pytest.raises(errors.Incomplete):
            say(make.question_version().question, text, field=field)

    def test_refuses_a_version_of_another_question(self):
        with pytest.raises(errors.NotNow):
            say(make.question_version().question, version=make.question_version())

    def test_outlives_a_draft_that_is_thrown_away(self):
        first = make.question_version()
        draft = bank.revise(version=first, by=first.author, now=make.NOW)
        made = say(first.question, version=draft)

        bank.discard(version=draft, by=first.author, now=make.NOW)

        made.refresh_from_db()
        assert (made.version, made.question) == (None, first.question)
