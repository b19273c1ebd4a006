"""The code behind an annotator's page never gets to hold what it must not show."""

import ast
from pathlib import Path

import pytest

from tests.architecture import sources

#: Rows that know which system gave which answer, and fields that lead to them.
ROWS = {"System", "SystemRelease", "Response", "RoundSystem", "RoundResponse", "Display"}
FIELDS = {"release", "release_id", "system", "response", "response_id", "details", "batch"}
PAGES = [
    sources.ROOT / "annotation" / "grading" / name
    for name in ("pages.py", "faces.py", "worklist.py")
]


def trees(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def names_from_models(tree: ast.Module) -> set[str]:
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("annotation.models")
        for alias in node.names
    }


@pytest.mark.parametrize("path", PAGES, ids=sources.name_of)
class TestAnAnnotatorsPage:
    def test_imports_no_row_that_knows_the_system(self, path):
        tree = trees(path)
        whole = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }

        assert names_from_models(tree) & ROWS == set()
        assert "models" not in whole  # by which every row could be had

    def test_follows_no_field_that_leads_there(self, path):
        tree = trees(path)
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        lookups = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            for part in node.value.split("__")
            if "__" in node.value
        }

        assert (attributes | lookups) & FIELDS == set()


class TestTheList:
    def test_holds_the_pages_there_are(self):
        names = {sources.name_of(path) for path in PAGES}

        assert {"annotation/grading/pages.py", "annotation/grading/faces.py"} <= names
