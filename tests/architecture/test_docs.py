"""The documentation hangs together: no dead link, no page without a way to it, no picture missing."""

import re
from pathlib import Path

import pytest

from evalsite import env
from tests.e2e import tutorials

ROOT = env.BASE_DIR
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
OUTSIDE_DOCS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
PAGES = [*(ROOT / name for name in OUTSIDE_DOCS), *sorted(DOCS.rglob("*.md"))]
TUTORIALS = sorted(path for path in tutorials.FOLDER.glob("*.md") if "<!-- as:" in path.read_text())
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)|(?:src|href|srcset)=\"([^\"\s]+)\"")
OUTSIDE = re.compile(r"^[a-z][a-z+.-]*:")


def without_code(text: str) -> str:
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def links(page: Path) -> list[str]:
    found = LINK.findall(without_code(page.read_text()))
    return [one for pair in found for one in pair if one and not OUTSIDE.match(one)]


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings have where such pages are usually shown."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+?)\s*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number, made = 0, name
        while made in found:
            number += 1
            made = f"{name}-{number}"
        found.add(made)
    return found


def target(page: Path, link: str) -> tuple[Path, str]:
    path, _hash, anchor = link.partition("#")
    return (page.parent / path).resolve() if path else page, anchor


def dead(page: Path) -> list[str]:
    missing = []
    for link in links(page):
        there, anchor = target(page, link)
        if not there.exists() or (anchor and anchor not in anchors(there)):
            missing.append(link)
    return missing


class TestLinks:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
    def test_lead_somewhere(self, page):
        assert dead(page) == []

    def test_that_are_dead_are_found(self, tmp_path):
        page = tmp_path / "page.md"
        page.write_text(
            "# A *title*, here\n[a](none.md) [b](#a-title-here) [c](#no) ![d](no.png)\n"
        )

        assert dead(page) == ["none.md", "#no", "no.png"]

    def test_stay_within_the_repository(self):
        assert [
            (page.name, link)
            for page in PAGES
            for link in links(page)
            if ROOT not in target(page, link)[0].parents
        ] == []


class TestPages:
    def test_are_all_reached_from_the_index(self):
        seen, waiting = set(), [INDEX]
        while waiting:
            page = waiting.pop()
            if page in seen:
                continue
            seen.add(page)
            for link in links(page):
                there, _anchor = target(page, link)
                if there.suffix == ".md" and there.exists():
                    waiting.append(there)

        assert sorted(str(one.relative_to(ROOT)) for one in {*DOCS.rglob("*.md")} - seen) == []

    def test_of_the_decisions_are_listed(self):
        index = (DOCS / "decisions/README.md").read_text()
        names = {path.name for path in (DOCS / "decisions").glob("*.md")} - {"README.md"}

        assert sorted(name for name in names if f"({name})" not in index) == []


class TestPictures:
    def test_are_all_shown_somewhere(self):
        shown = {target(page, link)[0] for page in PAGES for link in links(page)}

        assert sorted(set((DOCS / "screenshots").glob("*.webp")) - shown) == []

    def test_take_two_megabytes_at_most(self):
        assert sum(path.stat().st_size for path in (DOCS / "screenshots").iterdir()) <= 2_000_000


class TestTutorials:
    """What they ask for; that it works is shown by tests/e2e/test_tutorials.py."""

    @pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
    def test_tells_the_name_of_everything_that_is_pressed(self, path):
        assert tutorials.unnamed(tutorials.read(path)) == []

    @pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
    def test_has_something_to_do_in_every_step(self, path):
        text = path.read_text()
        numbered = text.count("\n1. ") and len(
            [line for line in text.splitlines() if line[:1].isdigit()]
        )

        assert numbered == text.count("<!-- do: ") >= 5

    def test_covers_four_roles(self):
        assert {path.stem for path in TUTORIALS} == {"owner", "curator", "annotator", "analyst"}

    def test_refuses_what_it_does_not_know(self, tmp_path):
        page = tmp_path / "page.md"
        page.write_text("<!-- as: ines -->\n1. Dance. <!-- do: dance round -->\n")

        with pytest.raises(ValueError, match="dance"):
            tutorials.read(page)

    def test_refuses_a_page_that_names_nobody(self, tmp_path):
        page = tmp_path / "page.md"
        page.write_text("1. Look. <!-- do: see Bank -->\n")

        with pytest.raises(ValueError, match="as whom"):
            tutorials.read(page)
