import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import identity
from annotation.common.identity import HitKind

LEXICON = identity.Lexicon(["Kestrel 4", "Acme Labs", "灰隼", "A", "7", "Straße-LM"])


def found(text):
    return [(text[hit.start : hit.end], hit.kind) for hit in identity.scan(text, LEXICON)]


class TestLexicon:
    def test_says_which_terms_are_too_short_to_look_for(self):
        assert set(LEXICON.ignored) == {"A", "7"}

    def test_can_be_empty_of_own_terms(self):
        assert identity.scan("a plain text", identity.Lexicon([])) == []


class TestScan:
    @pytest.mark.parametrize(
        "name",
        [
            "Kestrel 4",
            "kestrel-4",
            "KESTREL4",
            "Kestrel_4",
            "Ｋｅｓｔｒｅｌ４",
            "𝐊𝐞𝐬𝐭𝐫𝐞𝐥 𝟒",
            "Kestrel – 4",
        ],
    )
    def test_finds_a_name_however_it_is_written(self, name):
        assert found(f"So says {name}.") == [(name, HitKind.TERM)]

    @pytest.mark.parametrize(
        "text", ["我用Kestrel4模型", "灰隼的回答", "ﬁﬁﬁ Kestrel 4", "ßßß Kestrel 4"]
    )
    def test_finds_it_beside_other_scripts_and_behind_long_signs(self, text):
        assert [kind for _, kind in found(text)] == [HitKind.TERM]
        assert found(text)[0][0] in {"Kestrel4", "灰隼", "Kestrel 4"}

    def test_finds_it_by_its_folded_letters(self):
        assert found("the STRASSE LM") == [("STRASSE LM", HitKind.TERM)]

    @pytest.mark.parametrize(
        "text", ["kestrel 45", "kestrels 4", "a kestrel", "reclaude", "claudette", "a 7", "barded"]
    )
    def test_leaves_other_words_alone(self, text):
        assert found(text) == []

    @pytest.mark.parametrize(
        "name", ["ChatGPT", "GPT-4o", "gpt4", "Claude", "通义千问", "Qwen", "文心一言"]
    )
    def test_finds_well_known_names(self, name):
        assert found(f"x {name} y") == [(name, HitKind.PUBLIC)]

    @pytest.mark.parametrize(
        "text",
        [
            "As an AI model developed by Nimbus Corp, I cannot say.",
            "I am a large language model, trained by Nimbus.",
            "I was created by the Nimbus team.",
            "I am Nimbus, an AI assistant.",
            "I'm Nimbus, your helpful virtual helper.",
            "My name is Nimbus.",
            "我是由云层公司开发的助手",
            "由云层公司训练的模型",
            "我叫小云，很高兴",
            "我是Nimbus",
        ],
    )
    def test_finds_a_system_speaking_of_itself(self, text):
        hits = identity.scan(text, LEXICON)
        masked = identity.mask(text, [(hit.start, hit.end) for hit in hits])

        assert HitKind.SELF in {hit.kind for hit in hits}
        assert not any(name in masked for name in ("Nimbus", "云层", "小云"))

    @pytest.mark.parametrize(
        "text", ["I am happy to help.", "我是说这样", "The port was built by hand."]
    )
    def test_leaves_ordinary_talk_alone(self, text):
        assert found(text) == []

    def test_gives_the_longest_of_hits_within_each_other(self):
        assert found("GPT-4o") == [("GPT-4o", HitKind.PUBLIC)]

    def test_puts_the_terms_of_the_round_before_well_known_ones(self):
        hits = identity.scan("Claude", identity.Lexicon(["claude"]))

        assert [hit.kind for hit in hits] == [HitKind.TERM]

    @given(st.text(), st.text())
    def test_gives_places_in_the_text(self, before, after):
        text = f"{before} Kestrel 4 {after}"
        hits = identity.scan(text, LEXICON)

        assert any(text[hit.start : hit.end].startswith("Kestrel 4") for hit in hits) or any(
            hit.start <= len(before) + 1 and hit.end >= len(before) + 10 for hit in hits
        )
        assert hits == sorted(hits, key=lambda hit: hit.start)


class TestMask:
    def test_covers_every_name_with_the_same_width(self):
        assert identity.mask("I am Al.", [(5, 7)]) == "I am ▇▇▇▇."
        assert identity.mask("I am Alexandrina.", [(5, 16)]) == "I am ▇▇▇▇."

    def test_joins_spans_that_touch_or_overlap(self):
        assert identity.mask("abcdef", [(3, 5), (0, 2), (2, 4)]) == "▇▇▇▇f"
        assert identity.mask("abcdef", [(0, 5), (1, 2)]) == "▇▇▇▇f"

    def test_leaves_a_text_without_spans(self):
        assert identity.mask("abc", []) == "abc"
