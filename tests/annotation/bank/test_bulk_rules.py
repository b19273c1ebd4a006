import itertools

import pytest

from annotation.bank import rules as bulk
from annotation.bank.rules import (
    Act,
    BulkAction,
    BulkFate,
    BulkVerdict,
    Life,
    QuestionStanding,
    VersionState,
    WhyNot,
    allows,
)

CURATOR, DESIGNER = frozenset({"CURATOR"}), frozenset({"DESIGNER"})


def where(version="DRAFT", life="LIVE", roles=DESIGNER, author=True):
    return QuestionStanding(Life(life), VersionState(version), roles, author)


class TestJudge:
    @pytest.mark.parametrize(
        ("action", "at", "expected"),
        [
            ("CHANGE", where(), BulkVerdict(BulkFate.EDIT)),
            ("CHANGE", where(author=False), BulkVerdict(BulkFate.REFUSED, WhyNot.NOT_THEIRS)),
            ("CHANGE", where("SUBMITTED"), BulkVerdict(BulkFate.REFUSED, WhyNot.IN_INSPECTION)),
            ("CHANGE", where("ACCEPTED", author=False), BulkVerdict(BulkFate.REVISE)),
            ("CHANGE", where("RETURNED"), BulkVerdict(BulkFate.REVISE)),
            (
                "CHANGE",
                where("ACCEPTED", roles=frozenset({"INSPECTOR"})),
                BulkVerdict(BulkFate.REFUSED, WhyNot.NO_ROLE),
            ),
            ("CHANGE", where(life="RETIRED"), BulkVerdict(BulkFate.REFUSED, WhyNot.OUT_OF_USE)),
            ("SUBMIT", where(), BulkVerdict(BulkFate.SUBMIT)),
            ("SUBMIT", where("SUBMITTED"), BulkVerdict(BulkFate.SAME)),
            ("SUBMIT", where("ACCEPTED"), BulkVerdict(BulkFate.REFUSED, WhyNot.NO_DRAFT)),
            ("SUBMIT", where(author=False), BulkVerdict(BulkFate.REFUSED, WhyNot.NOT_THEIRS)),
            ("SUBMIT", where(life="INVALIDATED"), BulkVerdict(BulkFate.REFUSED, WhyNot.OUT_OF_USE)),
            ("RETIRE", where(roles=CURATOR), BulkVerdict(BulkFate.RETIRE)),
            ("RETIRE", where(), BulkVerdict(BulkFate.REFUSED, WhyNot.NO_ROLE)),
            ("RETIRE", where(life="RETIRED", roles=CURATOR), BulkVerdict(BulkFate.SAME)),
            (
                "RETIRE",
                where(life="INVALIDATED", roles=CURATOR),
                BulkVerdict(BulkFate.REFUSED, WhyNot.NOT_LIVE),
            ),
        ],
    )
    def test_says_what_becomes_of_a_question(self, action, at, expected):
        assert bulk.judge(BulkAction(action), at) == expected

    def test_leaves_alone_what_is_as_wanted(self):
        assert bulk.judge(BulkAction.CHANGE, where(), differs=False) == BulkVerdict(BulkFate.SAME)

    def test_hands_nothing_in_that_lacks_something(self):
        found = bulk.judge(BulkAction.SUBMIT, where(), complete=False)

        assert found == BulkVerdict(BulkFate.REFUSED, WhyNot.INCOMPLETE)

    def test_never_does_what_the_rules_of_questions_forbid(self):
        needs = {
            BulkFate.EDIT: Act.EDIT,
            BulkFate.REVISE: Act.REVISE,
            BulkFate.SUBMIT: Act.SUBMIT,
            BulkFate.RETIRE: Act.RETIRE,
        }
        for action, life, version, roles, author in itertools.product(
            BulkAction,
            Life,
            VersionState,
            (CURATOR, DESIGNER, frozenset({"ANALYST"})),
            (True, False),
        ):
            at = QuestionStanding(life, version, roles, author)

            found = bulk.judge(action, at)

            assert found.fate not in needs or allows(needs[found.fate], at)
            assert (found.why is not None) == (found.fate is BulkFate.REFUSED)


class TestChanged:
    OLD = {
        "capability_id": 1,
        "domain_id": 2,
        "difficulty": "SIMPLE",
        "question_type": "",
        "valid_until": None,
        "tags": ["a", "b"],
    }

    def test_holds_only_what_becomes_another(self):
        found = bulk.changed(self.OLD, {"capability_id": 1, "difficulty": "DIFFICULT"})

        assert found == {"difficulty": "DIFFICULT"}

    def test_clears(self):
        assert bulk.changed(self.OLD, {"domain_id": None}) == {"domain_id": None}

    def test_adds_and_drops_tags(self):
        found = bulk.changed(self.OLD, {"tags_added": ["c", "b"], "tags_dropped": ["a"]})

        assert found == {"tags": ["b", "c"]}

    def test_is_nothing_where_tags_stay(self):
        assert bulk.changed(self.OLD, {"tags_added": ["b"], "tags_dropped": ["x"]}) == {}


class TestRetagged:
    def test_lets_an_added_tag_win_over_a_dropped_one(self):
        assert bulk.retagged(["a"], ["a"], ["a"]) == ["a"]
