import pytest

from annotation.common import identity
from annotation.common.identity import HitKind
from annotation.people.rules import Bank, Masks, Retention
from evalsite.records import plain


def found(text, masks, terms=()):
    return [
        (text[one.start : one.end], one.kind) for one in identity.scan(text, masks.lexicon(terms))
    ]


class TestBank:
    def test_begins_with_any_language_and_the_usual_likeness(self):
        assert Bank.read({}) == Bank((), 85)
        assert Bank().offers("tlh")

    def test_offers_what_was_named_whatever_its_capitals(self):
        bank = Bank(("de", "zh-Hans"))

        assert bank.offers("ZH-hans")
        assert bank.offers("")
        assert not bank.offers("en")

    @pytest.mark.parametrize("code", ["german", "d", "de_DE", "de-", "x" * 40, "de DE"])
    def test_refuses_what_is_no_language(self, code):
        assert code in Bank((code,)).problems()["languages"][0]

    @pytest.mark.parametrize("alike", [69, 100])
    def test_refuses_a_likeness_out_of_reach(self, alike):
        assert "from 70 to 99" in Bank(alike=alike).problems()["alike"][0]

    def test_comes_back_as_it_was_stored(self):
        bank = Bank(("de", "en"), 90)

        assert Bank.read(plain(bank)) == bank
        assert not bank.problems()


class TestMasks:
    def test_find_words_however_they_are_written(self):
        masks = Masks(words=("Harbour Mind",))

        assert found("Ask HARBOUR-MIND now", masks) == [("HARBOUR-MIND", HitKind.OWN)]

    def test_find_patterns_whatever_their_capitals(self):
        masks = Masks(patterns=(r"our \w+ desk",))

        assert found("Says Our Freight Desk.", masks) == [("Our Freight Desk", HitKind.PATTERN)]

    def test_leave_alone_what_is_spared_but_not_a_system_of_the_round(self):
        masks = Masks(spared=("Falcon LLM", "Gemini"))

        assert found("the Gemini sign", masks) == []
        assert found("the Gemini sign", masks, ["Gemini"]) == [("Gemini", HitKind.TERM)]

    def test_are_masked_at_once_only_where_that_is_approved(self):
        assert Masks(approved=True).masks_at_once(HitKind.OWN)
        assert Masks(approved=True).masks_at_once(HitKind.PATTERN)
        assert not Masks(approved=True).masks_at_once(HitKind.PUBLIC)
        assert not Masks().masks_at_once(HitKind.OWN)

    @pytest.mark.parametrize(
        ("pattern", "said"),
        [
            ("(", "no regular expression"),
            ("a*", "fits everywhere"),
            ("(a+)+$", "takes too long"),
            ("(?:a|aa)+$", "takes too long"),
            ("x" * 201, "longer than 200"),
        ],
    )
    def test_refuse_a_pattern_that_cannot_be_used(self, pattern, said):
        assert said in Masks(patterns=(pattern,)).problems()["patterns"][0]

    @pytest.mark.parametrize(
        ("word", "said"), [("A", "too short"), ("77", "too short"), ("w" * 101, "longer")]
    )
    def test_refuse_a_word_that_cannot_be_looked_for(self, word, said):
        assert said in Masks(words=(word,)).problems()["words"][0]

    def test_refuse_more_than_they_can_hold(self):
        many = tuple(f"word {n:04}x" for n in range(501))

        assert "At most 500" in Masks(words=many).problems()["words"][0]
        assert "At most 50 patterns" in Masks(patterns=many[:51]).problems()["patterns"][0]

    def test_come_back_as_they_were_stored(self):
        masks = Masks(("Harbour",), (r"our \w+",), ("Gemini",), approved=True)

        assert Masks.read(plain(masks)) == masks


class TestRetention:
    def test_keeps_everything_until_somebody_says_otherwise(self):
        assert Retention.read({}).days == {}

    def test_forgets_what_nothing_is_called(self):
        assert Retention.read({"days": {"drafts": 30, "grades": 30}}).days == {"drafts": 30}

    @pytest.mark.parametrize("n", [0, 6, 3651])
    def test_refuses_days_out_of_reach(self, n):
        assert "from 7 to 3650" in Retention({"calls": n}).problems()["calls"][0]
