"""How many words the interface has, by area: messages in templates and code. `make words`.

A message counts once in each area however often it stands there. What a command prints on a terminal
and what only programs read is no message.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from evalsite import env

ROOMS = ("annotation", "scoring", "evalsite")
#: Names by which code marks a message, and how many of the arguments are words.
MARKERS: Mapping[str, int] = {
    "_": 1,
    "gettext": 1,
    "gettext_lazy": 1,
    "noop": 1,
    "gettext_noop": 1,
    "ngettext": 2,
    "ngettext_lazy": 2,
}
TRANSLATE = re.compile(r"""{%\s*translate\s+(?:"([^"]*)"|'([^']*)')""")
FILTERED = re.compile(r"""\b_\((?:"([^"]*)"|'([^']*)')\)""")
BLOCK = re.compile(
    r"{%\s*blocktranslate\b[^%]*(?:%(?!})[^%]*)*%}(.*?){%\s*endblocktranslate\s*%}", re.S
)
PLURAL = re.compile(r"{%\s*plural[^%]*%}")
WORD = re.compile(r"[^\W\d_][\w’'-]*")
#: What stands for a value: it is no word.
VALUE = re.compile(r"{{.*?}}|%\(\w+\)[sd]", re.S)


def of_template(text: str) -> Iterator[str]:
    """Yield the messages of a template."""
    for pattern in (TRANSLATE, FILTERED):
        yield from (one[1] or one[2] for one in pattern.finditer(text))
    for one in BLOCK.finditer(text):
        yield from (" ".join(part.split()) for part in PLURAL.split(one[1]))


def of_code(text: str) -> Iterator[str]:
    """Yield the messages of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for one in node.args[: MARKERS.get(node.func.id, 0)]:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield one.value


def n_words(message: str) -> int:
    return len(WORD.findall(VALUE.sub(" ", message)))


def counted(home: Path) -> dict[str, set[str]]:
    """Return the messages of each area: a folder of a room, with its templates."""
    found: dict[str, set[str]] = defaultdict(set)
    for room in ROOMS:
        for path in sorted((home / room).rglob("*.py")):
            if "migrations" not in path.parts:
                found[_area(path.relative_to(home))].update(of_code(path.read_text("utf-8")))
    for path in sorted((home / "templates").rglob("*.html")):
        at = path.relative_to(home / "templates")
        found[_area(at)].update(of_template(path.read_text("utf-8")))
    return {area: messages for area, messages in found.items() if messages}


def _area(path: Path) -> str:
    parts = path.parts[:-1]
    return "/".join(parts[: 3 if "kinds" in parts else 2]) or "everywhere"


def main(say: Callable[[str], object] = print, home: Path = env.BASE_DIR) -> int:
    """Say how many messages and words each area has, the wordiest first."""
    areas = counted(home)
    words = {area: sum(map(n_words, messages)) for area, messages in areas.items()}
    for area in sorted(words, key=lambda one: -words[one]):
        say(f"{words[area]:>7} {len(areas[area]):>6}  {area}")
    n = len(set().union(*areas.values())) if areas else 0
    say(f"{sum(words.values()):>7} {n:>6}  in all: words, and messages that differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
