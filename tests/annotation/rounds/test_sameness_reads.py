import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.rounds import sameness
from tests import make
from tests.scoring import worked

pytestmark = pytest.mark.django_db


def moved(before, after):
    return sameness.movement(before, after, before.systems.get().release.system_id)


class TestMovement:
    def test_knows_what_stayed_by_content(self):
        before, after = worked.two_rounds()

        found = moved(before, after)

        assert [(one.group, one.question.by, one.response.by) for one in found.pairs] == [
            ("Q2", "content", "nobody"),
            ("Q3", "content", "content"),
            ("Q4", "content", "content"),
        ]
        assert (len(found.gone), len(found.new), found.n_open) == (1, 1, 1)

    def test_asks_no_more_for_more_questions(self, django_assert_max_num_queries):
        before, after = worked.two_rounds()

        with django_assert_max_num_queries(9):
            moved(before, after)


class TestTheAuthorsWord:
    @pytest.mark.parametrize(
        ("said", "same", "by"),
        [([False], True, "author"), ([True], False, "author"), ([False, True], False, "author")],
    )
    def test_counts_over_all_versions_between(self, said, same, by):
        first = make.question_version("ACCEPTED")
        version = first
        for changed in said:
            version = revised(version, changed)
        kept = sameness._meaning_kept([first.item, version.item])

        assert sameness._question(first.item, version.item, sameness._PairTags(0), kept) == (
            sameness.Sameness(same, by)
        )

    def test_is_missing_where_nobody_said_it(self):
        first = make.question_version("ACCEPTED")
        second = revised(first, None)
        kept = sameness._meaning_kept([first.item, second.item])

        found = sameness._question(first.item, second.item, sameness._PairTags(0), kept)

        assert found.is_open


def revised(version, changed):
    """Return the next version, accepted; its author says whether the meaning changed."""
    draft = writing.revise(version=version, by=version.author, now=make.NOW)
    text = make.question_text(f"Version {draft.number}?", meaning_changed=changed)
    draft = writing.save_draft(
        version=draft, text=text, base_rev=draft.rev, by=draft.author, now=make.NOW
    )
    done = make.taken_to("ACCEPTED", draft)
    return models.QuestionVersion.objects.get(pk=done.pk)
