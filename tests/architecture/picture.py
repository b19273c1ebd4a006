"""Draw the house from the import contracts: `python -m tests.architecture.picture` writes it into the docs.

The contracts of features in pyproject.toml are the plan; the picture in docs/architecture.md is made from them
alone, and a test fails when it is another one (`make picture` draws it anew).
"""

import tomllib
from collections.abc import Iterator

from tests.architecture import sources

PAGE = sources.ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- picture: made by `make picture` -->\n", "<!-- end of the picture -->"
#: What the rooms are drawn from, top to bottom.
CONTRACTS = ("scoring-features", "annotation-features")
WIDTH = 92


def drawn() -> str:
    """Return the picture: a box for each app, a floor for each line of its contract."""
    known = {one["id"]: one for one in _contracts()}
    floors = [(one, list(_floors(known[one]["layers"]))) for one in CONTRACTS]
    lines = ["```"]
    for name, rows in floors:
        lines += [f"┌─ {name.partition('-')[0]} ".ljust(WIDTH, "─") + "┐"]
        lines += [f"│ {row}".ljust(WIDTH) + "│" for row in rows]
        lines += ["└".ljust(WIDTH, "─") + "┘"]
    lines += ["┌─ evalsite ".ljust(WIDTH, "─") + "┐"]
    lines += [
        "│ the building: web, queue, supervisor, contract of the API, errors".ljust(WIDTH) + "│"
    ]
    lines += ["└".ljust(WIDTH, "─") + "┘", "```"]
    return "\n".join(lines) + "\n"


def _contracts() -> list[dict[str, object]]:
    pinned = tomllib.loads((sources.ROOT / "pyproject.toml").read_text())
    found: list[dict[str, object]] = pinned["tool"]["importlinter"]["contracts"]
    return found


def _floors(layers: object) -> Iterator[str]:
    assert isinstance(layers, list)
    for layer in layers:
        yield "    ".join(one.strip() for one in str(layer).split("|"))


def put_in(text: str) -> str:
    """Return a page with the picture as it is now between its marks."""
    before, _begin, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    assert end, "docs/architecture.md has lost the marks of its picture."
    return before + BEGIN + drawn() + END + after


if __name__ == "__main__":
    PAGE.write_text(put_in(PAGE.read_text()))
