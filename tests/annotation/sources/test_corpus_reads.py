from datetime import timedelta

import pytest

from annotation.bank import operations as writing
from annotation.bank import questions
from annotation.bank.models import QuestionVersion
from annotation.people.models import Role
from annotation.sources import operations as sources
from annotation.sources import queries as corpus
from annotation.sources.rules import CitationMark
from tests import make

pytestmark = pytest.mark.django_db
TEXT = "Before.\n\nTwo hours are\nfree.\n\nAfter."
TODAY = make.NOW.date()


def cited(start=9, end=28, **said):
    """Return a draft that cites "Two hours are free." of a source."""
    curator = make.member(Role.CURATOR)
    version = sources.add_source(
        project=make.project(),
        about=sources.SourceAbout("Tariff"),
        said=sources.SourceSaid(text=TEXT, **said),
        by=curator,
        now=make.NOW,
    )
    text = writing.WholeDraft(cited=[writing.Cited(version.pk, "paragraph 2", start, end)])
    return writing.create_question(project=make.project(), text=text, by=curator, now=make.NOW)


def says_now(version, text):
    return sources.add_version(
        source=version.citations.get().source_version.source,
        said=sources.SourceSaid(text=text),
        by=make.member(Role.CURATOR),
        now=make.NOW,
    )


def marks(version):
    [one] = corpus.cited(list(version.citations.all()), TODAY)
    looks = {
        "stale_source": CitationMark.PAST,
        "changed_source": CitationMark.CHANGED,
        "withdrawn_source": CitationMark.WITHDRAWN,
    }
    rows = questions.newest(make.project())
    needing = {
        mark
        for look, mark in looks.items()
        if questions.needing(rows, look, user=version.author, now=make.NOW).exists()
    }
    # The list, the marks of many and the page of one say the same.
    assert set(one.marks) == needing == set(corpus.marked([version.pk], TODAY).get(version.pk, ()))
    return set(one.marks)


class TestCited:
    def test_shows_the_passage_in_its_context(self):
        [one] = corpus.cited(list(cited().citations.all()), TODAY)

        assert one.citation.quote == "Two hours are\nfree."
        assert one.excerpt.place == "Two hours are\nfree."
        assert one.excerpt.before == "Before.\n\n"
        assert (one.paragraph, one.newer) == (2, 0)

    def test_tells_nothing_of_a_source_that_is_not_seen(self):
        [one] = corpus.cited(list(cited().citations.all()), TODAY, frozenset())

        assert (one.seen, one.excerpt) == (False, None)

    def test_drops_a_passage_outside_the_text(self):
        assert cited(5, 9999).citations.get().quote == ""


class TestMarks:
    def test_are_none_while_all_is_well(self):
        assert marks(cited()) == set()

    def test_tell_of_a_date_that_has_passed(self):
        assert marks(cited(valid_until=TODAY - timedelta(days=1))) == {CitationMark.PAST}

    def test_do_not_mind_other_line_breaks_or_other_paragraphs(self):
        version = cited()
        says_now(version, "Two hours are free.\n\nSomething new.")

        assert marks(version) == set()
        assert corpus.cited(list(version.citations.all()), TODAY)[0].newer == 2

    @pytest.mark.parametrize("text", ["Before.\n\nOne hour is free.", ""])
    def test_tell_of_a_passage_that_is_gone(self, text):
        version = cited()
        says_now(version, text)

        assert marks(version) == {CitationMark.CHANGED}

    def test_tell_of_a_source_that_is_withdrawn_and_taken_back(self):
        version = cited()
        source = version.citations.get().source_version.source
        for outcome, expected in (("WITHDRAWN", {CitationMark.WITHDRAWN}), ("VERIFIED", set())):
            sources.check(
                source=source,
                number=1,
                outcome=outcome,
                how="So.",
                by=make.member(Role.CURATOR),
                now=make.NOW,
            )
            assert marks(version) == expected

    def test_go_with_the_passage_into_the_next_version(self):
        first = cited()
        rows = QuestionVersion.objects.filter(pk=first.pk)
        rows.update(state="SUBMITTED", submitted_at=make.NOW)
        rows.update(state="ACCEPTED", decided_at=make.NOW)

        second = writing.revise(version=first, by=first.author, now=make.NOW)

        assert second.citations.get().quote == "Two hours are\nfree."
