import pytest

from annotation.files.mappings import ColumnTarget
from annotation.files.scores import Machine, ScoreMapping

WHO = (ColumnTarget("i", "item"), ColumnTarget("s", "system"))
WIDE = (*WHO, ColumnTarget("r", "score", rater="rouge"))
LONG = (*WHO, ColumnTarget("j", "rater"), ColumnTarget("v", "value"))
ROUGE = Machine("rouge", minimum="0", maximum="1")


def codes(places, machines=(ROUGE,), **options):
    mapping = ScoreMapping(places, machines, **options)
    return [
        (one.code, one.column or one.found) for one in mapping.faults([p.column for p in places])
    ]


class TestFaults:
    def test_has_none_for_long_and_wide_tables(self):
        assert codes(WIDE) == []
        assert codes(LONG) == []
        assert codes((*WHO, ColumnTarget("v", "value")), rater="rouge") == []

    @pytest.mark.parametrize(
        ("places", "found"),
        [
            (WIDE[1:], ("no_item_column", "")),
            ((WIDE[0], WIDE[2]), ("no_system_column", "")),
            (WHO, ("no_score_column", "")),
            ((*WHO, ColumnTarget("v", "value")), ("no_machine_column", "")),
            ((*WIDE, ColumnTarget("v", "value")), ("long_and_wide", "")),
            ((*WIDE, ColumnTarget("o", "outcome")), ("detail_in_wide_table", "")),
            ((*WIDE, ColumnTarget("r2", "score", rater="rouge")), ("score_twice", "rouge, score")),
            ((*WHO, ColumnTarget("r", "score")), ("no_rater_name", "r")),
            ((*WHO, ColumnTarget("r", "score", rater="bleu")), ("undeclared_machine", "bleu")),
            ((*WIDE, ColumnTarget("q", "question")), ("unknown_target", "q")),
        ],
    )
    def test_tells_what_is_wrong_with_the_columns(self, places, found):
        assert found in codes(places)

    @pytest.mark.parametrize(
        ("machine", "code"),
        [
            (Machine("rouge", kind="HUMAN"), "unknown_kind"),
            (Machine("rouge", minimum="2", maximum="1"), "bad_range"),
            (ROUGE, "machine_twice"),
        ],
    )
    def test_tells_what_is_wrong_with_a_machine(self, machine, code):
        assert code in [found for found, _ in codes(WIDE, (ROUGE, machine))]

    def test_tells_a_word_without_a_number(self):
        assert codes(WIDE, words={"tie": "half"}) == [("word_without_number", "tie")]


class TestStored:
    def test_comes_back_whatever_the_order_of_its_parts(self):
        one = ScoreMapping(WIDE, (ROUGE, Machine("bleu")), "2", "", {"tie": "0"})
        other = ScoreMapping(tuple(reversed(WIDE)), (Machine("bleu"), ROUGE), "2", "", {"tie": "0"})

        assert one.as_dict() == other.as_dict()
        assert ScoreMapping.from_dict(one.as_dict()).as_dict() == one.as_dict()
        assert one.column("item") == "i"

    def test_may_be_of_one_system_and_one_criterion(self):
        places = (ColumnTarget("i", "item"), ColumnTarget("v", "value"))
        whole = ScoreMapping(places, rater="gpt", system="Kestrel", criterion="depth")

        assert not whole.faults("iv")
        assert ScoreMapping.from_dict(whole.as_dict()) == whole
        assert not {"system", "criterion"} & ScoreMapping(places).as_dict().keys()

    def test_takes_columns_for_criteria_beside_a_column_of_judges(self):
        places = (
            ColumnTarget("i", "item"),
            ColumnTarget("s", "system"),
            ColumnTarget("j", "rater"),
            ColumnTarget("depth", "score", criterion="depth"),
        )
        mapping = ScoreMapping(places)

        assert not mapping.faults(["i", "s", "j", "depth"])
        assert mapping.pair_of(places[-1]) == ("", "depth")
