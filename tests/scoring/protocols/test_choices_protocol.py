import pytest
from hypothesis import given
from hypothesis import strategies as some

from scoring.protocols import choices
from scoring.protocols.choices import ChosenBy

FOUR = {"A": "a dock", "B": "the quay wall", "C": "a crane", "D": "none of these"}
LETTERS = dict.fromkeys("ABCD", "")


class TestRead:
    @pytest.mark.parametrize(
        ("text", "label"),
        [
            ("Answer: C", "C"),
            ("answer: c", "C"),
            ("The correct answer is (B).", "B"),
            ("The answer is **D**", "D"),
            ("Final answer: $\\boxed{A}$", "A"),
            ("I would say the best option is B, because quays are walls.", "B"),
            ("I choose option D.", "D"),
            ("Answer: A, no – the answer is B.", "B"),
            ("A", "A"),
            ("(a)", "A"),
            ("**C.** A crane", "C"),
            ("C) a crane", "C"),
            ("B\nQuays are walls.", "B"),
            ("D: none of these", "D"),
            ('{"reasoning": "A ship docks.", "answer": "B"}', "B"),
            ('```json\n{"choice": "(D)"}\n```', "D"),
            ("a crane", "C"),
            ("A crane.", "C"),
            ("It must be the quay wall, I think.", "B"),
            ("It is B without doubt", "B"),
            ("答案是C。", "C"),
            ("正确答案：B", "B"),
            ("应该选 D，因为其他都不对", "D"),
            ("选项为（A）", "A"),
            ("Ａｎｓｗｅｒ： Ｃ", "C"),
        ],
    )
    def test_finds_the_option_that_a_reply_names(self, text, label):
        assert choices.read(text, FOUR).label == label

    @pytest.mark.parametrize(
        ("text", "how"),
        [
            ("", ChosenBy.NONE),
            ("Answer", ChosenBy.NONE),
            ("A ship is moored with ropes.", ChosenBy.NONE),
            ("I cannot say. All depends.", ChosenBy.NONE),
            ("As a matter of fact, both", ChosenBy.NONE),
            ("Because cabs drive along docks", ChosenBy.NONE),
            ("Either B or C", ChosenBy.SEVERAL),
            ("a dock or a crane", ChosenBy.SEVERAL),
            ("DAB and CAD", ChosenBy.NONE),
            ("Vitamin E", ChosenBy.NONE),
        ],
    )
    def test_takes_no_letter_for_an_answer(self, text, how):
        assert choices.read(text, FOUR) == choices.LabelChoice(None, how)

    def test_prefers_what_is_stated_to_what_is_merely_written(self):
        text = "Option A is wrong and so is D. A crane lifts. So the answer is B."

        assert choices.read(text, FOUR) == choices.LabelChoice("B", ChosenBy.STATED)

    def test_does_not_take_an_option_for_a_part_of_another(self):
        options = {"A": "a crane", "B": "a crane and a dock", "C": "rope"}

        assert choices.read("it is a crane and a dock", options).label == "B"

    def test_knows_labels_of_any_kind(self):
        options = {"1": "one", "10": "ten", "2": "two"}

        assert choices.read("Answer: 10", options).label == "10"
        assert choices.read("The answer is 1.", options).label == "1"
        assert choices.read("two", options).label == "2"

    @given(some.sampled_from("ABCD"), some.sampled_from(["Answer: {}", "({})", "答案为{}", "{}."]))
    def test_reads_what_it_is_told_to_write(self, label, form):
        assert choices.read(form.format(label), LETTERS).label == label

    @given(some.text(max_size=80))
    def test_names_an_option_or_none_for_any_text(self, text):
        assert choices.read(text, FOUR).label in {None, *FOUR}

    def test_refuses_a_question_without_options(self):
        with pytest.raises(ValueError, match="options"):
            choices.read("A", {})


class TestSame:
    @pytest.mark.parametrize(
        ("one", "other", "same"),
        [
            ("The quay wall.", "the  quay wall", True),
            ("４，５", "45", True),
            ("It is the quay wall", "the quay wall", False),
            ("…", "!", False),
        ],
    )
    def test_looks_at_words_alone(self, one, other, same):
        assert choices.same(one, other) is same


class TestOrders:
    def test_begin_with_the_questions_own_and_differ(self):
        found = choices.orders(4, 6, seed=1, key="q")

        assert found[0] == (0, 1, 2, 3)
        assert len(set(found)) == 6
        assert all(sorted(one) == [0, 1, 2, 3] for one in found)

    def test_depend_on_seed_and_question_alone(self):
        assert choices.orders(4, 5, seed=1, key="q") == choices.orders(4, 5, seed=1, key="q")
        assert choices.orders(4, 5, seed=1, key="q") != choices.orders(4, 5, seed=2, key="q")
        assert choices.orders(4, 5, seed=1, key="q") != choices.orders(4, 5, seed=1, key="r")

    def test_come_again_where_there_are_too_few(self):
        assert len(choices.orders(2, 5, seed=1, key="q")) == 5

    @pytest.mark.parametrize(("n", "count"), [(1, 1), (4, 0)])
    def test_are_refused_for_less(self, n, count):
        with pytest.raises(ValueError, match="order"):
            choices.orders(n, count, seed=1, key="q")

    def test_are_put_under_the_labels(self):
        assert choices.put(["w", "x", "y"], (2, 0, 1), "ABCD") == {"A": "y", "B": "w", "C": "x"}


class TestOverOrders:
    @pytest.mark.parametrize(
        ("chosen", "expected"),
        [
            ([1, 1, 1], (1.0, True, True, 3, 0)),
            ([1, 1, 0, None], (0.5, False, True, 4, 1)),
            ([1, 0], (0.5, False, False, 2, 0)),
            ([None, None], (0.0, False, False, 2, 2)),
            ([0, 0, 1], (1 / 3, False, False, 3, 0)),
        ],
    )
    def test_has_mean_strict_and_vote(self, chosen, expected):
        assert choices.over_orders(chosen, 1) == choices.OverOrders(*expected)

    def test_refuses_no_replies(self):
        with pytest.raises(ValueError, match="replies"):
            choices.over_orders([], 1)
