"""The house can be read: modules of one sitting, folders of one look, and no file without a reason."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

from tests.architecture import sources

#: No module is longer; more than this share of them is not over the soft limit either.
MOST_LINES, SOFT, SHARE_OVER_SOFT = 1000, 600, 0.05
MOST_FILES = 20
#: Files whose names begin alike, of which there are so many, are a folder or one file.
MOST_ALIKE = 2
#: A shorter module that one other module alone imports belongs to that one.
LEAST_LINES = 120
#: Doors and tables of a feature have a file of their own, however short; so has what declares a kind of run.
DOORS = {"admin", "api", "apps", "forms", "jobs", "models", "pages", "run_jobs", "urls", "wsgi"}
DOORS |= {"plugin", "start"}
VERSIONED = re.compile(r"(?:.*_)?v\d+")
#: Files that are found by their names (commands, template tags, drivers) or loaded apart: with a reason each.
APART = {
    "annotation/files/look/workbook_child.py": "a process of its own",
    "evalsite/__main__.py": "python -m evalsite",
    "evalsite/api/errors.py": "named in the settings",
    "evalsite/api/handler.py": "named in the settings",
    "evalsite/api/requests.py": "named in the settings, must not load views",
    "evalsite/db/indexes.py": "for migrations",
    "evalsite/db/tables.py": "for migrations",
    "evalsite/lanes.py": "forks; read before it is changed",
    "evalsite/supervisor/tether.py": "a process of its own",
    "evalsite/web/health.py": "a door",
    "evalsite/web/sessions.py": "named in the settings",
    "evalsite/web/static.py": "a door",
    "scoring/home/scripted.py": "registered in scoring/apps.py",
    "scoring/kinds/judging/geval/weighing.py": "a part of a protocol",
    "scoring/kinds/judging/single/kind.py": "a plug-in",
    "scoring/kinds/losses/figure.py": "for workers alone",
    "scoring/kinds/metrics/languages.py": "loads a model when it is asked",
    "scoring/kinds/suites/protocol/moderation.py": "a part of a protocol",
    "scoring/llm/local.py": "an extra: needs torch",
    "scoring/llm/scripted/server.py": "a door",
    "scoring/protocols/checksums.py": "run as a program",
    "scoring/stats/machines/bars.py": "pure, beside what computes figures",
}


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def importers() -> dict[str, set[str]]:
    """Return by dotted name which modules of the product import a module of it."""
    names = {sources.dotted(path): path for path in sources.modules()}
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in names.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                for one in node.names:
                    whole = f"{node.module}.{one.name}"
                    found[whole if whole in names else str(node.module)].add(name)
    return found


class TestModules:
    def test_are_no_longer_than_the_house_allows(self):
        sizes = {
            sources.name_of(path): lines_of(path)
            for path in sources.modules(*sources.ROOMS, "tests")
        }

        assert {name: n for name, n in sizes.items() if n > MOST_LINES} == {}

    def test_are_seldom_longer_than_one_sitting(self):
        sizes = [lines_of(path) for path in sources.modules()]

        assert sum(n > SOFT for n in sizes) <= SHARE_OVER_SOFT * len(sizes)

    def test_bear_a_name_of_the_domain(self):
        nowhere = {"utils", "helpers", "common", "misc", "signals"}

        assert [sources.name_of(path) for path in sources.modules() if path.stem in nowhere] == []

    def test_that_are_short_have_more_than_one_reader(self):
        read_by = importers()
        lonely = [
            sources.name_of(path)
            for path in sources.modules()
            if 0 < lines_of(path) < LEAST_LINES
            and len(read_by[sources.dotted(path)]) <= 1
            and path.stem not in DOORS | {"__init__"}
            and not VERSIONED.fullmatch(path.stem)
            and not {"management", "templatetags", "makers"} & set(path.parts)
        ]

        assert sorted(set(lonely) - set(APART)) == []
        assert sorted(set(APART) - set(lonely)) == []


class TestFolders:
    def test_can_be_seen_at_a_glance(self):
        folders = Counter(path.parent for path in sources.modules() if path.stem != "__init__")

        assert {sources.name_of(one): n for one, n in folders.items() if n > MOST_FILES} == {}

    def test_hold_no_three_files_that_begin_alike(self):
        alike = Counter(
            (sources.name_of(path.parent), path.stem.partition("_")[0])
            for path in sources.modules()
            if "_" in path.stem.strip("_") and "commands" not in path.parts
        )

        assert {one: n for one, n in alike.items() if n > MOST_ALIKE} == {}
