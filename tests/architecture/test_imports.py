"""What is imported where, as far as the import contracts cannot say it."""

import ast

from tests.architecture import sources

CLOCKS = {"now", "utcnow", "today", "localdate"}
#: Files that people, programs and workers come in by: they look at the clock, and pass it inward.
DOORS = {
    "admin",
    "api",
    "forms",
    "jobs",
    "run_jobs",
    "pages",
    "start",
    "permissions",
    "commands",
    "downloads",
    "middleware",
}


def nodes(path, *words):
    """Return the parts of a module that holds one of these words; of any other, nothing."""
    text = path.read_text()
    return ast.walk(ast.parse(text)) if any(word in text for word in words) else ()


def imported(path, *words):
    """Return the dotted names that a module imports, if it holds one of these words."""
    names = set()
    for node in nodes(path, *words):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def rooms_below_the_doors():
    return [
        path
        for path in sources.modules("annotation", "scoring")
        if not (path.stem in DOORS or path.stem.endswith("_pages") or "management" in path.parts)
    ]


def answers_a_request(node):
    """Say whether a function is a door: somebody's request comes in by it, or an answer goes out."""
    if not isinstance(node, ast.FunctionDef):
        return False
    comes_in = {"request", "scope"} & {one.arg for one in node.args.args}
    return bool(comes_in) or (node.returns is not None and "Response" in ast.unparse(node.returns))


def looks_at_the_clock(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in {"timezone", "datetime", "date"}
    )


class TestRoomsBelowTheDoors:
    def test_do_not_look_at_the_clock(self):
        looking = []
        for path in rooms_below_the_doors():
            parts = [*nodes(path, *CLOCKS)]
            at_doors = {
                id(one) for node in parts if answers_a_request(node) for one in ast.walk(node)
            }
            looking += [
                f"{sources.name_of(path)}:{node.lineno}"
                for node in parts
                if looks_at_the_clock(node) and id(node) not in at_doors
            ]

        assert looking == []

    def test_use_no_signals(self):
        assert [
            sources.name_of(path)
            for path in sources.modules()
            if any(
                name.startswith(("django.db.models.signals", "django.dispatch"))
                for name in imported(path, "signals", "dispatch")
            )
        ] == []


class TestTests:
    def test_pass_a_fake_instead_of_patching(self):
        assert [
            sources.name_of(path)
            for path in sources.modules("tests")
            if any(name.startswith("unittest.mock") for name in imported(path, "unittest"))
        ] == []
