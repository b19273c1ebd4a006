"""Logs of Inspect as archives, packed by the standard library's way and by Zstandard."""

import io
import json
import sys

import pytest

from annotation.files.cells import BadFile
from annotation.files.look import archives
from tests.files import looked_at

if sys.version_info >= (3, 14):
    import zipfile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd import zipfile

HEAD = {"version": 2, "eval": {"task": "quay", "model": "openai/heron"}}
SAMPLE = {
    "id": 1,
    "epoch": 1,
    "input": "Why?",
    "target": "So.",
    "output": {"choices": [{"message": {"role": "assistant", "content": "So."}}]},
    "scores": {"match": {"value": "C"}},
    "events": [{"event": "model"}] * 50,
}


def log(method=zipfile.ZIP_DEFLATED, **parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, value in (
            parts or {"header.json": HEAD, "samples/1_epoch_1.json": SAMPLE}
        ).items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return file.getvalue()


class TestALogOfInspect:
    @pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
    def test_is_read_however_it_is_packed(self, method):
        layout, (row,) = looked_at(log(method), "log.eval")

        assert (layout.shape, layout.packed) == ("inspect_samples", "inspect")
        assert (row["question"], row["response"], row["system"]) == ("Why?", "So.", "openai/heron")
        assert row["score_match"] == 1

    def test_that_did_not_end_is_read_by_its_beginning(self):
        parts = {"_journal/start.json": HEAD, "samples/1_epoch_1.json": SAMPLE}

        _layout, rows = looked_at(log(**parts), "log.eval")

        assert [row["external_id"] for row in rows] == [1]

    @pytest.mark.parametrize(
        "parts",
        [
            {"header.json": HEAD},
            {"samples/1_epoch_1.json": SAMPLE},
            {"header.json": "no JSON", "samples/1_epoch_1.json": SAMPLE},
            {"header.json": [HEAD], "samples/1_epoch_1.json": SAMPLE},
        ],
    )
    def test_without_its_parts_says_how_to_export_it(self, parts):
        with pytest.raises(BadFile, match="no_log"):
            looked_at(log(**parts), "log.eval")

    def test_that_is_damaged_is_refused(self):
        damaged = bytearray(log())
        damaged[60:70] = b"\0" * 10

        with pytest.raises(BadFile, match="damaged_archive"):
            looked_at(bytes(damaged), "log.eval")

    def test_that_holds_too_much_is_refused(self):
        with pytest.raises(BadFile, match="unpacked_too_large"):
            list(archives.unpack_log([log()], most=200))

    def test_is_an_archive_like_any_other_under_another_name(self):
        layout, _rows = looked_at(log(), "log.zip")

        assert [one.key for one in layout.asks] == ["member"]


class TestZstandard:
    LINE = b'{"id": "Q1", "system": "Owl", "response": "A wall."}\n'

    def test_packs_a_file_in_one_part_or_several(self):
        layout, rows = looked_at(zstd.compress(self.LINE) + zstd.compress(self.LINE), "a.jsonl.zst")

        assert (layout.format, layout.packed, len(rows)) == ("lines", "zstd", 2)

    def test_may_not_hold_more_than_an_import(self):
        pieces = archives.unpack_zstd([zstd.compress(bytes(5000))], most=4000)

        with pytest.raises(BadFile) as stop:
            list(pieces)
        assert stop.value.problem.code == "unpacked_too_large"

    @pytest.mark.parametrize("broken", [slice(0, -4), slice(0, 6)])
    def test_that_breaks_off_is_damaged(self, broken):
        data = zstd.compress(bytes(range(256)) * 9)[broken]

        with pytest.raises(BadFile) as stop:
            list(archives.unpack_zstd([data]))
        assert stop.value.problem.code == "damaged_archive"
