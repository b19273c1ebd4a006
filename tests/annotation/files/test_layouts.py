import gzip

import pytest

from annotation.files.cells import BadFile
from annotation.files.look import layouts
from annotation.files.look.layouts import Layout


def recognise(content, name="a.csv"):
    return layouts.recognise(name, lambda: iter([content]))


class TestRecognise:
    @pytest.mark.parametrize(
        ("content", "name", "form"),
        [
            (b"a;b\n1;2\n", "a.csv", "csv"),
            (b'{"a": 1}\n', "a.jsonl", "lines"),
            (b'[{"a": 1}]', "a.json", "list"),
            (b'[["a", "b"], [1, 2]]', "a.json", "rows"),
            (b'[[{"role": "user"}], [{"role": "user"}]]', "a.json", "list"),
            (gzip.compress(b'{"a": 1}\n', mtime=0), "a.jsonl.gz", "lines"),
            (b"PK\x03\x04....", "a.xlsx", "workbook"),
            (b"<!DOCTYPE html>\n<table><tr><th>id</th></tr></table>", "a.xls", "workbook"),
        ],
    )
    def test_goes_by_the_content(self, content, name, form):
        assert recognise(content, name).format == form

    @pytest.mark.parametrize(
        ("content", "name", "code"),
        [
            (b"", "a.csv", "empty"),
            (b" \n\n", "a.csv", "empty"),
            (b"%PDF-1.7", "a.csv", "not_text"),
            (b"PAR1....", "a.csv", "parquet"),
            (b"\xd0\xcf\x11\xe0....", "a.xlsx", "old_workbook"),
            (b"a,b\n", "a.xlsx", "no_workbook"),
            (b"PK\x03\x04....", "a.csv", "archive"),
            (b"INSERT INTO grades (item, grade) VALUES ('Q1', 3);\n", "a.sql", "no_table"),
            (b'<?xml version="1.0"?><rows/>', "a.csv", "no_table"),
            (b"- id: 1\n  question: Why?\n", "a.yaml", "no_table"),
            (b"{\\rtf1 id,question}", "a.rtf", "not_text"),
        ],
    )
    def test_refuses(self, content, name, code):
        with pytest.raises(BadFile, match=code):
            recognise(content, name)


class TestWhereATableBegins:
    @pytest.mark.parametrize(
        ("table", "names"),
        [
            (b"#,Question,Answer\n1,When?,Noon\n2,Who?,Ada\n", ["#", "Question", "Answer"]),
            (b"#id,n\na,1\nb,2\n", ["#id", "n"]),
            (b"# made by hand\nid,n\na,1\nb,2\n", ["id", "n"]),
            (
                b"Model:,Heron,,\nRater:,ada,,\nid,question,answer,grade\nQ1,When?,Noon,4\n",
                ["id", "question", "answer", "grade"],
            ),
        ],
    )
    def test_remarks_and_facts_stand_above_it_and_names_do_not(self, table, names):
        assert list(next(layouts.read_records(recognise(table), [table])).cells) == names

    def test_a_name_may_end_with_a_point(self):
        assert recognise(b"Item No.,Mark\nQ1,7\nQ2,9\n").asks == ()


class TestTwoLinesOfNames:
    def test_may_repeat_the_upper_ones_in_each_cell(self):
        table = b",Heron,Heron,Loon,Loon\nitem,ada,bo,ada,bo\nQ1,4,3,2,2\n"

        layout = recognise(table)

        assert [one.key for one in layout.asks] == ["header_rows"]
        assert list(next(layouts.read_records(layout, [table])).cells) == [
            "item",
            "ada_Heron",
            "bo_Heron",
            "ada_Loon",
            "bo_Loon",
        ]


class TestListsOfCells:
    def rows(self, text, **told):
        content = text.encode()
        layout = layouts.recognise("a.json", lambda: iter([content]), told)
        return layout, list(
            layouts.read_records(layout, [content])
        ) if not layout.open_asks() else []

    def test_are_a_table_whose_first_row_has_the_names(self):
        _layout, rows = self.rows('[["id", "text"], [1, "x"], [2], {"id": 3}, [4, "y", "z"]]')

        assert [one.cells for one in rows[:2]] == [{"id": 1, "text": "x"}, {"id": 2, "text": None}]
        told = [(one.line, problem.code) for one in rows for problem in one.problems]
        assert told == [(4, "no_row_of_cells"), (5, "too_many_cells")]

    def test_are_asked_about_where_the_first_may_be_a_row(self):
        text = '[["q1", "a1"],\n["q2", "a2"],\n["q3", "a3"]]'

        layout, _rows = self.rows(text)
        assert [one.key for one in layout.open_asks()] == ["header"]

        _layout, rows = self.rows(text, header="no")
        assert [tuple(one.cells.values()) for one in rows] == [
            ("q1", "a1"),
            ("q2", "a2"),
            ("q3", "a3"),
        ]


class TestColumns:
    def test_are_collected_from_all_sampled_records(self):
        content = b'{"a": "x", "n": 1}\n{"a": "y", "late": null}\n'
        layout = recognise(content, "a.jsonl")

        columns, n_sampled = layouts.columns_of(layouts.read_records(layout, [content]))

        assert [(one.name, one.samples, one.n_filled) for one in columns] == [
            ("a", ("x", "y"), 2),
            ("n", ("1",), 1),
            ("late", (), 0),
        ]
        assert n_sampled == 2

    def test_show_what_lists_say_and_not_how_they_are_written(self):
        content = (
            b'{"messages": [{"role": "user", "content": "Who pays?"}, {"role": "user"}],'
            b' "points": ["The buyer", 2]}\n'
        )
        layout = recognise(content, "a.jsonl")

        columns, _n = layouts.columns_of(layouts.read_records(layout, [content]))

        assert [one.samples for one in columns] == [
            ("Who pays?; {'role': 'user'}",),
            ("The buyer; 2",),
        ]

    def test_survive_being_stored(self):
        layout = Layout("csv", "utf-8", ",", columns=(layouts.FileColumn("a", ("x",), 1),))

        assert Layout.from_dict(layout.as_dict()) == layout

    def test_need_a_row(self):
        with pytest.raises(BadFile, match="no_rows"):
            layouts.columns_of(layouts.read_records(Layout("csv", "utf-8", ","), [b"a,b\n"]))
