import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.machines.classification import TooManyLabels, classify
from scoring.stats.machines.said import Rate
from scoring.stats.plain import Reason


def made(pairs, *, seed=1, resamples=300, per=1):
    true, said = [one for one, _ in pairs], [other for _, other in pairs]
    return classify(
        true, said, [at // per for at in range(len(true))], seed=seed, resamples=resamples
    )


class TestPublished:
    def test_kappa_of_two_readers_of_fifty_applications(self):
        """The usual example of Cohen's κ: 20 both yes, 15 both no, 5 and 10 apart, κ = 0.4."""
        pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10
        found = made(pairs + [("no", "no")] * 15)

        assert found.kappa.value == pytest.approx(0.4)
        assert found.accuracy.value == pytest.approx(0.7)

    def test_precision_recall_and_f1_of_three_classes(self):
        """Labels 0 1 2 0 1 2 called 0 2 1 0 0 1: precision 2/3, 0, 0; recall 1, 0, 0; F1 0.8, 0, 0."""
        found = made(list(zip("012012", "021001", strict=True)))

        by = {one.label: one for one in found.classes}
        assert [round(by[x].precision.value, 3) for x in "012"] == [0.667, 0, 0]
        assert [by[x].recall.value for x in "012"] == [1, 0, 0]
        assert [round(by[x].f1.value, 3) for x in "012"] == [0.8, 0, 0]
        assert found.macro_f1.value == pytest.approx(0.8 / 3)


class TestAlways:
    @given(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40)
    )
    def test_the_table_holds_every_part_and_accuracy_is_its_diagonal(self, pairs):
        found = made(pairs, resamples=20)

        assert sum(map(sum, found.table)) == len(pairs) == found.n
        right = sum(found.table[at][at] for at in range(len(found.table)))
        assert found.accuracy.value == pytest.approx(right / len(pairs))
        assert sum(one.n_true for one in found.classes) == len(pairs)

    @given(st.lists(st.sampled_from("abc"), min_size=2, max_size=40))
    def test_who_always_says_the_commonest_label_is_the_constant(self, true):
        commonest = classify(true, true, range(len(true)), seed=1, resamples=20).constant

        found = classify(true, [commonest] * len(true), range(len(true)), seed=1, resamples=20)

        assert found.accuracy.value == pytest.approx(found.constant_accuracy)
        assert found.macro_f1.value == pytest.approx(found.constant_macro_f1)
        assert found.kappa.value in (None, pytest.approx(0))

    def test_intervals_hold_the_value_and_come_again_with_the_seed(self):
        pairs = [("on", "on")] * 30 + [("on", "off")] * 10 + [("off", "off")] * 20

        found = made(pairs)

        assert found.kappa.low < found.kappa.value < found.kappa.high
        assert made(pairs) == found

    def test_many_parts_of_one_conversation_tell_less_than_as_many_conversations(self):
        pairs = ([("on", "on")] * 5 + [("off", "on")] * 5) * 12

        alone, together = made(pairs), made(pairs, per=5)

        def width(found):
            return found.accuracy.high - found.accuracy.low

        assert alone.accuracy.value == together.accuracy.value
        assert width(together) > 1.5 * width(alone)

    def test_a_label_nobody_of_the_people_gave_counts_against_the_machine_alone(self):
        found = made([("on", "on"), ("on", "other"), ("on", "on"), ("on", "on"), ("on", "on")])

        other = next(one for one in found.classes if one.label == "other")
        assert (other.n_true, other.recall.value, other.precision.value) == (0, None, 0)
        assert found.macro_f1.value == pytest.approx(2 * 4 / 9)


class TestRefuses:
    def test_kappa_where_all_gave_one_label(self):
        found = made([("on", "on")] * 8)

        assert found.kappa == Rate(None, reason=Reason.ONE_LEVEL)
        assert found.accuracy.value == 1

    def test_an_interval_of_one_conversation(self):
        found = made([("on", "on"), ("off", "on"), ("off", "off")], per=3)

        assert found.accuracy.low is None
        assert found.accuracy.reason is Reason.FEW_QUESTIONS

    def test_nothing(self):
        found = made([])

        assert (found.n, found.accuracy.value, found.accuracy.reason) == (0, None, Reason.NO_GRADES)
        assert (found.constant, found.constant_accuracy) == ("", None)

    def test_labels_that_are_texts(self):
        with pytest.raises(TooManyLabels, match="texts"):
            made([(f"text {n}", f"text {n}") for n in range(31)])

    def test_lists_of_different_lengths(self):
        with pytest.raises(ValueError, match="Every part"):
            classify(["a"], ["a", "b"], [1], seed=1)
