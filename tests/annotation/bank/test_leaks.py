import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.bank import leaks
from annotation.bank.leaks import LeakSource


class TestFind:
    @pytest.mark.parametrize(
        ("question", "answer", "shown"),
        [
            (
                "Is it so that the BUYER bears the risk from Lagos on?",
                "The buyer bears the risk from Lagos on.",
                "the BUYER bears the risk from Lagos on",
            ),
            ("The port is Rotterdam. Which port is it?", "Rotterdam", "Rotterdam"),
            ("A pallet holds 26,400 kg. How many kg?", "26400", "26,400"),
            ("It takes 26 tonnes. How much does it take?", "26 tonnes", "26 tonnes"),
            ("提单是物权凭证。提单是什么？", "物权凭证", "物权凭证"),
            ("ＦＯＢ Hamburg applies. Which rule applies?", "FOB Hamburg", "ＦＯＢ Hamburg"),
            (
                "We know that general average shares a sacrifice made for the safety of all. What is it?",
                "General average shares a sacrifice made for the common safety of all. It is old.",
                None,
            ),
        ],
    )
    def test_shows_where_the_answer_stands(self, question, answer, shown):
        found = leaks.find([question], answer)

        assert [question[one.start : one.end] for one in found] == ([shown] if shown else [])
        assert [one.text for one in found] == ([shown] if shown else [])

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("Is there a risk? Yes or no?", "Yes"),
            ("Is no seller ever liable?", "No."),
            ("A truck holds 33 pallets of 12 kg. How many trips for 66?", "33"),
            ("What changed with Incoterms 2020?", "2020"),
            ("Which port is larger, Rotterdam or Antwerp?", "Rotterdam"),
            ("Choose:\nA. a sea waybill\nB. a bill of lading", "a bill of lading"),
            ("Who pays, the buyer?", "The buyer."),
            ("买方何时付款？", "买方"),
            ("这是提单还是海运单，也就是物权凭证？", "物权凭证"),
            (
                "What is a bill of lading?",
                "A bill of lading is a receipt and a title to the goods.",
            ),
            ("What is a pallet?", ""),
            ("", "Rotterdam"),
        ],
    )
    def test_keeps_silent_about_what_stands_there_by_chance(self, question, answer):
        assert leaks.find([question], answer) == []

    def test_finds_a_sentence_of_a_long_answer(self):
        sentence = "Detention is due if the empty comes back after the free time"
        found = leaks.find([f"Note: {sentence.lower()}. Why?"], f"No demurrage here. {sentence}.")

        assert [one.text for one in found] == [sentence.lower()]

    def test_finds_nearly_all_of_a_long_answer(self):
        answer = "the risk passes when the goods stand unloaded at the disposal of the buyer"
        question = answer.replace("the buyer", "whom") + " – is that so?"

        assert [one.source for one in leaks.find([question], answer)] == [LeakSource.ANSWER]

    def test_names_the_message_and_the_key_point(self):
        turns = ["We sell to Chile.", "Noted: external transit T1 applies.", "What applies?"]

        found = leaks.find(turns, "The holder is liable.", ["the holder", "External transit T1"])

        assert [(one.source, one.point, one.turn, one.text) for one in found] == [
            (LeakSource.POINT, 1, 1, "external transit T1")
        ]

    @given(st.lists(st.text(max_size=40), max_size=3), st.text(max_size=40))
    def test_always_gives_places_that_are_there(self, turns, answer):
        for one in leaks.find(turns, answer, [answer]):
            assert turns[one.turn][one.start : one.end] == one.text != ""
