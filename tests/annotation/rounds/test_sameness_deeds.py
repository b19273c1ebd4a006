import pytest

from annotation import models
from annotation.rounds import sameness
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    """Two wordings of one question."""
    one = make.item("Q1")
    other = make.item("Q1", question="What is a flat pallet?")
    return one, other


def tag(left, right, verdict="SAME", **more):
    given = {"project": left.project, "by": make.user("curator"), "now": make.NOW}
    return sameness.tag(left=left, right=right, verdict=verdict, **given | more)


class TestTag:
    def test_keeps_every_word_and_counts_the_last(self, pair):
        one, other = pair
        tag(one, other)
        tag(other, one, "CHANGED", note="Another thing is meant.")

        rows = models.SamenessTag.objects.all()
        assert [(row.revision, row.verdict) for row in rows] == [(1, "SAME"), (2, "CHANGED")]
        assert [row.verdict for row in rows.current()] == ["CHANGED"]
        assert models.AuditEvent.objects.filter(verb="item.tagged").count() == 2

    def test_says_nothing_twice(self, pair):
        assert tag(*pair) == tag(*pair)

    def test_of_responses_takes_those_of_one_system(self, pair):
        one, other = pair
        first = make.response(one, make.release("Kestrel"))
        second = make.response(other, make.release("Kestrel", "2"))

        made = sameness.tag(
            project=one.project,
            left=second,
            right=first,
            verdict="SAME",
            by=make.user("curator"),
            now=make.NOW,
        )

        assert (made.kind, made.left_response, made.right_response) == ("RESPONSE", first, second)
        stranger = make.response(other, make.release("Heron"))
        with pytest.raises(sameness.NotAPair, match="different systems"):
            sameness.tag(
                project=one.project,
                left=first,
                right=stranger,
                verdict="SAME",
                by=make.user("curator"),
                now=make.NOW,
            )

    def test_refuses_what_is_no_pair(self, pair):
        one, _other = pair
        with pytest.raises(sameness.NotAPair):
            tag(one, one)
        with pytest.raises(sameness.NotAPair, match="different questions"):
            tag(one, make.item("Q2"))
        with pytest.raises(sameness.NotAPair):
            tag(one, make.item("Q1", in_=make.project("southgate")))
        with pytest.raises(sameness.NotAPair):
            tag(one, make.response(one, make.release()))
        assert not models.SamenessTag.objects.exists()
