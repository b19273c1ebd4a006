import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import similarity
from annotation.common.similarity import FeatureCounts, Likeness


def verdict(one, other, answer=None, bank=None):
    told = None if answer is None else [answer]
    return similarity.judge(
        similarity.read_features(one),
        [similarity.read_features(other)],
        bank or FeatureCounts(24),
        told,
    )[0]


class TestJudge:
    @pytest.mark.parametrize(
        ("one", "other", "kind"),
        [
            ("Who loads the truck?", "who loads the  truck", Likeness.SAME),
            ("ＦＯＢ 是什么？", "FOB是什么", Likeness.SAME),
            ("Name 3 risks of 20 ft boxes.", "Name 5 risks of 40 ft boxes.", Likeness.NUMBERS),
            ("Name three risks of damp.", "Name five risks of damp.", Likeness.NUMBERS),
            ("三天内可以退货吗？", "七天内可以退货吗？", Likeness.NUMBERS),
            ("Who loads the truck under FCA?", "Under FCA, who loads the truck?", Likeness.ORDER),
            (
                "What is the difference between demurrage and detention?",
                "Whats the diffrence between detention and demurrage",
                Likeness.WORDS,
            ),
            (
                "How do you calculate the volumetric weight for air freight?",
                "Please compute the volumetric weight for air freight.",
                Likeness.WORDS,
            ),
            ("什么是滞期费？", "请问滞期费是什么？", Likeness.WORDS),
            ("FOB条件下谁付运费？", "在FOB条件下，运费由谁支付？", Likeness.WORDS),
        ],
    )
    def test_points_the_same_question_out(self, one, other, kind):
        found = verdict(one, other)

        assert found.alike
        assert found.kind == kind

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("What does FOB mean?", "What does CIF mean?"),
            ("Who loads the truck under FCA?", "Who loads the truck under EXW?"),
            (
                "Explain the difference between FIFO and LIFO.",
                "Explain the difference between FIFO and FEFO.",
            ),
            (
                "Which documents does export to Chile need?",
                "Which documents does import to Chile need?",
            ),
            (
                "What is the role of the consignor under CMR?",
                "What is the role of the consignee under CMR?",
            ),
            (
                "How long is the free time for reefers in Hamburg?",
                "How long is the free time for tanks in Hamburg?",
            ),
            (
                "What are the advantages of cross-docking?",
                "What are the disadvantages of cross-docking?",
            ),
            ("什么是滞期费？", "什么是滞箱费？"),
            ("提单的作用是什么？", "海运单的作用是什么？"),
            ("出口报关需要哪些单证？", "进口报关需要哪些单证？"),
            ("FOB条件下谁付运费？", "CIF条件下谁付运费？"),
            ("", "What is a pallet?"),
        ],
    )
    def test_keeps_silent_about_another_subject_in_the_same_sentence(self, one, other):
        assert not verdict(one, other).alike
        assert not verdict(other, one).alike

    def test_sees_a_pattern_where_several_questions_are_cut_to_it(self):
        ports = ("Lagos", "Santos", "Durban", "Busan")
        asked = "Which long list of papers does the master of a deep sea vessel hand over in {}?"
        others = [similarity.read_features(asked.format(port)) for port in ports]
        edited = asked.format("Santos").replace("hand over", "present").replace("long ", "")

        new = similarity.judge(
            similarity.read_features(asked.format("Koper")), others, FeatureCounts(24)
        )
        same = similarity.judge(similarity.read_features(edited), others, FeatureCounts(24))

        assert [one.alike for one in new] == [False] * 4
        assert [one.alike for one in same] == [False, True, False, False]
        assert verdict(asked.format("Koper"), asked.format("Santos")).alike

    def test_counts_the_rarity_of_words_in_the_bank(self):
        one, other = "Who insures coffee in Koper?", "Who insures coffee in Lagos?"
        common = FeatureCounts(10_000, {"insure": 5000, "coffee": 4000, "insures": 5000})

        assert verdict(one, other, bank=common).value < verdict(one, other).value

    def test_lets_an_equal_answer_speak_for_and_another_against(self):
        one = "Name five benefits of cross-docking in food retail."
        other = "List 5 advantages of cross-docking in food retail."

        assert [verdict(one, other, answer).alike for answer in (None, 1.0, 0.1)] == [
            False,
            True,
            False,
        ]

    def test_looks_at_the_last_message_of_a_conversation_too(self):
        before = ["We sell a machine to Chile, FCA our works, Incoterms 2020.", "Noted."] * 3
        one = similarity.read_turns([*before, "Who loads the truck?"])
        other = similarity.read_turns([*before, "Which customs office clears the export?"])

        assert not similarity.judge(one, [other], FeatureCounts(24))[0].alike
        assert similarity.judge(one, [one], FeatureCounts(24))[0].kind == Likeness.SAME

    @given(st.text(max_size=60), st.text(max_size=60))
    def test_gives_a_share_for_any_two_texts(self, one, other):
        assert 0 <= verdict(one, other).value <= 1
        assert verdict(one, one).value == 1


class TestAlike:
    @pytest.mark.parametrize(
        ("one", "other", "low", "high"),
        [
            ("The buyer.", "the buyer", 1, 1),
            ("26 positions.", "33 positions.", 0, 0.5),
            ("", "", 1, 1),
            ("", "The buyer.", 0, 0),
            ("The buyer bears it.", "The seller pays for it.", 0, 0.4),
        ],
    )
    def test_compares_answers_with_their_numbers(self, one, other, low, high):
        assert low <= similarity.alike(one, other) <= high
