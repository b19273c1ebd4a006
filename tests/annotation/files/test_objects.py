import json

import pytest

from annotation.files.cells import BadFile
from annotation.files.look import objects
from annotation.files.look.encodings import DecodedLines


def lines(text):
    written = objects.read_lines(DecodedLines([text.encode()], "utf-8"))
    return [objects.flattened(record) for record in written]


def listed(text):
    written = objects.read_list(DecodedLines([text.encode()], "utf-8"))
    return [objects.flattened(record) for record in written]


def code(text):
    (record,) = lines(text)
    return [problem.code for problem in record.problems]


class TestTurned:
    def test_objects_below_two_names_are_rows_with_both(self):
        said = {"answer": "Noon", "score": 1}
        value = {"Heron": {"Q1": said, "Q2": said}, "Loon": {"Q1": said, "Q2": said}}

        turn = objects.turn_of(value)

        assert turn == "keyed twice"
        assert objects.turned(value, turn)[1] == {"key 1": "Heron", "key 2": "Q2", **said}

    def test_objects_whose_names_are_columns_are_not(self):
        value = {str(n): {"question": {"text": "a"}, "answer": {"text": "b"}} for n in (1, 2)}

        assert objects.turn_of(value) == "keyed"


class TestReadLines:
    def test_flattens_objects_in_objects(self):
        (record,) = lines('{"id": 1, "answers": {"A": "x", "B": {"c": "y"}}, "tags": ["t"]}\n')

        assert record.cells == {"id": 1, "answers.A": "x", "answers.B.c": "y", "tags": ["t"]}

    def test_counts_lines_over_empty_ones(self):
        assert [record.line for record in lines('{"a": 1}\n\n{"a": 2}\n')] == [1, 3]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ('{"a": 1', "broken_json"),
            ("[1]", "not_an_object"),
            ('{"a": 1, "a": 2}', "duplicate_key"),
            ('{"a": {"b": 1}, "a.b": 2}', "duplicate_column"),
            ('{"a": -Infinity}', "not_finite"),
            ('{"a": ' + "9" * 5000 + "}", "broken_json"),
            ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "too_deep"),
        ],
    )
    def test_tells_what_is_wrong_with_a_line(self, text, found):
        assert code(text) == [found]

    def test_refuses_a_file_without_lines(self):
        with pytest.raises(BadFile, match="no_rows"):
            lines("")


class TestReadList:
    def test_reads_a_list_over_many_lines(self):
        records = listed('[\n {"a": 1},\n\n {"a": 2}\n]\n')

        assert [(one.line, one.cells) for one in records] == [(2, {"a": 1}), (4, {"a": 2})]

    def test_reads_a_list_longer_than_its_window(self):
        rows = [{"a": number, "text": "x" * 300} for number in range(9000)]

        records = listed(json.dumps(rows, indent=1))

        assert [one.cells["a"] for one in records] == list(range(9000))
        assert records[-1].line == 2 + 4 * 8999

    def test_tells_a_list_among_objects_by_its_line(self):
        records = listed('[{"a": 1},\n["x", "y"],\n["only row", "lost"],\n{"a": 2}]')

        told = [(one.line, problem.code) for one in records for problem in one.problems]
        assert told == [(2, "not_an_object"), (3, "not_an_object")]
        assert [one.cells for one in records] == [{"a": 1}, {}, {}, {"a": 2}]

    def test_tells_what_is_no_object(self):
        assert [p.code for one in listed("[1]") for p in one.problems] == ["not_an_object"]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ('[{"a": 1}', "broken_list"),
            ('[{"a": 1} ] x', "broken_list"),
            ('[{"a": }]', "broken_list"),
            ('{"a": 1}', "broken_list"),
            ('[{"a": 1, "a": 1}]', "duplicate_key"),
            ("[" + '{"a":' * 100_000, "too_deep"),
        ],
    )
    def test_stops_where_it_is_broken(self, text, found):
        with pytest.raises(BadFile, match=found):
            listed(text)
