import time

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation.common import reasoning
from annotation.common import texts as faces

ANSWER = '{"choice": "YES"}'
FENCED = "It looks so:\n```\n<think>\nhm\n</think>\nanswer\n```\nThat is all."


class TestSplit:
    @pytest.mark.parametrize(
        "text",
        [
            "<think>{draft}</think>{answer}",
            "<think>\n{draft}\n</think>\n\n{answer}",
            "<THINK >{draft}</think >\n{answer}",
            "<thinking>{draft}</thinking>{answer}",
            "<reasoning>{draft}</reasoning>{answer}",
            "<reflection>{draft}</reflection>{answer}",
            "<thought>{draft}</thought>{answer}",
            "<seed:think>{draft}</seed:think>{answer}",
            "[THINK]{draft}[/THINK]{answer}",
            "◁think▷{draft}◁/think▷{answer}",
            "<|begin_of_thought|>{draft}<|end_of_thought|>\n<|begin_of_solution|>{answer}<|end_of_solution|>",
            "<|START_THINKING|>{draft}<|END_THINKING|><|START_RESPONSE|>{answer}<|END_RESPONSE|>",
            "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>{answer}",
            "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final "
            "<|constrain|>json<|message|>{answer}<|return|>",
            "{draft}<|end|><|start|>assistant<|channel|>final<|message|>{answer}<|return|>",
            "analysis{draft}assistantfinal{answer}",
            "{draft}\n</think>\n\n{answer}",
            "{draft}</think>{answer}",
            "{draft}</think>\n\n{answer}",
            "{draft} </think>\n{answer}",
            "Then it must be YES, as {draft}\n</think>{answer}",
            "<reasoning>{draft}</reasoning>\n<answer>{answer}</answer>",
            "<think>{draft}</think>\n<reflection>Sure?</reflection>\n{answer}",
            "<think>{draft}</think><answer>{answer}</answer>",
            "<think>{draft}</think>{answer}\n<think>but {draft}",
            "<think>{draft} ```py\nx\n</think>\n{answer}",
            "<think>so I open with <think> and close with </think> later. {draft}</think>{answer}",
        ],
    )
    def test_keeps_what_was_thought_apart(self, text):
        draft = 'Maybe {"choice": "NO"}.'
        found = reasoning.split(text.replace("{draft}", draft).replace("{answer}", ANSWER))

        assert found.answer == ANSWER
        assert draft in found.reasoning

    @pytest.mark.parametrize(
        "text",
        ["<think>Is it A?", "<think>\nA or\nB", "[THINK]A", "<|channel|>analysis<|message|>A?"],
    )
    def test_takes_all_for_reasoning_that_has_no_end(self, text):
        assert reasoning.split(text).answer == ""

    @pytest.mark.parametrize(
        "text",
        [
            "Plain words.",
            "Use the <think> tag to begin and </think> to end.",
            "DeepSeek writes between <think> and </think>, others do not.",
            "`<think>` opens and `</think>` closes.",
            "The tag “<think>” is quoted here.",
            "<think> is a tag that opens reasoning.",
            "Write <think>...</think> first.",
            "It ends with </think>.",
            FENCED,
            "In C, a < b && c > d; cat <<EOF",
            "Dear Ms Lind,\n\nI cancel my contract because of\n<reason>\n\nKind regards",
            "Usage: refund ORDER --why <reason>\nThen press Enter to go on.",
            "<ticket><reason>Out of stock</reason><id>4</id></ticket>",
            "<ticket>\n<reason>Out of stock</reason>\n<id>4</id>\n</ticket>",
            "<reason>Out of stock</reason>\n<id>4</id>",
            "<thought>Poem</thought>",
            "\n<reasoning>\nIt has no end.",
            "My poem:\n<thought>a cloud</thought>\nThe end.",
            "<reason> and </reason> stand around it.",
            "<reason>why</reason> tags are for reasons.",
            '{"reasoning": "It leaks </think> here", "choice": "NO"}',
            '{"reasoning": "It leaks\n</think>\nhere", "choice": "NO"}',
            'So: {"reasoning": "He writes <think>I lie</think> twice", "choice": "NO"}',
            '[{"reasoning": "He writes <think>\nI lie", "choice": "NO"}]',
            '{"reasoning": "It says <|channel|>final<|message|>A"}',
            '{"reasoning": "It leaks.</think>It does", "score": 4,}',
            '{"reasoning": "It leaks.</think>It does", "score',
            '"It leaks.</think>It does"',
            "Score: 4</reason>",
            "Score: 4\n</reasoning>\n",
            "The model emits </think>\nthen the answer 4.",
            "Score: 4. It writes </think> in the middle of a sentence.",
            "The model emits <think>\nthen the answer 4.",
            "It begins with <think>secret words, which is bad. Score: 2",
        ],
    )
    def test_leaves_a_tag_alone_that_is_named_or_quoted(self, text):
        assert reasoning.split(text) == reasoning.Parted(text)

    def test_keeps_code_with_tags_that_comes_after_reasoning(self):
        assert reasoning.split(f"<think>\nHow to show it?\n</think>\n{FENCED}").answer == FENCED

    def test_leaves_nothing_of_an_empty_block(self):
        assert reasoning.split("<think>\n\n</think>\n\nHello.").answer == "Hello."

    @given(
        some.lists(
            some.sampled_from(
                ["<think>", "</think>", "`", "```\n", "\n", " and ", "A", "<|channel|>final", "[THINK]",
                 "<|message|>", "assistantfinal", "analysis", "</thinking>", "<answer>", "</answer>", " tag",
                 "<reason>", "</reason>", ". ", '{"a": "', '"}']
            ),
            max_size=14,
        ).map("".join)
    )  # fmt: skip
    def test_finds_no_more_in_what_it_left(self, text):
        left = reasoning.split(text).answer

        assert reasoning.split(left).answer == left

    @pytest.mark.parametrize(
        "piece",
        [
            "the <think> tag ",
            "<think>",
            "</think> ",
            "```x\n",
            "<think>a</think>",
            "`<|channel|>",
            '{"a":',
            '[{"a":[',
            '{"a":"\\\\"',
        ],
    )
    def test_is_quick_with_hostile_texts(self, piece):
        began = time.perf_counter()
        reasoning.split(piece * (100_000 // len(piece)) + "<think>")

        assert time.perf_counter() - began < 5


class TestOfContent:
    def test_leaves_parts_that_are_reasoning_out(self):
        content = [
            {"type": "thinking", "thinking": [{"type": "text", "text": "Is it A?"}]},
            {"type": "text", "text": "It is B."},
        ]

        assert reasoning.of_content(content) == reasoning.Parted("It is B.", "Is it A?")


class TestFaces:
    def test_show_no_reasoning_of_a_stored_response(self):
        messages = [{"role": "assistant", "content": "<think>He wants A.</think>It is B."}]

        assert faces.conversation(messages) == "It is B."

    def test_show_what_a_user_asks_as_it_is(self):
        asked = "<think>\nWhat is this?"

        assert faces.spoken({"role": "user", "content": asked}) == asked
