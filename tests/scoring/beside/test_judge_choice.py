import pytest

from scoring.beside import options as judge_choice
from scoring.beside.options import BesideChoice, UnfitComparison


class TestChoice:
    def test_comes_back_from_what_is_stored(self):
        one = BesideChoice(
            rounds=(2, 1),
            judges=(9, 7),
            criteria={"coh": {7: "coherence", 9: "score"}},
            raters=("e*",),
            level="system",
            coefficient="kendall_b",
            criterion="coh",
            extra={"epsilon": 0.1},
        )
        stored = one.params()

        assert judge_choice.read_choice(stored).params() == stored
        assert (stored["rounds"], stored["judges"], stored["epsilon"]) == ([1, 2], [7, 9], 0.1)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"rounds": []}, "at least one round"),
            ({"judges": []}, "at least one judge"),
            ({"level": "world"}, "no level 'world'"),
            ({"coefficient": "r"}, "no coefficient 'r'"),
        ],
    )
    def test_refuses_what_cannot_be_read(self, change, words):
        with pytest.raises(UnfitComparison, match=words):
            judge_choice.read_choice({"rounds": [1], "judges": [2]} | change)


class TestMatched:
    def test_finds_what_means_the_same(self):
        found = judge_choice.matched(
            {"coh": "Coherence", "flu": "Fluency", "fact": "Facts"},
            {
                1: {"coherence": "Coherence", "fluency": "Fluency"},
                2: {"score": "Score"},
                3: {"c1": "Fluency", "c2": "Style"},
            },
        )

        assert found == {
            "coh": {1: "coherence", 2: "score"},
            "flu": {1: "fluency", 2: "score", 3: "c1"},
            "fact": {2: "score"},
        }

    def test_takes_the_equal_name_before_the_longer_one(self):
        found = judge_choice.matched({"rel": "Rel"}, {1: {"relevance": "Relevance", "rel": "Rel"}})

        assert found == {"rel": {1: "rel"}}

    def test_gives_a_single_score_to_no_labels(self):
        people = {"coh": "Coherence", "fault": "Main error", "score_text": "Score text"}

        found = judge_choice.matched(people, {1: {"score": "Score"}}, {"fault", "score_text"})

        assert found == {"coh": {1: "score"}, "fault": {}, "score_text": {1: "score"}}
