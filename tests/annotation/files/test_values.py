from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from annotation.files import asked
from annotation.files.asks import open_ones
from annotation.files.cells import Unfit
from annotation.files.values import CRITERION, RATER, Names, Survey, ValueReader


def surveyed(*values, told=None, part=("fluency",), **options):
    """Return what is asked of numbers in one column."""
    survey = Survey(told or {}, **options)
    for value in values:
        survey.number(part, value)
    return survey.asks({}, lambda part, number: False)


def ask_of(asks, key):
    return next(one for one in asks if one.key == key)


class TestNumbers:
    @pytest.mark.parametrize(
        ("written", "number"),
        [
            ("3", "3"),
            (3.25, "3.25"),
            (True, "1"),
            ("False", "0"),
            ("1e-3", "0.001"),
            ("４", "4"),
            ("−1", "-1"),
            ("３．５", "3.5"),
            ("85%", "0.85"),
            ("85.5 %", "0.855"),
            ("9/10", "0.9"),
            ("1/3", "0.3333"),
            ("5 - very good", "5"),
            ("5 (sehr gut)", "5"),
            ("1,234.5", "1234.5"),
            ("1.234,5", "1234.5"),
            ("1,234,567", "1234567"),
            ("1 000", "1000"),
            ("0.9999999999", "0.9999999999"),
        ],
    )
    def test_are_read_as_people_write_them(self, written, number):
        assert ValueReader().number(written) == Decimal(number)

    @pytest.mark.parametrize(
        "written", ["③", "½", "four", "1-5", "1/0", "C", "1.2.3", "4,", "5 5", "inf", "C%", "5 -"]
    )
    def test_that_are_none_are_refused(self, written):
        with pytest.raises(Unfit):
            ValueReader().number(written)

    @pytest.mark.parametrize("written", ["", "nan", "None", " n/a ", "NA", "-"])
    def test_that_are_missing_are_no_values(self, written):
        assert ValueReader().number(written) is None

    def test_that_programs_leave_open_are_no_values(self):
        assert ValueReader().number(None) is ValueReader().number(float("nan")) is None

    @pytest.mark.parametrize(
        ("written", "number"),
        [("3,5", "3.5"), ("4,0", "4"), ("2", "2"), ("3.5", "3.5"), ("1.000,5", "1000.5")],
    )
    def test_have_a_comma_where_the_file_divides_by_semicolons(self, written, number):
        assert ValueReader(decimal_comma=True).number(written) == Decimal(number)

    @pytest.mark.parametrize(
        ("told", "written", "number"),
        [
            ({"comma": "thousand"}, "1,500", "1500"),
            ({"comma": "decimal"}, "1,500", "1.5"),
            ({"percent": "number"}, "85%", "85"),
            ({"fraction": "first"}, "9/10", "9"),
            ({"letters": "yes"}, "P", "0.5"),
        ],
    )
    def test_mean_what_a_person_says(self, told, written, number):
        assert ValueReader(told).number(written) == Decimal(number)

    def test_mean_thousands_if_a_person_says_so_of_points(self):
        assert ValueReader({"point": "thousand"}, decimal_comma=True).number("1.000") == 1000
        assert ValueReader({"point": "decimal"}, decimal_comma=True).number("1.000") == 1

    def test_with_words_behind_them_may_be_refused(self):
        with pytest.raises(Unfit):
            ValueReader({"leading_number": "no"}).number("5 - very good")

    def test_that_stand_for_no_value_are_missing(self):
        values = ValueReader({"missing:-1": "missing", "missing:99": "grade"})

        assert values.number("-1") is values.number("-1.0") is None
        assert values.number("99") == 99

    def test_count_as_missing_by_the_words_of_a_person(self):
        values = ValueReader({"missing": "skipped | n/a"})

        assert values.number("Skipped") is None
        with pytest.raises(Unfit):
            values.number("nan")


class TestAsks:
    def test_what_a_comma_means(self):
        ask = ask_of(surveyed("3", "1,5"), "comma")

        assert (ask.options, ask.suggested, ask.found) == (("decimal", "thousand"), "", "1,5")
        assert open_ones([ask], {})
        assert not open_ones([ask], {"comma": "decimal"})

    def test_what_a_point_means_where_decimals_have_a_comma(self):
        asks = surveyed("3,5", "1.000", "2", decimal_comma=True)

        assert [one.key for one in asks] == ["point"]
        assert not surveyed("3,5", "0.125", "2.5", decimal_comma=True)

    @pytest.mark.parametrize(
        ("written", "key", "suggested"),
        [
            ("5 - very good", "leading_number", "yes"),
            ("85%", "percent", "share"),
            ("9/10", "fraction", "share"),
        ],
    )
    def test_what_is_only_to_be_checked(self, written, key, suggested):
        assert ask_of(surveyed("4", written, written), key).suggested == suggested

    def test_letters_only_where_all_values_are_such(self):
        assert ask_of(surveyed("C", "I", "nan", "P"), "letters").suggested == "yes"
        assert not surveyed("C", "I", "A")

    def test_letters_of_each_scorer_by_themselves(self):
        survey = Survey({})
        survey.number(("includes",), "C")
        survey.number(("overlap",), "0.5")

        assert [one.key for one in survey.asks({}, lambda *_: False)] == ["letters"]

    @pytest.mark.parametrize(
        ("values", "number"),
        [
            ((7, 9, -1, 8, -1), "-1"),
            ((4, 5, 999, 2), "999"),
            ((4, 5, 99), "99"),
            ((70, 55, 999), "999"),
            ((0.25, 0.5, -1), "-1"),
        ],
    )
    def test_whether_a_number_far_outside_is_no_value(self, values, number):
        asks = surveyed(*values)

        assert [(one.key, one.options, one.suggested) for one in asks] == [
            (f"missing:{number}", ("missing", "grade"), "")
        ]

    @pytest.mark.parametrize("values", [(70, 99, 98), (-2, -1, 1), (-1, -1), (1, 2, 3), (150, -1)])
    def test_nothing_of_numbers_that_may_be_values(self, values):
        assert not surveyed(*values)

    def test_nothing_of_numbers_that_a_known_scale_holds(self):
        survey = Survey({})
        for value in (-1, 0, 1):
            survey.number(("fluency",), value)

        assert not survey.asks({}, lambda part, number: part == ("fluency",) and number >= -1)

    def test_again_when_it_was_answered(self):
        asks = surveyed(7, 9, -1, told={"missing:-1": "missing"})

        assert [one.answer({"missing:-1": "missing"}) for one in asks] == ["missing"]

    def test_which_words_are_missing(self):
        ask = ask_of(surveyed("4", "nan", "None", "nan"), "missing")

        assert (ask.options, ask.found, ask.facts["n"]) == ((), "nan, None", "3")
        assert ask.suggested.split(" | ")[:2] == ["NA", "N/A"]

    def test_in_words(self):
        asks = surveyed("4", "nan", -1, "1,5", "85%", "9/10", "5 - good")
        asks += surveyed("1.000", decimal_comma=True) + surveyed("C")

        for one in asks:
            shown = asked.worded(one, {})
            assert shown.title
            assert "%(" not in shown.title + shown.text


class TestMoments:
    @pytest.mark.parametrize(
        ("written", "moment"),
        [
            ("2024-03-05", datetime(2024, 3, 5, tzinfo=UTC)),
            ("2024-03-05T14:33:00Z", datetime(2024, 3, 5, 14, 33, tzinfo=UTC)),
            ("2024-03-05 14:35:00 UTC", datetime(2024, 3, 5, 14, 35, tzinfo=UTC)),
            ("2024-03-05 14:35:00.250000", datetime(2024, 3, 5, 14, 35, 0, 250000, tzinfo=UTC)),
            ("2024-05-13T10:20:30.123Z", datetime(2024, 5, 13, 10, 20, 30, 123000, tzinfo=UTC)),
            ("13/3/2024 14:33", datetime(2024, 3, 13, 14, 33, tzinfo=UTC)),
            ("3/13/2024 2:33 PM", datetime(2024, 3, 13, 14, 33, tzinfo=UTC)),
            ("5.3.2024, 14:33", datetime(2024, 3, 5, 14, 33, tzinfo=UTC)),
            ("5 Mar 2024 12:05 am", datetime(2024, 3, 5, 0, 5, tzinfo=UTC)),
            ("March 5, 2024", datetime(2024, 3, 5, tzinfo=UTC)),
            ("Tue, 5 Mar 2024 14:33:10 GMT", datetime(2024, 3, 5, 14, 33, 10, tzinfo=UTC)),
            ("1709649190", datetime(2024, 3, 5, 14, 33, 10, tzinfo=UTC)),
            (1709649300.25, datetime(2024, 3, 5, 14, 35, 0, 250000, tzinfo=UTC)),
            ("1709649190000", datetime(2024, 3, 5, 14, 33, 10, tzinfo=UTC)),
        ],
    )
    def test_are_read_as_programs_and_people_write_them(self, written, moment):
        assert ValueReader().moment(written) == moment

    def test_keep_an_offset_as_people_mean_it(self):
        found = ValueReader().moment("2024/03/05 2:33:10 PM GMT+1")

        ahead = timezone(timedelta(hours=1))
        assert found == datetime(2024, 3, 5, 14, 33, 10, tzinfo=ahead)

    @pytest.mark.parametrize(
        "written", ["soon", "2024-13-05", "5 Foo 2024", "1.7", "13/13/2024", "3/5/2024 14:33 CET"]
    )
    def test_that_are_none_are_refused(self, written):
        with pytest.raises(Unfit):
            ValueReader().moment(written)

    def test_are_asked_about_where_day_and_month_may_be_either(self):
        survey = Survey({})
        survey.moment("3/5/2024 14:33")
        survey.moment("2024-03-05")

        (ask,) = survey.asks({}, lambda *_: False)
        assert (ask.key, ask.suggested, ask.options) == ("date_order", "", ("day", "month"))
        assert ValueReader({"date_order": "day"}).moment("3/5/2024").month == 5
        assert ValueReader({"date_order": "month"}).moment("3/5/2024").month == 3

    def test_are_settled_by_another_date_of_the_file(self):
        survey = Survey({})
        survey.moment("3/5/2024")
        survey.moment("13/5/2024")

        (ask,) = survey.asks({}, lambda *_: False)
        assert ask.suggested == "day"
        assert survey.taken({}, [ask])["date_order"] == "day"


class TestNearNames:
    def survey(self, *names, kind=RATER, told=None):
        found = Survey(told or {})
        for name in names:
            found.name(kind, name)
        return found

    def asked(self, survey, **known):
        return survey.asks(known, lambda *_: False)

    def test_that_differ_in_case_and_spaces_are_one_until_somebody_says_otherwise(self):
        survey = self.survey("ada", "Ada", "Ada", "bo")

        (ask,) = self.asked(survey)
        assert (ask.key, ask.options, ask.suggested) == ("same:ada", ("same", "apart"), "same")
        names = Names(survey.taken({}, [ask]))
        assert {names.of(RATER, "ada"), names.of(RATER, "Ada")} == {"Ada"}

    def test_are_several_if_a_person_says_so(self):
        told = {"same:ada": "apart"}
        survey = self.survey("ada", "Ada", told=told)
        names = Names(survey.taken({}, self.asked(survey)))

        assert [names.of(RATER, name) for name in ("ada", "Ada")] == ["ada", "Ada"]

    def test_that_differ_in_other_signs_are_asked_about(self):
        (ask,) = self.asked(self.survey("rater-1", "rater_1"))

        assert ask.suggested == ""

    def test_of_the_project_are_kept(self):
        survey = self.survey("ada", "ada")

        (ask,) = self.asked(survey, rater=["Ada"])
        taken = survey.taken({"rater": ["Ada"]}, [ask])
        assert ask.suggested == "same"
        assert Names(taken).of(RATER, "ada") == "Ada"

    def test_that_the_project_knows_apart_are_not_asked_about(self):
        assert not self.asked(self.survey("ada", "Ada"), rater=["ada", "Ada"])

    def test_of_criteria_are_asked_about_too(self):
        (ask,) = self.asked(self.survey("Fluency", "fluency ", kind=CRITERION))

        assert asked.worded(ask, {}).title == "Are “Fluency” · “fluency ” one criterion?"
