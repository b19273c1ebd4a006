import itertools

import pytest

from annotation.bank import rules as bulk
from annotation.bank.rules import Act, Action, Fate, Life, Standing, Verdict, Version, Why, allows

CURATOR, DESIGNER = frozenset({"CURATOR"}), frozenset({"DESIGNER"})


def where(version="DRAFT", life="LIVE", roles=DESIGNER, author=True):
    return Standing(Life(life), Version(version), roles, author)


class TestJudge:
    @pytest.mark.parametrize(
        ("action", "at", "expected"),
        [
            ("CHANGE", where(), Verdict(Fate.EDIT)),
            ("CHANGE", where(author=False), Verdict(Fate.REFUSED, Why.NOT_THEIRS)),
            ("CHANGE", where("SUBMITTED"), Verdict(Fate.REFUSED, Why.IN_INSPECTION)),
            ("CHANGE", where("ACCEPTED", author=False), Verdict(Fate.REVISE)),
            ("CHANGE", where("RETURNED"), Verdict(Fate.REVISE)),
            (
                "CHANGE",
                where("ACCEPTED", roles=frozenset({"INSPECTOR"})),
                Verdict(Fate.REFUSED, Why.NO_ROLE),
            ),
            ("CHANGE", where(life="RETIRED"), Verdict(Fate.REFUSED, Why.OUT_OF_USE)),
            ("SUBMIT", where(), Verdict(Fate.SUBMIT)),
            ("SUBMIT", where("SUBMITTED"), Verdict(Fate.SAME)),
            ("SUBMIT", where("ACCEPTED"), Verdict(Fate.REFUSED, Why.NO_DRAFT)),
            ("SUBMIT", where(author=False), Verdict(Fate.REFUSED, Why.NOT_THEIRS)),
            ("SUBMIT", where(life="INVALIDATED"), Verdict(Fate.REFUSED, Why.OUT_OF_USE)),
            ("RETIRE", where(roles=CURATOR), Verdict(Fate.RETIRE)),
            ("RETIRE", where(), Verdict(Fate.REFUSED, Why.NO_ROLE)),
            ("RETIRE", where(life="RETIRED", roles=CURATOR), Verdict(Fate.SAME)),
            (
                "RETIRE",
                where(life="INVALIDATED", roles=CURATOR),
                Verdict(Fate.REFUSED, Why.NOT_LIVE),
            ),
        ],
    )
    def test_says_what_becomes_of_a_question(self, action, at, expected):
        assert bulk.judge(Action(action), at) == expected

    def test_leaves_alone_what_is_as_wanted(self):
        assert bulk.judge(Action.CHANGE, where(), differs=False) == Verdict(Fate.SAME)

    def test_hands_nothing_in_that_lacks_something(self):
        found = bulk.judge(Action.SUBMIT, where(), complete=False)

        assert found == Verdict(Fate.REFUSED, Why.INCOMPLETE)

    def test_never_does_what_the_rules_of_questions_forbid(self):
        needs = {
            Fate.EDIT: Act.EDIT,
            Fate.REVISE: Act.REVISE,
            Fate.SUBMIT: Act.SUBMIT,
            Fate.RETIRE: Act.RETIRE,
        }
        for action, life, version, roles, author in itertools.product(
            Action, Life, Version, (CURATOR, DESIGNER, frozenset({"ANALYST"})), (True, False)
        ):
            at = Standing(life, version, roles, author)

            found = bulk.judge(action, at)

            assert found.fate not in needs or allows(needs[found.fate], at)
            assert (found.why is not None) == (found.fate is Fate.REFUSED)


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
