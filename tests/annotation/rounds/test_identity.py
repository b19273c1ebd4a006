import pytest

from annotation.people.models import AuditEvent
from annotation.rounds import drafting, drawing, opening
from annotation.rounds.models import IdentityHit
from tests import make

pytestmark = pytest.mark.django_db

MASK, KEEP = IdentityHit.Decision.MASK, IdentityHit.Decision.KEEP


@pytest.fixture
def draft():
    """A draft in which two responses name their systems."""
    project = make.project()
    for number, text in ((1, "Kestrel knows: ask Kestrel."), (2, "I am ChatGPT.")):
        asked = make.item(f"Q{number:02}", in_=project, question=f"What is meant by {number}?")
        make.response(asked, make.release("Kestrel"), text)
    return make.draft_round(n_items=2)


def decide(round_, **what):
    return drawing.decide(round_=round_, by=round_.created_by, now=make.NOW, **what)


def decisions(round_) -> list[tuple[str, str]]:
    return list(round_.identity_hits.order_by("term", "start").values_list("term", "decision"))


class TestDecide:
    def test_decides_by_term_or_place_by_place(self, draft):
        assert len(decisions(draft)) == 3
        place = draft.identity_hits.filter(term="Kestrel").latest("start")

        assert decide(draft, terms=["Kestrel"], decision=MASK) == 2
        assert decide(draft, hits=[place.pk], decision=KEEP) == 1

        assert [decision for term, decision in decisions(draft) if term == "Kestrel"] == [
            MASK,
            KEEP,
        ]
        assert AuditEvent.objects.latest("pk").data == {"decision": "KEEP", "n": 1}

    def test_leaves_alone_what_was_decided_before_if_told_so(self, draft):
        decide(draft, terms=["Kestrel"], decision=KEEP)

        assert decide(draft, undecided_only=True, decision=MASK) == 1
        assert {decision for _, decision in decisions(draft)} == {MASK, KEEP}

    def test_is_kept_when_the_draft_is_prepared_again(self, draft):
        decide(draft, decision=MASK)

        drawing.prepare(round_=draft, now=make.NOW)

        assert {decision for _, decision in decisions(draft)} == {MASK}

    def test_reaches_no_other_round(self, draft):
        other = make.draft_round(n_items=2)

        decide(draft, decision=MASK)

        assert {decision for _, decision in decisions(other)} == {"UNDECIDED"}

    def test_refuses_once_the_round_is_being_opened(self, draft):
        decide(draft, decision=MASK)
        opening.request_opening(round_=draft, by=draft.created_by, now=make.NOW)

        with pytest.raises(drafting.NotADraft):
            decide(draft, decision=KEEP)

        assert {decision for _, decision in decisions(draft)} == {MASK}


class TestOpening:
    def test_is_refused_while_a_place_is_undecided(self, draft):
        with pytest.raises(opening.RoundNotReady, match="mask or keep: 3"):
            opening.request_opening(round_=draft, by=draft.created_by, now=make.NOW)

    def test_covers_what_is_masked_and_shows_what_is_kept(self, draft):
        decide(draft, terms=["Kestrel"], decision=MASK)
        decide(draft, undecided_only=True, decision=KEEP)
        opening.request_opening(round_=draft, by=draft.created_by, now=make.NOW)
        opening.open_round(round_=draft, now=make.NOW)

        shown = "\n".join(
            draft.items.values_list("responses__display__text", flat=True).order_by("pk")
        )
        assert "Kestrel" not in shown
        assert "▇▇▇▇ knows: ask ▇▇▇▇." in shown
        assert "I am ChatGPT." in shown
        assert len(draft.manifest["names_left_visible"]) == 1
