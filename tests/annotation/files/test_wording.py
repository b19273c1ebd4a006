import ast
import re
from pathlib import Path

import annotation
from annotation.files import wording
from annotation.files.cells import FileProblem

SOURCES = Path(annotation.__file__).parent


class TestWords:
    def test_say_what_is_wrong_and_how_to_mend_it(self):
        words = wording.worded(FileProblem("two_versions", 7, "a", "Q1", {"first": "3"}))

        assert (words.row, words.column) == (7, "a")
        assert words.message == "“Q1” stands in line 3 with another content."
        assert words.remedy.startswith("Make the rows equal")

    def test_exist_for_every_code_in_the_sources(self):
        pattern = re.compile(r"(?:Problem|Unreadable|Unfit|broken)\(\s*\"(\w+)\"")
        texts = [
            path.read_text()
            for folder in ("files", "imports")
            for path in (SOURCES / folder).rglob("*.py")
        ]
        codes = {code for text in texts for code in pattern.findall(text)}

        assert codes - wording.TEXTS.keys() == set()
        assert len(codes) > 40

    def test_have_no_code_twice(self):
        tree = ast.parse(Path(wording.__file__).read_text())
        keys = [
            key.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Dict)
            for key in node.keys
            if isinstance(key, ast.Constant)
        ]

        assert len(keys) == len(set(keys))
