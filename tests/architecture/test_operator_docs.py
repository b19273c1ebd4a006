"""What the operator reads of is what there is."""

import re

import pytest

from evalsite import env

GUIDE = (env.BASE_DIR / "docs/operator.md").read_text()
SOURCES = [
    path
    for room in ("evalsite", "annotation", "scoring")
    for path in sorted((env.BASE_DIR / room).rglob("*.py"))
]
READS = re.compile(
    r"""(?:env\.(?:flag|text|words|networks|number|choice)|(?<![\w.])(?:flag|text|words|networks|number|choice)"""
    r"""|os\.environ\.get|os\.getenv)\(\s*["']([A-Z][A-Z0-9_]+)["']"""
)
#: Set by others, for others.
NOT_OURS = {"DJANGO_SETTINGS_MODULE", "XDG_CACHE_HOME", "HOME", "PATH"}


def read() -> set[str]:
    return {name for path in SOURCES for name in READS.findall(path.read_text())} - NOT_OURS


class TestVariables:
    def test_are_found_in_the_sources(self):
        assert {"SECRET_KEY", "DATABASE_URL", "EVALSITE_LOG", "EVALSITE_RUN_SLICE"} <= read()

    @pytest.mark.parametrize("name", sorted(read()))
    def test_have_a_row_in_the_table(self, name):
        assert f"| `{name}` |" in GUIDE

    def test_of_the_table_are_read_somewhere(self):
        told = set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", GUIDE, re.MULTILINE))
        sources = "\n".join(path.read_text() for path in SOURCES)
        # What a library reads by itself.
        rest = {name for name in told if f'"{name}"' not in sources} - {"NLTK_DATA"}
        assert {one for one in rest if not one.startswith("EVALSITE_KEY_")} == set()


class TestCommands:
    def test_are_all_told_of_in_the_docs(self):
        docs = "\n".join(path.read_text() for path in (env.BASE_DIR / "docs").rglob("*.md"))
        names = {
            path.stem
            for room in ("evalsite", "annotation", "scoring")
            for path in (env.BASE_DIR / room / "management/commands").glob("*.py")
            if not path.stem.startswith("_")
        }

        assert {"backup", "restore"} <= names
        assert sorted(name for name in names if not re.search(rf"\b{name}\b", docs)) == []
