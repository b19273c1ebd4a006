import pytest

from scoring.kinds.suites.protocol import conversations
from scoring.kinds.suites.protocol import functions as further
from scoring.kinds.suites.protocol.functions import BadArgument


def talk(*said, **details):
    messages = [
        one if isinstance(one, dict) else {"role": role, "content": one}
        for one, role in zip(said, ("user", "assistant") * 9, strict=False)
    ]
    return conversations.read({"messages": messages} | details)


class TestCountToxicWords:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("What a load of bullshit", {"profanity": 1}),
            ("I will find you.", {"threat": 1}),
            ("I’ll hurt her", {"threat": 1}),
            ("A classic assessment of Scunthorpe’s passing trade", {}),
            ("You will be sorry, IDIOT", {"threat": 1, "insult": 1}),
        ],
    )
    def test_finds_whole_words_only(self, text, found):
        assert {k: n for k, n in further.count_toxic_words(text).items() if n} == found


class TestLexicalOverlap:
    def test_compares_with_all_that_was_said_before(self):
        one = talk("gate twelve", "the gate", "twelve the")

        found = further.lexical_overlap(one.turns[2], one)

        assert (found["precision"], found["recall"]) == (1, 0.5)

    def test_compares_with_a_reference_of_the_message_or_the_conversation(self):
        beside = talk(
            "Where?", {"role": "assistant", "content": "gate 9", "reference": "at gate 9"}
        )
        above = talk("Where?", "gate 9", reference="at gate 9")

        for one in (beside, above):
            found = further.lexical_overlap(one.messages[1], one, against="reference")
            assert (found["precision"], found["recall"]) == (1, pytest.approx(2 / 3))
            pairs = further.lexical_overlap(one.turns[1], one, against="reference", n=2)
            assert (pairs["precision"], pairs["recall"]) == (1, 0.5)

    def test_has_no_value_where_there_is_nothing_to_compare_with(self):
        one = talk("Where?", "…", "gate 9")

        assert set(further.lexical_overlap(one.turns[0], one).values()) == {None}
        assert set(further.lexical_overlap(one.turns[1], one).values()) == {None}
        assert set(further.lexical_overlap(one.turns[2], one, against="reference").values()) == {
            None
        }
        assert further.lexical_overlap(one.turns[2], one)["f1"] == 0

    @pytest.mark.parametrize("given", [{"against": "the moon"}, {"n": 0}])
    def test_refuses_arguments_of_no_use(self, given):
        one = talk("a", "b")

        with pytest.raises(BadArgument):
            further.lexical_overlap(one.turns[1], one, **given)


class TestLanguage:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("Der Kran darf bei diesem Wind nicht drehen.", "de"),
            ("La grúa no puede girar con este viento.", "es"),
            ("风这么大，起重机不能转动。", "zh"),
        ],
    )
    def test_is_an_iso_code(self, text, code):
        assert further.language(text) == {code: 1}
        assert further.is_in_language(text, code=code.upper()) is True
        assert further.is_in_language(text, code="fi") is False

    @pytest.mark.parametrize("text", ["", "12 345", "ok", "🚚"])
    def test_is_none_where_it_cannot_be_told(self, text):
        assert further.language(text) == {"language": None}
        assert further.is_in_language(text) is None
