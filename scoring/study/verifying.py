"""Compute the figures of a bundle anew, from its tables alone. Loads pandas: commands only.

The tables are put into an empty database in memory, which stands in the place of the site's meanwhile:
so the same code computes, and no project is needed or touched.
"""

import csv
import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext as _

from annotation.rounds.models import Round
from evalsite import errors
from evalsite.sqlite.base import DatabaseWrapper
from scoring.figures import snapshots
from scoring.shown.wording import NothingYet
from scoring.stats.plain import Plain
from scoring.study.packing import FORMAT, FORMS, PACKAGE, README, SUMS, TEXTS
from scoring.study.tables import TABLES, Table

Compute = Callable[[Round, str, Mapping[str, Any]], Plain]
TABLE_FILES: Final = {f"tables/{one.file}" for one in TABLES}
NEEDED: Final = TABLE_FILES | {PACKAGE, README, SUMS, "study.md", "study.json"}
MAY: Final = re.compile(rf"figures/\d+-[a-z_]+\.json|texts/({'|'.join(TEXTS)})\.csv")
PIECE: Final = 1024 * 1024
#: What grows by more, or to more, than this is no bundle, but a trap.
MOST_RATIO, MOST_UNPACKED = 100, 8 * 1024 * PIECE
MOST_FILES: Final = 5_000
ROWS: Final = 2_000
BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
)


class NoBundle(errors.Invalid):
    """The file is no bundle, damaged, or of another form."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure of a bundle beside what came out: `path` is where they differ first; empty if nowhere."""

    file: str
    figure: str
    path: str = ""
    stored: str = ""
    computed: str = ""

    @property
    def is_equal(self) -> bool:
        return not self.path


class Bundle:
    """An open bundle, whose checksums fit.

    Raises:
        NoBundle: it is none, is damaged, or another version of the program wrote another form.
    """

    def __init__(self, path: Path) -> None:
        with ExitStack() as opened:
            try:
                self._zip = opened.enter_context(zipfile.ZipFile(path))
                self._refuse_traps()
                self._check()
                self.about: Mapping[str, Any] = json.loads(self._zip.read(PACKAGE))[FORMAT]
                version = self.about["version"]
            except BROKEN as problem:
                said = _("%(file)s is no bundle, or it is damaged (%(why)s). Download it again.")
                raise NoBundle(said % {"file": path.name, "why": str(problem)[:200]}) from problem
            if version not in FORMS:
                said = _("The bundle has form %(found)s; this program reads form %(known)s.")
                known = ", ".join(map(str, FORMS))
                raise NoBundle(said % {"found": str(version)[:20], "known": known})
            self.form = int(version)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_problem: object) -> None:
        self._opened.close()

    @property
    def figures(self) -> list[str]:
        return sorted(name for name in self._zip.namelist() if name.startswith("figures/"))

    def read(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads(self._zip.read(name))
        return found

    def rows(self, table: Table) -> Generator[Sequence[str]]:
        """Yield the rows of a table as cells.

        Raises:
            ValueError: its columns are others.
        """
        with self._zip.open(f"tables/{table.file}") as file:
            lines = csv.reader(io.TextIOWrapper(file, "utf-8", newline=""), strict=True)
            if next(lines, None) != [*table.fields_of(self.form)]:
                raise ValueError("its columns are others")
            yield from lines

    def _refuse_traps(self) -> None:
        infos = self._zip.infolist()
        names = [one.filename for one in infos]
        more = [name for name in names if name not in NEEDED and not MAY.fullmatch(name)]
        if more:
            raise ValueError(f"it holds {more[0][:80]}")
        if lacking := sorted(NEEDED - set(names)):
            raise ValueError(f"it lacks {lacking[0]}")
        if len(names) != len(set(names)) or len(names) > MOST_FILES:
            raise ValueError("it holds a file twice, or too many")
        if any(one.flag_bits & 1 for one in infos):
            raise ValueError("it is encrypted")
        unpacked = sum(one.file_size for one in infos)
        packed = sum(one.compress_size for one in infos)
        if unpacked > MOST_UNPACKED or unpacked > max(packed, PIECE // 4) * MOST_RATIO:
            raise ValueError(f"unpacked it would be {unpacked // PIECE} MB")

    def _check(self) -> None:
        """Compare every file with its checksum."""
        lines = self._zip.read(SUMS).decode().splitlines()
        sums = {name: sha for sha, _gap, name in (one.partition("  ") for one in lines)}
        for name in sorted({*sums, *self._zip.namelist()} - {SUMS}):
            digest = hashlib.sha256()
            with self._zip.open(name) as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
            if digest.hexdigest() != sums.get(name):
                raise ValueError(f"{name} does not fit its checksum")


def verify(bundle: Bundle, compute: Compute) -> Iterator[Compared]:
    """Yield every figure of a bundle beside what comes out of its tables.

    Args:
        bundle: whose figures.
        compute: what computes a figure of a round by its name.

    Raises:
        NoBundle: a table cannot be read.
    """
    with nowhere():
        for table in TABLES:
            _load(bundle, table)
        try:
            round_ = Round.objects.select_related("project").get(pk=bundle.about["round"])
        except (Round.DoesNotExist, *BROKEN) as problem:
            raise NoBundle(_("The bundle does not hold its round.")) from problem
        for name in bundle.figures:
            yield _compared(name, bundle.read(name), round_, compute)


@contextmanager
def nowhere() -> Iterator[None]:
    """Have an empty database in memory stand in the place of the site's, for this thread."""
    settings = {DEFAULT_DB_ALIAS: {"ENGINE": "evalsite.sqlite", "NAME": ":memory:"}}
    made = DatabaseWrapper(
        connections.configure_settings(settings)[DEFAULT_DB_ALIAS], DEFAULT_DB_ALIAS
    )
    before = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = made
    snapshots.forget()
    try:
        _lay_out(made)
        yield
    finally:
        snapshots.forget()
        connections[DEFAULT_DB_ALIAS] = before
        BaseDatabaseWrapper.close(made)


def _lay_out(line: DatabaseWrapper) -> None:
    """Make the tables. Rows of a bundle may refer to what is not in it, such as people."""
    with line.cursor() as cursor:
        cursor.execute("PRAGMA foreign_keys = OFF")
        cursor.execute("PRAGMA ignore_check_constraints = ON")
    with line.schema_editor() as editor:
        for model in (*apps.get_app_config("annotation").get_models(), *_of_scoring()):
            editor.create_model(model)
    with line.cursor() as cursor:
        cursor.execute("PRAGMA foreign_keys = OFF")


def _of_scoring() -> list[Any]:
    return [*apps.get_app_config("scoring").get_models()]


def _load(bundle: Bundle, table: Table) -> None:
    some: list[Any] = []
    try:
        with closing(bundle.rows(table)) as lines:
            for row in table.read(lines, bundle.form):
                some.append(row)
                if len(some) == ROWS:
                    table.model._base_manager.bulk_create(some)
                    some = []
        table.model._base_manager.bulk_create(some)
    except (*BROKEN, Error, csv.Error) as problem:
        said = _("%(file)s cannot be read: %(why)s.")
        raise NoBundle(said % {"file": table.file, "why": str(problem)[:200]}) from problem


def _compared(file: str, told: Mapping[str, Any], round_: Round, compute: Compute) -> Compared:
    name = str(told.get("figure"))
    try:
        found = compute(round_, name, told.get("params") or {})
    except (NothingYet, LookupError, *BROKEN) as problem:
        return Compared(file, name, "$", "a figure", f"none: {problem}"[:200])
    computed = json.loads(json.dumps(found))
    return Compared(file, name, *(_first(told.get("data"), computed, "$") or ()))


def _first(stored: Any, computed: Any, path: str) -> tuple[str, str, str] | None:
    """Return where two values differ first, with both of them there; None if nowhere."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in dict.fromkeys((*stored, *computed)):
            if key not in stored or key not in computed:
                sides = (
                    _short(one[key]) if key in one else "nothing" for one in (stored, computed)
                )
                return (f"{path}.{key}", *sides)  # type: ignore[return-value]
            if found := _first(stored[key], computed[key], f"{path}.{key}"):
                return found
        return None
    if isinstance(stored, list) and isinstance(computed, list):
        if len(stored) != len(computed):
            return path, f"{len(stored)} entries", f"{len(computed)} entries"
        pairs = enumerate(zip(stored, computed, strict=True))
        return next((one for n, two in pairs if (one := _first(*two, f"{path}[{n}]"))), None)
    same = stored == computed and isinstance(stored, bool) == isinstance(computed, bool)
    return None if same else (path, _short(stored), _short(computed))


def _short(value: Any) -> str:
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= 80 else f"{said[:80]}…"
