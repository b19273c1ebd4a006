import itertools

import pytest

from annotation.bank import rules as boards
from annotation.bank.rules import Act, Life, QuestionStanding, VersionState, allows
from annotation.bank.rules import BoardColumn as Column
from annotation.people.rules import DESIGNERS

CURATOR, DESIGNER = frozenset({"CURATOR"}), frozenset({"DESIGNER"})


def where(version="DRAFT", life="LIVE", roles=CURATOR, author=True, inspected=False):
    return QuestionStanding(Life(life), VersionState(version), roles, author, inspected)


class TestColumnOf:
    @pytest.mark.parametrize(
        ("life", "version", "look", "column"),
        [
            ("LIVE", "DRAFT", True, "DRAFT"),
            ("LIVE", "SUBMITTED", False, "SUBMITTED"),
            ("LIVE", "RETURNED", True, "RETURNED"),
            ("LIVE", "ACCEPTED", False, "ACCEPTED"),
            ("LIVE", "ACCEPTED", True, "LOOK"),
            ("RETIRED", "ACCEPTED", True, "RETIRED"),
            ("INVALIDATED", "DRAFT", False, "INVALIDATED"),
        ],
    )
    def test_is_one_for_every_state(self, life, version, look, column):
        assert boards.column_of(Life(life), VersionState(version), look) == column


class TestMoves:
    def test_are_what_the_rules_allow_and_nothing_else(self):
        for life, version, roles, author, inspected in itertools.product(
            Life,
            VersionState,
            (CURATOR, DESIGNER, frozenset({"ANALYST"})),
            (True, False),
            (True, False),
        ):
            one = QuestionStanding(life, version, roles, author, inspected)

            found = {move.act for move in boards.moves(one, False)}

            assert found == {act for act in boards.ACTS if allows(act, one)}

    def test_lead_to_another_column(self):
        for life, version, look in itertools.product(Life, VersionState, (True, False)):
            one = QuestionStanding(life, version, CURATOR | DESIGNERS, True)

            for move in boards.moves(one, look):
                assert move.to != boards.column_of(life, version, look)

    def test_take_a_revived_card_back_to_where_its_version_stands(self):
        [*_others, last] = boards.moves(where("ACCEPTED", "RETIRED"), True)

        assert (last.act, last.to, last.asks_why) == (Act.REVIVE, Column.LOOK, True)

    def test_ask_why_where_a_question_leaves_its_use(self):
        asked = {move.act for move in boards.moves(where(), False) if move.asks_why}

        assert asked == {Act.RETIRE, Act.INVALIDATE}
