"""Several files in a ZIP: alike tables together, texts as answers, and what cannot be read."""

import io
import zipfile

import pytest

from annotation.files.cells import BadFile
from annotation.files.look import workbooks, zips
from tests.files import looked_at, packed

PINE = "id,question,response\nX1,Why?,So.\nX2,How?,Thus.\n"
OAK = "id,question,response\nX1,Why?,No.\nX2,How?,Never.\n"
GRADES = "id,system,rater,clarity\nX1,Pine,ann,4\n"


def member(layout):
    """Return what is suggested of the question which file is read, and its options; None where it is not asked."""
    return next(((one.suggested, one.options) for one in layout.asks if one.key == "member"), None)


def names(rows, column=zips.FILE):
    return [row.get(column) for row in rows]


class TestTables:
    def test_that_are_alike_are_read_together_with_the_name_of_their_file(self):
        layout, rows = looked_at(packed(**{"pine.csv": PINE, "oak.csv": OAK}), "a.zip")

        assert member(layout) == ("*", ("oak.csv", "pine.csv", "*"))
        assert names(rows) == ["oak", "oak", "pine", "pine"]
        assert [row["response"] for row in rows] == ["No.", "Never.", "So.", "Thus."]

    def test_of_one_name_are_told_by_their_folders(self):
        data = packed(**{"out/pine/a.csv": PINE, "out/oak/a.csv": OAK, "__MACOSX/._a.csv": "x"})

        assert names(looked_at(data, "a.zip")[1]) == ["oak", "oak", "pine", "pine"]

    def test_of_one_folder_and_one_name_are_told_by_their_paths(self):
        data = packed(**{"1/a/t.csv": PINE, "2/a/t.csv": OAK})

        assert names(looked_at(data, "a.zip")[1])[::2] == ["1/a/t", "2/a/t"]

    def test_each_in_its_own_way_of_writing_are_alike(self):
        german = PINE.replace(",", ";").replace("So.", "Schön und größer.").encode("cp1252")

        layout, rows = looked_at(packed(**{"oak.csv": OAK, "pine.csv": german}), "a.zip")

        assert names(rows) == ["oak", "oak", "pine", "pine"]
        assert not layout.doubtful or layout.readings

    def test_that_differ_are_asked_about(self):
        data = packed(**{"answers.csv": PINE, "grades.csv": GRADES, "notes.txt": "Hello."})

        layout, _rows = looked_at(data, "a.zip")
        chosen, rows = looked_at(data, "a.zip", {"member": "grades.csv"})

        assert member(layout) == ("", ("answers.csv", "grades.csv"))
        assert [one.key for one in layout.open_asks()] == ["member"]
        assert (chosen.members, rows[0]["clarity"]) == (("grades.csv",), "4")

    def test_alone_are_read_without_a_question(self):
        layout, rows = looked_at(packed(**{"a/answers.csv": PINE}), "a.zip")

        assert (member(layout), rows[0]) == (
            None,
            {"id": "X1", "question": "Why?", "response": "So."},
        )

    def test_with_broken_rows_keep_the_others(self):
        data = packed(**{"pine.csv": PINE + "X3,What\n", "oak.csv": OAK})

        _layout, rows = looked_at(data, "a.zip")

        assert sum("problem" in row for row in rows) == 1
        assert len(rows) == 5


class TestTexts:
    def test_are_answers_by_folder_and_file(self):
        data = packed(
            **{"run/pine/Q1.txt": "A wall.\n", "run/oak/Q1.md": "A bird.", "run/oak/Q2.txt": ""}
        )

        layout, rows = looked_at(data, "a.zip")

        assert layout.format == "texts"
        assert rows[0] == {zips.FOLDER: "oak", zips.FILE: "Q1", "response": "A bird."}
        assert (rows[1]["response"], rows[2]["response"]) == ("", "A wall.")

    @pytest.mark.parametrize("sign", ["_", "-", "__", " - "])
    def test_are_told_by_both_halves_of_their_names(self, sign):
        data = packed(**{f"Q1{sign}pine.txt": "A wall.", f"Q1{sign}oak.txt": "A bird."})

        rows = looked_at(data, "a.zip")[1]

        assert [(row[zips.FILE], row[zips.LAST]) for row in rows] == [("Q1", "oak"), ("Q1", "pine")]

    def test_in_an_old_encoding_are_asked_about_and_others_are_not_touched(self):
        data = packed(**{"Q1.txt": "größer".encode("cp1252"), "Q2.txt": "größer"})

        asked, _rows = looked_at(data, "a.zip")
        _layout, rows = looked_at(data, "a.zip", {"encoding": "cp1252"})

        assert asked.doubtful
        assert [row["response"] for row in rows] == ["größer", "größer"]


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        ("files", "code"),
        [
            ({}, "no_files"),
            ({"a.png": b"\x89PNG", "b.png": b"\x89PNG"}, "no_files"),
            ({"a.csv": "a,a\n1,2\n"}, "duplicate_header"),
            ({"a.zip": packed(x=PINE)}, "archive"),
            ({f"{n}.csv": PINE for n in range(zips.MOST_TABLES + 1)}, "too_many_files"),
        ],
    )
    def test_is_refused_with_its_reason(self, files, code):
        with pytest.raises(BadFile) as stop:
            looked_at(packed(**files), "a.zip")

        assert stop.value.problem.code == code

    def test_is_a_damaged_archive(self):
        with pytest.raises(BadFile, match="damaged_archive"):
            looked_at(packed(**{"a.csv": PINE})[:60], "a.zip")

    def test_is_damaged_within_a_file(self):
        data = bytearray(packed(**{"a.csv": PINE * 50}))
        data[40:60] = b"\0" * 20

        with pytest.raises(BadFile, match="damaged_archive"):
            looked_at(bytes(data), "a.zip")

    def test_is_protected_by_a_password(self):
        data = bytearray(packed(**{"a.csv": PINE}))
        data[6] |= 1
        data[data.rindex(b"PK\x01\x02") + 8] |= 1

        with pytest.raises(BadFile, match="locked_archive"):
            looked_at(bytes(data), "a.zip")

    def test_unpacks_to_too_much(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
            parts.writestr("a.csv", b"0" * 11 * 1024**2)

        with pytest.raises(BadFile, match="packed_too_well"):
            workbooks.weigh(out, 1024**3, "damaged_archive")
