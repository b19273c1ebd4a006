import asyncio

import pytest

from scoring.kinds.suites.protocol import catalogue, conversations, evaluating, source, v1
from scoring.kinds.suites.protocol.writing import TALK
from scoring.llm.base import MachineryFailed, Reply, Role, Trouble
from scoring.protocols import untrusted

FENCE = untrusted.Fence("secret", "step")
SUITE = """
grader: judge
rubrics:
  kind: {prompt: "Kind? {completion}", choice_scores: {"YES": 1, "NO": 0}}
  why: {prompt: "Why? {context}|{tool_calls}|{conversation}", choice_scores: {"A": 1, "B": 2}}
metrics:
  rubric:
    - {name: kind, depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]}
    - {name: why, depends_on: [{name: kind, type: rubric, metric_min_value: 1}]}
"""


class Model:
    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    async def reply(self, request):
        self.asked.append(request)
        made = self.replies.pop(0)
        if isinstance(made, Exception):
            raise made
        return made if isinstance(made, Reply) else Reply(made)


def task(text=SUITE, talk=None, n_before=0):
    suite = source.read(text, catalogue.builtin())
    conversation = conversations.read(talk or TALK, n_before=n_before)
    wanted = evaluating.needed(suite.entries, [at for at, _one in suite.judged])
    _found, known = evaluating.functions(
        conversation, suite.entries, catalogue.builtin(), wanted=wanted
    )
    return v1.Task(conversation, suite.entries, suite.rubrics, known)


def judge(model, of=None):
    return asyncio.run(v1.judge(model, of or task(), fence=FENCE, seed=5))


class TestJudge:
    def test_asks_by_dependencies_of_functions_and_of_rubrics(self):
        model = Model('{"reasoning": "so", "choice": "YES"}', "B")

        found = judge(model)

        assert [(one["entry"], one["place"], one["value"]) for one in found] == [
            (0, 0, None),
            (0, 1, 1),
            (0, 2, None),
            (1, 0, None),
            (1, 1, 2),
            (1, 2, None),
        ]
        assert found[1]["text"] == "YES\nso"
        assert found[3]["reason"].startswith("“kind” has no value: “is_role")

    def test_judges_what_was_completed_and_earlier_turns_where_it_waits_for_them(self):
        waits = SUITE.replace(
            "type: rubric, metric", "type: rubric, relative_object_position: -2, metric"
        )
        waits = waits.replace("- {name: why,", "- {name: why, metric_level: Turn,")
        waits = waits.replace("- {name: kind,", "- {name: kind, metric_level: Turn,")
        said = ["Hello?", "Yes?", "Where is it?", "Here."]
        roles = ["user", "assistant"] * 2
        talk = {
            "messages": [
                {"role": role, "content": text} for role, text in zip(roles, said, strict=True)
            ]
        }
        alone, both = Model("YES"), Model("NO", "YES", "A")

        of_kind = judge(alone, task(SUITE.partition("    - {name: why")[0], talk, n_before=3))
        of_both = judge(both, task(waits, talk, n_before=3))

        assert [(one["place"], one["value"]) for one in of_kind] == [(3, 1)]
        # The answer before was judged for the other rubric to wait for, and is no finding.
        assert [(one["entry"], one["place"], one["value"]) for one in of_both] == [
            (0, 3, 1),
            (1, 3, None),
        ]
        assert [one.exchange for one in both.asked] == [1, 3]

    def test_puts_what_is_judged_between_delimiters(self):
        model = Model("YES", "A")

        judge(model)

        first, second = (one.messages[1].content for one in model.asked)
        assert f"<<<BEGIN COMPLETION {FENCE.code(Role.JUDGE, exchange=1)}>>>" in first
        assert "gate 12" in first
        assert '"name": "locate"' in second
        assert "user: Where is my truck?" in second
        assert model.asked[0].schema["properties"]["choice"]["enum"] == ["YES", "NO"]

    def test_asks_once_more_for_the_form(self):
        model = Model("Hm.", "NO")

        found = judge(model)

        assert found[1]["value"] == 0
        assert "makes none of the choices" in model.asked[1].messages[-1].content

    def test_asks_with_more_room_after_a_cut(self):
        model = Model(Reply("I think", finish="length"), "NO")

        judge(model)

        assert model.asked[1].settings.max_tokens == 3 * v1.MAX_TOKENS

    @pytest.mark.parametrize("trouble", [Trouble.TIMEOUT, Trouble.TOO_LONG, Trouble.GARBAGE])
    def test_has_no_score_where_the_judge_fails(self, trouble):
        found = judge(Model(MachineryFailed(trouble, "x")))

        assert found[1]["outcome"] == "UNSCORED"
        assert found[1]["reason"]

    def test_lets_a_wrong_key_through(self):
        with pytest.raises(MachineryFailed):
            judge(Model(MachineryFailed(Trouble.KEY, "x")))

    def test_shows_the_ends_of_a_text_without_measure(self):
        talk = {"messages": [{"role": "assistant", "content": "a" * 1_000_000}]}
        model = Model("NO")

        judge(model, task(talk=talk))

        said = model.asked[0].messages[1].content
        assert len(said) < v1.MOST_SHOWN + 2_000
        assert "800000 characters are left out here" in said


class TestRequests:
    def test_are_those_that_functions_leave(self):
        found = v1.requests(task(), fence=FENCE, seed=1)

        assert [one.part for one in found] == [
            "kind Turn 1",
            "why Turn 0",
            "why Turn 1",
            "why Turn 2",
        ]


class TestRead:
    @pytest.mark.parametrize(
        ("said", "choices", "choice"),
        [
            ("INCONSISTENT", ["CONSISTENT", "INCONSISTENT"], "INCONSISTENT"),
            ("10", [str(one) for one in range(1, 11)], "10"),
            ("NOT SURE", ["YES", "NO"], ""),
            ("0.5", ["0", "0.5", "N/A"], "0.5"),
            ("N/A", ["0", "0.5", "N/A"], "N/A"),
            ("Answer: YES because good", ["YES", "NO"], "YES"),
            ("Answer: YESTERDAY", ["YES", "NO"], ""),
            ("The answer is 1.5", ["1", "2"], ""),
            ("It is sound.\n**NO**", ["YES", "NO"], "NO"),
            ("Answer: YES. No wait, answer: NO", ["YES", "NO"], ""),
            ('{"reasoning": "{x}", "choice": "no"}', ["YES", "NO"], "NO"),
            ('{"choice": 10}', ["1", "10"], "10"),
            ('```json\n{"choice": "YES"}\n```', ["YES", "NO"], "YES"),
            ("{" * 5000, ["YES", "NO"], ""),
            ("", ["YES", "NO"], ""),
        ],
    )
    def test_takes_a_choice_that_stands_alone(self, said, choices, choice):
        assert v1.read(said, choices).choice == choice
