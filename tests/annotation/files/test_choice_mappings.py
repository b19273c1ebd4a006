import pytest

from annotation.files import choices as choice_mappings
from annotation.files.choices import ChoiceKind, ChoiceMapping
from annotation.files.look.layouts import FileColumn, Layout
from annotation.files.mappings import ColumnTarget

PLACES = (
    ColumnTarget("ask", "question"),
    ColumnTarget("one", "option"),
    ColumnTarget("two", "option"),
    ColumnTarget("right", "right"),
)
NAMES = [one.column for one in PLACES]


def layout(*names):
    return Layout("csv", columns=tuple(FileColumn(name) for name in names))


def codes(mapping, columns=NAMES):
    return [problem.code for problem in mapping.faults(columns)]


class TestPublished:
    def test_knows_layouts_whose_columns_need_no_naming(self):
        assert (
            choice_mappings.published(layout("id", "question.stem", "answerKey")) == ChoiceKind.ARC
        )

    @pytest.mark.parametrize(
        "names", [("question", "A", "B", "answer"), ("ask", "one", "two", "right")]
    )
    def test_leaves_tables_with_headings_to_their_columns(self, names):
        assert choice_mappings.published(layout(*names)) is None


class TestChoiceMapping:
    def test_is_the_same_after_it_was_stored(self):
        mapping = ChoiceMapping(PLACES, dataset="Quay", subject="ships")

        assert ChoiceMapping.from_dict(mapping.as_dict()) == mapping

    def test_keeps_the_order_of_options_whose_names_are_not_in_the_order_of_the_alphabet(self):
        places = (
            PLACES[0],
            *(ColumnTarget(f"Option {n}", "option") for n in (1, 2, 10)),
            PLACES[3],
        )

        assert ChoiceMapping.from_dict(ChoiceMapping(places).as_dict()).places == places

    def test_finds_nothing_wrong_with_what_can_be_read(self):
        assert codes(ChoiceMapping(PLACES, dataset="Quay")) == []
        assert codes(ChoiceMapping(layout="ARC", dataset="ARC"), ["id", "answerKey"]) == []

    @pytest.mark.parametrize(
        ("mapping", "code"),
        [
            (ChoiceMapping(PLACES, dataset=" "), "no_dataset"),
            (ChoiceMapping(PLACES, dataset="x" * 121), "long_dataset"),
            (ChoiceMapping(PLACES, "TREC", "Quay"), "unknown_layout"),
            (ChoiceMapping(PLACES[1:], dataset="Quay"), "no_choice_question_column"),
            (ChoiceMapping((PLACES[0], PLACES[1], PLACES[3])), "too_few_option_columns"),
            (ChoiceMapping(PLACES[:3], dataset="Quay"), "no_right_column"),
            (ChoiceMapping(PLACES[:3], dataset="Quay"), "column_without_target"),
        ],
    )
    def test_says_why_it_cannot_be_used(self, mapping, code):
        assert code in codes(mapping)
