"""In every kind of round the sentence, the table and the picture say the same."""

import re

import pytest

from scoring.results import facts
from scoring.stats.claims import Certainty, Claim
from tests.scoring import reads, rounds

pytestmark = pytest.mark.django_db


def clear(system, item, rater):
    return 2 - system if (item + rater) % 4 else 2 - 2 * system


def tied(system, item, rater):
    return (item * (1 + system) + rater) % 3


def contradicting(system, item, rater):
    return 2 if (item + system) % 2 else (item + rater) % 2


def missing(system, item, rater):
    return None if system == 1 else tied(system, item, rater)


ROUNDS = {
    "clear": {"n_items": 20, "marks": clear},
    "likely": {"n_items": 12, "marks": rounds.partial},
    "open": {"n_items": 12, "marks": tied},
    "equivalent": {
        "n_items": 90,
        "marks": lambda system, item, rater: (item + rater) % 2 + (item % 30 == 15 * system),
    },
    "contradicting criteria": {
        "n_items": 16,
        "criteria": ("correct", "tone"),
        "marks": contradicting,
    },
    "one annotator": {"n_items": 12, "n_raters": 1, "marks": tied},
    "few questions": {"n_items": 3},
    "missing systems": {"n_items": 9, "systems": ("A", "B", "C"), "marks": missing},
    "many systems": {
        "n_items": 24,
        "n_raters": 5,
        "systems": tuple("ABCDEFGHIJ"),
        "capabilities": ("One", "Two", "Three"),
        "marks": lambda system, item, rater: max(0, 2 - (system + item * rater) % 5),
    },
}
#: What the title says, by how sure the least sure difference of the first one is.
WORDS = {
    Certainty.CLEAR: ("leads with", "ahead of"),
    Certainty.LIKELY: ("For these annotators",),
    Certainty.EQUAL: ("are equal within 5 points",),
    Certainty.OPEN: (
        "too close to call",
        "are level",
        "cannot be compared",
        "Too little was graded to say more",
    ),
}


def drawn(place):
    """Return where mark and whisker lie, and what is said of them."""
    text = str(place.drawing)
    ends = re.search(r'class="ci" x1="([\d.]+)%" x2="([\d.]+)%"', text)
    at = re.search(r'<svg x="([\d.]+)%"', text)
    return at and at[1], ends and ends.groups(), re.search(r'aria-label="([^"]*)"', text)[1]


@pytest.mark.parametrize("kind", ROUNDS)
@pytest.mark.parametrize("claim", Claim)
class TestTheBoard:
    def test_says_the_same_in_sentence_table_and_picture(self, kind, claim):
        board = reads.board_of(rounds.graded(**ROUNDS[kind]), claim)
        first, *others = board.places
        title = facts.title(board.result)

        gap = facts.deciding(board.result)
        assert first.name.text in title
        assert any(words in title for words in WORDS[gap.certainty])
        assert first.certainty is gap.certainty or Certainty.OPEN in (
            first.certainty,
            gap.certainty,
        )
        if gap.certainty is Certainty.CLEAR:
            assert (first.rank, first.certainty) == ("1st", Certainty.CLEAR)
            assert not any(place.rank.startswith("1st") for place in others)
        if first.certainty is Certainty.CLEAR:
            assert gap.certainty is Certainty.CLEAR

    def test_draws_what_it_writes(self, kind, claim):
        board = reads.board_of(rounds.graded(**ROUNDS[kind]), claim)

        for place in board.places:
            at, ends, label = drawn(place)
            cell = place.cell
            if cell.value is None:
                assert (at, ends) == (None, None)
                continue
            assert at == board.axis.at(float(cell.value))
            assert f"{place.name.text}: {cell.value}" in label
            assert ends == (
                None if cell.low is None else (board.axis.at(cell.low), board.axis.at(cell.high))
            )

    def test_keeps_the_order_of_systems_everywhere(self, kind, claim):
        board = reads.board_of(rounds.graded(**ROUNDS[kind]), claim)

        order = [place.name for place in board.places]
        assert board.result.names == order
        for row in board.rows:
            assert [shade.name for shade in row.shades] == order

    def test_notes_under_the_pairs_only_what_a_pair_leads_to(self, kind, claim):
        board = reads.board_of(rounds.graded(**ROUNDS[kind]), claim)

        board.rows  # noqa: B018  who leads in each part is worked out before the notes are read
        assert {pair.gap.note for pair in board.pairs} - {None} == set(
            range(1, len(board.result.gap_notes.texts) + 1)
        )

    def test_says_nothing_of_the_lead_under_five_questions(self, kind, claim):
        board = reads.board_of(rounds.graded(**ROUNDS[kind]), claim)

        for row in board.rows:
            assert row.is_few is (row.n_questions < 5)
            assert not (row.is_few and row.lead)
            assert {shade.shade for shade in row.shades} <= (
                {"few", "na"} if row.is_few else {"h0", "h1", "h2", "h3", "h4", "na"}
            )


@pytest.mark.parametrize(
    ("kind", "certainty"),
    [
        ("clear", Certainty.CLEAR),
        ("likely", Certainty.LIKELY),
        ("open", Certainty.OPEN),
        ("equivalent", Certainty.EQUAL),
    ],
)
def test_the_rounds_are_what_they_are_called(kind, certainty):
    board = reads.board_of(rounds.graded(**ROUNDS[kind]))

    assert facts.deciding(board.result).certainty is certainty
