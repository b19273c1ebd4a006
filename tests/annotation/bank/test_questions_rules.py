import itertools

import pytest

from annotation.bank import rules as questions
from annotation.bank.rules import Act, Life, QuestionStanding, VersionState

ROLES = ("OWNER", "CURATOR", "DESIGNER", "INSPECTOR", "ANNOTATOR", "ANALYST")
WRITES = {"OWNER", "CURATOR", "DESIGNER"}
INSPECTS = {"OWNER", "CURATOR", "INSPECTOR"}
DECIDES = {"OWNER", "CURATOR"}
YES_NO = (False, True)


def standings():
    """Yield everything a person can be to a version."""
    for life, version, role, author, inspected, by_me, before in itertools.product(
        Life, VersionState, ROLES, YES_NO, YES_NO, YES_NO, YES_NO
    ):
        if inspected or not by_me:  # what I have inspected has been inspected
            yield QuestionStanding(
                life, version, frozenset({role}), author, inspected, by_me, before
            )


def role_of(where: QuestionStanding) -> str:
    (role,) = where.roles
    return role


#: The table of states and acts, once more and in other words than the rules'.
TABLE = {
    Act.EDIT: lambda w, r: r in WRITES and w.is_author and w.version == "DRAFT" and live(w),
    Act.SUBMIT: lambda w, r: r in WRITES and w.is_author and w.version == "DRAFT" and live(w),
    Act.DISCARD: lambda w, r: r in WRITES and w.is_author and w.version == "DRAFT" and live(w),
    Act.WITHDRAW: lambda w, r: (
        r in WRITES and w.is_author and w.version == "SUBMITTED" and not w.inspected and live(w)
    ),
    Act.INSPECT: lambda w, r: (
        r in INSPECTS
        and not (w.is_author or w.inspected_by_me or w.wrote_before)
        and w.version == "SUBMITTED"
        and live(w)
    ),
    Act.REVISE: lambda w, r: r in WRITES and w.version in {"ACCEPTED", "RETURNED"} and live(w),
    Act.RETIRE: lambda w, r: r in DECIDES and w.life == "LIVE",
    Act.INVALIDATE: lambda w, r: r in DECIDES and w.life in {"LIVE", "RETIRED"},
    Act.REVIVE: lambda w, r: r in DECIDES and w.life in {"RETIRED", "INVALIDATED"},
    Act.COMMENT: lambda w, r: r in WRITES | INSPECTS and w.life != "STAGED",
}


def live(where: QuestionStanding) -> bool:
    return where.life == "LIVE"


class TestAllows:
    @pytest.mark.parametrize("act", Act)
    def test_is_the_table_for_everybody_everywhere(self, act):
        wrong = [
            where
            for where in standings()
            if questions.allows(act, where) != TABLE[act](where, role_of(where))
        ]

        assert wrong == []

    def test_adds_the_rights_of_several_roles(self):
        where = QuestionStanding(
            Life.LIVE, VersionState.SUBMITTED, frozenset({"DESIGNER", "INSPECTOR"}), is_author=False
        )

        assert questions.allows(Act.INSPECT, where)

    def test_gives_nothing_without_a_role(self):
        where = QuestionStanding(Life.LIVE, VersionState.DRAFT, frozenset(), is_author=True)

        assert questions.possible(where) == frozenset()


class TestPossible:
    def test_names_what_an_author_can_do_with_a_draft(self):
        where = QuestionStanding(
            Life.LIVE, VersionState.DRAFT, frozenset({"DESIGNER"}), is_author=True
        )

        assert questions.possible(where) == {Act.EDIT, Act.SUBMIT, Act.DISCARD, Act.COMMENT}


class TestWantedInspections:
    @pytest.mark.parametrize(
        ("priority", "wanted"), [("P0", 2), ("P1", 1), ("P2", 1), ("P3", 1), (None, 1)]
    )
    def test_are_two_in_a_core_domain(self, priority, wanted):
        assert questions.wanted_inspections(priority) == wanted


COMPLETE = {
    "turns": [{"role": "user", "content": "What is it?"}],
    "answer": "A base.",
    "capability": 1,
    "difficulty": "SIMPLE",
    "n_citations": 1,
    "asks_meaning": False,
    "meaning_changed": None,
}


class TestProblems:
    def test_are_none_where_nothing_is_missing(self):
        assert questions.problems(**COMPLETE) == {}

    @pytest.mark.parametrize(
        ("lacking", "field"),
        [
            ({"turns": []}, "turns"),
            ({"answer": "\n"}, "answer"),
            ({"capability": None}, "capability"),
            ({"difficulty": ""}, "difficulty"),
            ({"n_citations": 0}, "sources"),
            ({"asks_meaning": True}, "meaning_changed"),
        ],
    )
    def test_name_what_is_missing(self, lacking, field):
        assert list(questions.problems(**{**COMPLETE, **lacking})) == [field]

    @pytest.mark.parametrize("said", YES_NO)
    def test_take_any_word_on_the_meaning(self, said):
        given = {**COMPLETE, "asks_meaning": True, "meaning_changed": said}

        assert questions.problems(**given) == {}


def turn(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


class TestTurnProblems:
    @pytest.mark.parametrize(
        ("turns", "problem"),
        [
            ([], "Write the question."),
            ([turn("user", "")], "Write the question."),
            ([turn("user", None)], "Write the question."),
            ([turn("user", "a"), turn("assistant", " "), turn("user", "b")], "Turn 2 is empty."),
            ([turn("user", "a"), turn("assistant", "b")], "The last turn is the user's"),
            ([turn("user", "a")] * 41, "at most 40 turns"),
        ],
    )
    def test_say_what_is_wrong(self, turns, problem):
        (said,) = questions.turn_problems(turns)["turns"]

        assert problem in said

    def test_are_none_for_a_conversation_that_ends_with_a_question(self):
        turns = [turn("system", "Be brief."), turn("user", "a"), turn("assistant", "b")]

        assert questions.turn_problems([*turns, turn("user", "c")]) == {}
