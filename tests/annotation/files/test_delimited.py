import pytest

from annotation.files.cells import BadFile
from annotation.files.look import tables as delimited
from annotation.files.look.encodings import DecodedLines
from tests.files import looked_at


def read(text, delimiter=","):
    lines = delimited.lines_of(DecodedLines([text.encode()], "utf-8"), delimiter)
    return list(delimited.records(lines, delimited.TableHead()))


def codes(text):
    return [(one.line, problem.code) for one in read(text) for problem in one.problems]


class TestRead:
    def test_counts_the_lines_of_texts_with_line_breaks(self):
        rows = read('a,b\n1,"two\nlines"\n\n3,4\n')

        assert [(row.line, dict(row.cells)) for row in rows] == [
            (2, {"a": "1", "b": "two\nlines"}),
            (5, {"a": "3", "b": "4"}),
        ]

    def test_tells_rows_that_are_too_long_or_too_short(self):
        assert codes("a,b\n1\n1,2,3\n1,2,,\n") == [(2, "too_few_cells"), (3, "too_many_cells")]

    def test_tells_a_row_that_is_no_text(self):
        lines = DecodedLines([b"a,b\n1,\xff\n2,3\n"], "utf-8")
        rows = list(delimited.records(delimited.lines_of(lines, ","), delimited.TableHead()))

        assert [[problem.code for problem in row.problems] for row in rows] == [["undecodable"], []]

    def test_refuses_two_columns_of_one_name(self):
        with pytest.raises(BadFile, match="duplicate_header"):
            read("a,a\n1,2\n")

    def test_refuses_a_thousand_columns_and_one(self):
        with pytest.raises(BadFile, match="too_many_columns"):
            read(",".join(map(str, range(1001))) + "\n")

    @pytest.mark.parametrize("text", ['a,b\n1,"open\n2,3\n', 'a,b\n1,"x"y\n2,3\n'])
    def test_stops_at_a_quotation_mark_out_of_place(self, text):
        with pytest.raises(BadFile, match="broken_quotes") as stop:
            read(text)

        assert stop.value.problem.line == 2

    def test_stops_in_a_cell_without_end(self):
        text = 'a,b\n1,"' + "x" * 1000 + "\n" + ("y" * 100_000 + "\n") * 90

        with pytest.raises(BadFile, match="cell_too_long"):
            read(text)

    def test_refuses_a_file_without_rows(self):
        with pytest.raises(BadFile, match="no_rows"):
            read("\n\n")

    def test_names_columns_without_a_name(self):
        assert dict(read("a,\n1,2\n")[0].cells) == {"a": "1", "column 2": "2"}


class TestDelimiter:
    @pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
    def test_is_found(self, sign):
        lines = [f"id{sign}question\n", f"1{sign}Where, and when?\n"]

        assert delimited.delimiter_of(lines) == sign

    def test_is_a_comma_in_a_single_column(self):
        assert delimited.delimiter_of(["question\n", "What?\n"]) == ","


class TestSigns:
    @pytest.mark.parametrize("sign", ["^", "~"])
    def test_that_are_seldom_divide_where_they_do_so_evenly(self, sign):
        text = "id,system,response\nQ1,Owl,A wall; or so\nQ2,Owl,A crane\n".replace(",", sign)
        layout, rows = looked_at(text.encode(), "a.csv")

        assert layout.delimiter == sign
        assert rows[0] == {"id": "Q1", "system": "Owl", "response": "A wall; or so"}

    def test_within_texts_divide_nothing(self):
        layout, _rows = looked_at(b"id,response\nQ1,~3 ^ 4\nQ2,~5 ^ 6\n", "a.csv")

        assert layout.delimiter == ","

    def test_of_markdown_are_read_below_a_text_with_strokes_in_cells(self):
        text = "Results:\n\n| id | response |\n|----|:------:|\n| Q1 | A crane \\| a rope |\n"
        _layout, rows = looked_at(text.encode(), "a.md")

        assert rows == [{"id": "Q1", "response": "A crane | a rope"}]

    def test_of_markdown_may_be_left_out_at_both_ends(self):
        _layout, rows = looked_at(b"id | response\n---|---\nQ1 | A crane\nQ2 | -\n", "a.md")

        assert [one["response"] for one in rows] == ["A crane", "-"]

    def test_of_quotations_may_have_a_backslash_before_them(self):
        text = 'id,response\nQ1,"He said \\"hi\\", twice"\nQ2,"C:\\new"\n'
        _layout, rows = looked_at(text.encode(), "a.csv")

        assert [one["response"] for one in rows] == ['He said "hi", twice', "C:\\new"]
