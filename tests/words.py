"""How many words the interface has, by area: messages in templates and code. `make words`.

A message counts once in each area however often it stands there. What a command prints on a terminal
and what only programs read is no message. Refusals, which carry a remedy, are counted apart.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

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
#: A node, and all that it stands in.
Node: TypeAlias = tuple[ast.AST, tuple[ast.AST, ...]]
HOMES = (ast.FunctionDef, ast.ClassDef)
SENTENCE = re.compile(r"[.?!]”?$")
#: Functions and calls that refuse, and variables that collect what is wrong with a form or record.
REFUSING = re.compile(r"^_?refus|^add_error$|(Error|Problem|Unfit)$")
PROBLEMS = {"problem", "problems", "wrong", "faults"}
#: Where modules keep what is wrong with a file or row.
KEPT = {
    "annotation/files/wording.py": "TEXTS",
    "annotation/bankfile/reading.py": "WORDS",
    "annotation/bank/bulk.py": "WHY_TEXTS",
    "scoring/endpoints/wording.py": "_FAILURES",
}
#: What stands for a value: it is no word.
VALUE = re.compile(r"{{.*?}}|%\(\w+\)[sd]", re.S)


def of_template(text: str) -> Iterator[str]:
    """Yield the messages of a template."""
    for pattern in (TRANSLATE, FILTERED):
        yield from (one[1] or one[2] for one in pattern.finditer(text))
    for one in BLOCK.finditer(text):
        yield from (" ".join(part.split()) for part in PLURAL.split(one[1]))


@dataclass(slots=True)
class Messages:
    """Messages that are shown, and those that refuse something and say how to mend it."""

    shown: set[str] = field(default_factory=set)
    refusals: set[str] = field(default_factory=set)

    def plain(self) -> set[str]:
        return self.shown - self.refusals


def of_code(text: str, kept: str = "") -> Messages:
    """Return the messages of a module.

    A message refuses where it is raised or given to a form as an error, or where the variable, constant
    or function is made that is; and so do those kept in the constant of that name. A name is no refusal.
    """
    module = ast.parse(text)
    refused = Refused(module, kept)
    found = Messages()
    for node, within in _nodes(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for one in node.args[: MARKERS.get(node.func.id, 0)]:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    refuses = SENTENCE.search(one.value) and not refused.parts.isdisjoint(within)
                    (found.refusals if refuses else found.shown).add(one.value)
    return found


def _nodes(top: ast.AST, within: tuple[ast.AST, ...] = ()) -> Iterator[Node]:
    yield top, (*within, top)
    for child in ast.iter_child_nodes(top):
        yield from _nodes(child, (*within, top))


class Refused:
    """The parts of a module whose messages refuse something."""

    def __init__(self, module: ast.Module, kept: str) -> None:
        self.parts: set[ast.AST] = set()
        self._module = module
        #: What a name of a function or of the module stands for.
        self._made: Mapping[tuple[ast.AST, str], list[ast.AST]] = defaultdict(list)
        nodes = [(node, self._home(within)) for node, within in _nodes(module)]
        for node, home in nodes:
            self._keep(node, home)
        raising = {_raiser(node, home) for node, home in nodes} - {""}
        for node, home in nodes:
            if _refuses(node) or (isinstance(node, ast.Call) and _name(node.func) in raising):
                self._follow(node, home)
        for node in self._made.get((module, kept), ()):
            self._follow(node, module)

    def _home(self, within: tuple[ast.AST, ...]) -> ast.AST:
        return next((one for one in within[-2::-1] if isinstance(one, HOMES)), self._module)

    def _keep(self, node: ast.AST, home: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef):
            self._made[self._module, node.name].append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._made[home, _name(target)].append(node)

    def _follow(self, part: ast.AST, home: ast.AST) -> None:
        if part in self.parts:
            return
        self.parts.add(part)
        for name in set(_spoken(part)):
            for one in self._made.get((home, name), ()):
                self._follow(one, home)
            for one in self._made.get((self._module, name), ()):
                self._follow(one, one if isinstance(one, ast.FunctionDef) else self._module)


def _refuses(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name):
            return bool(REFUSING.search(name))
        case ast.Call(func=func):
            return bool(REFUSING.search(_name(func)))
        case ast.Assign(targets=[target]):
            return _name(target) in PROBLEMS
        case ast.keyword(arg=name):
            return name == "error_messages"
    return isinstance(node, ast.Raise)


def _raiser(node: ast.AST, home: ast.AST) -> str:
    """Return the name of a function that raises here what it is given, or nothing."""
    if not (isinstance(node, ast.Raise) and isinstance(home, ast.FunctionDef)):
        return ""
    given = {one.arg for one in home.args.posonlyargs + home.args.args + home.args.kwonlyargs}
    return "" if given.isdisjoint(_spoken(node)) else home.name


def _name(node: ast.AST) -> str:
    """Return the name that an expression is about: `problems` of `problems[key]`."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return getattr(node, "attr", None) or getattr(node, "id", None) or ""


def _spoken(node: ast.AST) -> Iterator[str]:
    """Yield the names that a refusal is made of, without those of its values."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from _spoken(node.left)
    else:
        yield _name(node)
        for child in ast.iter_child_nodes(node):
            yield from _spoken(child)


def n_words(message: str) -> int:
    return len(WORD.findall(VALUE.sub(" ", message)))


def counted(home: Path) -> dict[str, Messages]:
    """Return the messages of each area: a folder of a room, with its templates."""
    found: dict[str, Messages] = defaultdict(Messages)
    for room in ROOMS:
        for path in sorted((home / room).rglob("*.py")):
            if "migrations" not in path.parts:
                at = path.relative_to(home)
                one = of_code(path.read_text("utf-8"), KEPT.get(at.as_posix(), ""))
                found[_area(at)].shown.update(one.shown)
                found[_area(at)].refusals.update(one.refusals)
    for path in sorted((home / "templates").rglob("*.html")):
        at = path.relative_to(home / "templates")
        found[_area(at)].shown.update(of_template(path.read_text("utf-8")))
    return {area: one for area, one in found.items() if one.shown or one.refusals}


def _area(path: Path) -> str:
    parts = path.parts[:-1]
    return "/".join(parts[: 3 if "kinds" in parts else 2]) or "everywhere"


def main(say: Callable[[str], object] = print, home: Path = env.BASE_DIR) -> int:
    """Say how many words and messages each area has, the wordiest first."""
    areas = counted(home)
    words = {area: sum(map(n_words, one.plain())) for area, one in areas.items()}
    refused = {area: sum(map(n_words, one.refusals)) for area, one in areas.items()}
    say("  words refusals messages")
    for area in sorted(words, key=lambda one: -words[one]):
        n = len(areas[area].plain())
        say(f"{words[area]:>7} {refused[area]:>8} {n:>8}  {area}")
    n = len(set().union(*(one.plain() for one in areas.values())))
    say(
        f"{sum(words.values()):>7} {sum(refused.values()):>8} {n:>8}  in all (messages that differ)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
