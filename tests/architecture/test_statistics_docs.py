"""The reference of statistics names every figure, and its examples come out as they are printed."""

import ast
import doctest
import re
from pathlib import Path

import pytest

from evalsite import env

PAGE = env.BASE_DIR / "docs/reference/statistics.md"
TEXT = PAGE.read_text()
STATS = env.BASE_DIR / "scoring/stats"
ENTRIES = re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL)
PARTS = TEXT.partition("## What figures are made of")[2]
NAMED = re.compile(r"`(\w+\.\w+)`")
#: Modules that hold ratings and compute none of them.
TOOLS = {"frame", "exact", "plain", "levels", "blocks"}
SAID = ("Definition", "Formula", "Source", "Convention", "Example")


def functions() -> set[str]:
    return {
        f"{path.stem}.{node.name}"
        for path in STATS.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def headline(entry: str) -> list[str]:
    """Return the functions that an entry is about: those on its first line."""
    return NAMED.findall(entry.strip().splitlines()[0])


def explained() -> set[str]:
    return {name for _title, entry in ENTRIES for name in headline(entry)}


def used_outside() -> set[str]:
    """Return the functions of stats that other rooms call by their module."""
    known = functions()
    found = set()
    for path in sorted((env.BASE_DIR / "scoring").rglob("*.py")):
        source = path.read_text()
        if STATS in path.parents or "from scoring.stats" not in source:
            continue
        tree = ast.parse(source)
        modules = {
            alias.asname or alias.name: alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scoring.stats")
            for alias in node.names
        }
        found |= {
            f"{modules[node.value.id]}.{node.attr}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
        }
    return found & known


class TestEntries:
    def test_are_there_for_every_public_function(self):
        named = explained() | set(NAMED.findall(PARTS))

        assert sorted(functions() - named) == []

    def test_name_no_function_that_is_not_there(self):
        assert sorted((explained() | set(NAMED.findall(PARTS))) - functions()) == []

    def test_of_figures_that_pages_show_are_more_than_a_line_of_the_table(self):
        shown = {one for one in used_outside() if one.partition(".")[0] not in TOOLS}

        assert {"differences.ranking", "severity.severities", "planning.plan"} <= shown
        assert sorted(shown - explained()) == []

    @pytest.mark.parametrize(("title", "entry"), ENTRIES, ids=[title for title, _ in ENTRIES])
    def test_say_what_it_is_how_where_from_and_by_which_convention(self, title, entry):
        assert headline(entry), title
        assert [one for one in SAID if f"**{one}.**" not in entry] == []

    @pytest.mark.parametrize(("title", "entry"), ENTRIES, ids=[title for title, _ in ENTRIES])
    def test_have_an_example_that_computes_something(self, title, entry):
        examples = doctest.DocTestParser().get_examples(entry)

        assert any(example.want.strip() for example in examples), title


def sections() -> list[tuple[str, list[doctest.Example]]]:
    parser = doctest.DocTestParser()
    blocks = re.split(r"^(#{2,3} .+)$", TEXT, flags=re.MULTILINE)
    pairs = [("before the first", blocks[0]), *zip(blocks[1::2], blocks[2::2], strict=True)]
    return [(title.strip("# "), parser.get_examples(_plain(text))) for title, text in pairs]


def _plain(text: str) -> str:
    """Return the lines of fenced blocks alone, so that a fence is no expected output."""
    return "\n\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))


class TestExamples:
    def test_come_out_as_they_are_printed(self, tmp_path: Path):
        names: dict[str, object] = {}
        said: list[str] = []
        for title, examples in sections():
            runner = doctest.DocTestRunner(verbose=False)
            test = doctest.DocTest(examples, names, title, str(PAGE), 0, None)
            runner.run(test, out=said.append, clear_globs=False)
            names.update(test.globs)

        assert "".join(said) == ""

    def test_are_many(self):
        assert sum(len(examples) for _title, examples in sections()) > 150

    def test_that_are_wrong_are_noticed(self):
        examples = doctest.DocTestParser().get_examples(">>> 1 + 1\n3\n")
        said: list[str] = []
        doctest.DocTestRunner(verbose=False).run(
            doctest.DocTest(examples, {}, "wrong", None, 0, None), out=said.append
        )

        assert "Expected" in "".join(said)
