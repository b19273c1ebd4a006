from datetime import date

import pytest

from annotation.files import cells
from annotation.files.cells import Unfit


def refusal(parse, *args):
    with pytest.raises(Unfit) as unfit:
        parse(*args)
    return unfit.value.code


class TestText:
    @pytest.mark.parametrize(
        ("value", "text"),
        [("a\r\nb", "a\nb"), (None, ""), (3, "3"), (2.5, "2.5"), (True, "true")],
    )
    def test_is_one_value(self, value, text):
        assert cells.text(value) == text

    @pytest.mark.parametrize(
        ("value", "code"),
        [
            ("a\x00b", "zero_byte"),
            ("a\ud83d", "half_character"),
            (["a"], "not_one_value"),
            ("x" * (cells.MAX_TEXT + 1), "text_too_long"),
        ],
    )
    def test_refuses(self, value, code):
        assert refusal(cells.text, value) == code

    def test_refuses_a_name_that_is_too_long(self):
        assert refusal(cells.name, "x" * 201) == "name_too_long"
        assert refusal(cells.name, "Kes\u202etrel") == "unseen_sign"
        assert cells.name(" Kes \n trel ") == "Kes trel"


class TestLists:
    def test_are_read_from_lists_lines_and_bars(self):
        assert cells.points(["a", " b "]) == ["a", "b"]
        assert cells.points("- a\n• b") == ["a", "b"]
        assert cells.points("a | b") == ["a", "b"]

    @pytest.mark.parametrize(
        ("written", "texts"),
        [
            (["One.", " Two. ", ""], ["One.", "Two."]),
            ('["One.", "Two, too."]', ["One.", "Two, too."]),
            ("One. ||| Two.", ["One.", "Two."]),
            ("[sic] One.", ["[sic] One."]),
            ('["broken', ['["broken']),
            ("One.", ["One."]),
            (7, ["7"]),
        ],
    )
    def test_hold_several_texts(self, written, texts):
        assert cells.texts(written) == texts

    def test_refuse_what_is_no_text(self):
        assert refusal(cells.texts, ["One.", {"text": "Two."}]) == "not_one_value"

    def test_join_as_paragraphs(self):
        assert cells.joined(["a", "b"]) == "a\n\nb"


class TestCode:
    @pytest.mark.parametrize(
        ("word", "code"),
        [("Easy", "SIMPLE"), ("简单", "SIMPLE"), ("medium", "INTERMEDIATE"), ("困难", "DIFFICULT")],
    )
    def test_reads_difficulties(self, word, code):
        assert cells.code(word, "difficulty") == code

    def test_reads_types(self):
        assert cells.code("开放", "type") == "OPEN"
        assert cells.code(" ", "type") == ""

    def test_refuses_others(self):
        assert refusal(cells.code, "fiendish", "difficulty") == "unknown_difficulty"


class TestNumbersAndDays:
    def test_count_samples_from_one(self):
        assert cells.whole_number("3") == 3
        assert cells.whole_number(2.0) == 2

    @pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "²", "9" * 20])
    def test_refuse_other_numbers(self, value):
        assert refusal(cells.whole_number, value) == "no_whole_number"

    def test_refuse_days_that_do_not_exist(self):
        assert cells.day("2026-02-28") == "2026-02-28"
        assert cells.day("spring 2026") == "spring 2026"
        assert refusal(cells.day, "2026-02-30") == "no_such_day"


class TestDetail:
    def test_keeps_any_value(self):
        assert cells.detail({"a": [1, None]}) == {"a": [1, None]}

    def test_refuses_a_zero_byte_inside(self):
        assert refusal(cells.detail, ["a\x00"]) == "zero_byte"


class TestCalendarDay:
    @pytest.mark.parametrize("written", ["2026-03-31", "2026/3/31", "2026.03.31", "2026年3月31日"])
    def test_reads_the_usual_ways_to_write_one(self, written):
        assert cells.calendar_day(written) == date(2026, 3, 31)

    def test_is_none_for_nothing(self):
        assert cells.calendar_day(" ") is None

    @pytest.mark.parametrize(
        ("written", "code"), [("soon", "no_date"), ("2026-13-01", "no_such_day")]
    )
    def test_refuses_what_is_none(self, written, code):
        with pytest.raises(cells.Unfit) as refused:
            cells.calendar_day(written)

        assert refused.value.code == code
