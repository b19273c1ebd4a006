"""What a person says of a file of choices, and how its records are read."""

from decimal import Decimal

import pytest

from annotation.files import pairs
from annotation.files.cells import FileRecord
from annotation.files.mappings import ColumnTarget
from annotation.files.pairs import ChoicesSeen, PairMapping, PairReader, choice_of
from annotation.files.values import ValueReader

COLUMNS = ("question", "system_a", "system_b", "answer_a", "answer_b", "choice", "rater")
PLACES = tuple(ColumnTarget(name, name) for name in COLUMNS)
RECORD = {
    "question": "Why?",
    "system_a": "Pine",
    "system_b": "Oak",
    "answer_a": "So.",
    "answer_b": "No.",
    "choice": "A",
    "rater": "ada",
}


def faults(places=PLACES, **said):
    given = {"round_name": "Old", "new_rubric": "Preference", **said}
    mapping = PairMapping(tuple(places), **given)
    return [one.code for one in mapping.faults([one.column for one in places])]


def without(*names):
    return [one for one in PLACES if one.column not in names]


def read(told=None, labels=None, is_machine=lambda name: False, **cells):
    mapping = PairMapping(PLACES, "Old", new_rubric="Preference")
    reader = PairReader(mapping, ValueReader(told), labels, None, is_machine)
    (row,) = reader.next([FileRecord(2, {**RECORD, **cells})])
    return row


class TestAMapping:
    def test_is_fine_with_all_that_a_choice_needs(self):
        assert faults() == []

    @pytest.mark.parametrize(
        ("left", "code", "said"),
        [
            ("system_a", "no_system_a", {"system_a": "Pine"}),
            ("system_b", "no_system_b", {"system_b": "Oak"}),
            ("rater", "no_chooser", {"rater": "ada"}),
        ],
    )
    def test_wants_what_no_column_says(self, left, code, said):
        assert faults(without(left)) == [code]
        assert faults(without(left), **said) == []

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("no_round_name", {"round_name": " "}),
            ("no_choice_rubric", {"new_rubric": ""}),
            ("no_choice_rubric", {"rubric": "preference@1"}),
            ("no_criterion_column", {"criterion": ""}),
            ("word_no_choice", {"words": {"old": "the left hand"}}),
        ],
    )
    def test_says_what_is_missing(self, code, said):
        assert faults(**said) == [code]

    def test_needs_a_choice_and_a_question(self):
        assert faults(without("choice")) == ["no_choice_column"]
        assert faults(without("question")) == ["no_item_column"]

    def test_is_the_same_when_it_is_read_again(self):
        mapping = PairMapping(PLACES, "Old", new_rubric="Preference", words={"old": "A"})

        assert PairMapping.from_dict(mapping.as_dict()) == PairMapping(
            tuple(sorted(PLACES, key=lambda one: one.column)),
            "Old",
            new_rubric="Preference",
            words={"old": "A"},
        )


class TestARecord:
    def test_says_whose_answers_and_what_was_chosen(self):
        row = read()

        assert [(one.system, one.answer.messages[0]["content"]) for one in row.sides] == [
            ("Pine", "So."),
            ("Oak", "No."),
        ]
        assert (row.value, row.rater, row.criterion, row.number) == (2, "ada", "Better", 1)

    @pytest.mark.parametrize("name", ["system_a", "system_b", "rater"])
    def test_says_which_cell_is_empty(self, name):
        row = read(**{name: ""})

        assert [(one.code, one.column) for one in row.problems] == [("empty_cell", name)]

    @pytest.mark.parametrize("written", ["sideways", 7, True, ["A"], "1.5.2"])
    def test_says_what_is_no_choice(self, written):
        row = read(choice=written)

        assert (row.value, [one.code for one in row.problems]) == (None, ["no_choice"])

    def test_is_read_by_the_words_of_a_rubric_first(self):
        assert read(choice="A", labels={"a": 4}).value == 4

    def test_of_two_systems_of_one_name_is_not_read_by_it(self):
        assert read(system_b="pine", choice="Pine").value is None

    @pytest.mark.parametrize(("said", "value"), [("systems", 4), ("sides", 2)])
    def test_whose_system_is_called_like_the_other_side_is_read_as_somebody_says(self, said, value):
        told = {pairs.NAMED: said}

        assert read(told, system_a="B", system_b="A", choice="A").value == value
        assert read(told, system_a="A", system_b="B", choice="A").value == 2
        assert read(told, labels={"a": 5}, system_a="B", system_b="A", choice="A").value == 5

    def test_by_a_machine_is_left_out_unless_somebody_says_otherwise(self):
        def is_machine(name):
            return name == "ada"

        assert read(is_machine=is_machine).is_left_out
        assert read({pairs.MACHINES: "leave_out"}, is_machine=is_machine).is_left_out
        assert not read({pairs.MACHINES: "people"}, is_machine=is_machine).is_left_out


class TestWords:
    @pytest.mark.parametrize(
        ("word", "value"),
        [
            *(("Model_A", 2), ("answer 1", 2), ("response_b", 4), ("system b is better", 4)),
            *(("tie (inconsistent)", 3), ("A更好", 2), ("B 更好", 4), ("模型B", 4), ("A好得多", 1)),
            *(("平局", 3), ("差不多", 3), ("都不好", 6), ("AB更好", None), ("好", None)),
            *(("A>B", 2), ("A<<B", 5), ("[[C]]", None), ("bothbad", 6), ("", None), ("abc", None)),
        ],
    )
    def test_mean_one_choice_or_none(self, word, value):
        assert choice_of(word) == value


class TestWhatIsAsked:
    def test_is_nothing_of_words_by_people(self):
        assert ChoicesSeen().asks({}) == []

    def test_has_no_suggestion(self):
        seen = ChoicesSeen()
        seen.machines["gpt-x"] += 2
        seen.numbers[Decimal(1)] += 1

        found = seen.asks({})

        assert [(one.key, one.suggested) for one in found] == [
            (pairs.NUMBERS, ""),
            (pairs.MACHINES, ""),
        ]

    def test_are_words_that_name_a_side_and_the_system_at_the_other(self):
        reader = PairReader(PairMapping(PLACES, "Old", new_rubric="Preference"))
        seen, survey = ChoicesSeen(), ValueReader().survey()
        crossed = {**RECORD, "system_a": "B", "system_b": "A"}
        for cells in (crossed, {**crossed, "choice": "tie"}, {**RECORD, "system_a": "A"}):
            reader.look(FileRecord(2, cells), survey, seen)

        (ask,) = seen.asks({})

        assert (ask.key, ask.suggested, ask.found) == (pairs.NAMED, "", "A")
        assert (ask.options, ask.facts["n"]) == (("systems", "sides"), "1")

    def test_offers_no_reading_where_none_has_all_numbers(self):
        seen = ChoicesSeen()
        seen.numbers[Decimal(9)] += 1

        assert seen.asks({}) == []
