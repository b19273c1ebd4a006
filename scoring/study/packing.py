"""A bundle: the data of a final round with its figures, from which anybody computes them anew.

A ZIP that holds a data package (tables as CSV, described column by column), the figures, the study
sheet, and a checksum of every file. Equal data make equal bytes. Loads no pandas.
"""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Final

from django.db.models import ForeignKey, Max, QuerySet

import evalsite
from annotation.rounds.models import Round, SamenessTag
from scoring.figures import operations as figures
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.movement import trend
from scoring.publishing.models import Publication
from scoring.shown.sheet import chunks
from scoring.study.tables import BY_MODEL, TABLES, Span, Table, paged, type_of, written
from scoring.watching import queries as signalling

FORMAT: Final = "evalsite-bundle"
#: Of the form of the file; the first knew no rounds of pairs, and is read still.
VERSION: Final = 2
FORMS: Final = (1, VERSION)
PACKAGE, SUMS, README = "datapackage.json", "SHA256SUMS", "README.md"
#: Same moment in every archive, so that equal data make equal bytes.
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
LINES: Final = 1_000
LIBRARIES: Final = ("numpy", "pandas", "scipy", "statsmodels")
#: Figures that rest on more than the ratings of rounds: on how a judge was tried.
APART: Final = frozenset({"tuning"})
_WORDS: Final[Mapping[str, str]] = {
    "id": "Key of the row.",
    "group": "The question, for statistics within a question.",
    "content_sha": "SHA-256 of the content: tells whether two are the same.",
    "messages": "Of each message how long it is, in characters.",
    "inclusion_probability": "The chance with which the question was drawn.",
    "pass_at": "From which value on an answer passes.",
    "is_current": "Whether no later revision took its place.",
    "active_ms": "Active time on the page of the question, in milliseconds.",
    "given_at": "When it was given.",
    "late": "Came after the seat was given to somebody else; counts nowhere.",
    "outcome": "Whether there is a value, or why not.",
    "occasion": "2 where the same annotator met a question again.",
    "purpose": "Whether it was a normal question, an anchor, a repeat or gold.",
    "ordinal": "Place in the draw, from 0.",
    "position": "Place on the page or in a list, from 0.",
    "seed": "What draws and resampling begin with.",
    "repeat": "Samples of a judge from 1; 0 is their mean.",
}


@dataclass(frozen=True)
class Contents:
    """What goes into a bundle besides the tables: figures, and the study sheet as two texts.

    `left_out` says how many figures are not in it.
    """

    mine: ReadRound
    span: Span
    figures: tuple[Figure, ...]
    left_out: int
    markdown: str
    sheet: Mapping[str, Any]
    with_texts: bool


def contents(
    mine: ReadRound, *, markdown: str, sheet: Mapping[str, Any], with_texts: bool
) -> Contents:
    """Return what a bundle of a final round holds: the figures that stand as its grades are now.

    Where names of systems are hidden, figures over several rounds or beside machines are left out, as
    they tell systems by name.
    """
    every = figures.standing(mine.round)
    drawn = Publication.objects.filter(round=mine.round, run__isnull=False).exists()
    now = _state(mine.round)
    kept = tuple(
        one for one in every if _fits(one, named=mine.shown, drawn=drawn) and _is_of(one, now)
    )
    span = Span(mine.scope.project, _rounds(mine.round, kept), _judges(kept), _names(mine))
    return Contents(mine, span, kept, len(every) - len(kept), markdown, sheet, with_texts)


def _fits(figure: Figure, *, named: bool, drawn: bool) -> bool:
    params = figure.params
    if figure.name in APART or (figure.name == "powered" and drawn):
        return False
    if params.get("judges") and params.get("raters"):  # chosen by the names of people
        return False
    tells = {"judges", "rounds", "before"} & set(params)
    return named or not tells


def _state(round_: Round) -> dict[str, dict[str, Any]]:
    """Return by figure what its parameters say where it rests on what stands now besides grades."""
    known = signalling.params(round_)
    tags = SamenessTag.objects.filter(project_id=round_.project_id)
    return {
        signalling.FIGURE: {name: known[name] for name in ("known", "struck")},
        "fluctuation": {"tags": tags.aggregate(last=Max("pk"))["last"] or 0},
        trend.FIGURE: {"weights": trend.TrendCourse([round_], []).params["weights"]},
    }


def _is_of(figure: Figure, now: Mapping[str, Mapping[str, Any]]) -> bool:
    return bool(now.get(figure.name, {}).items() <= figure.params.items())


def _rounds(round_: Round, kept: Iterable[Figure]) -> list[Round]:
    numbers = {round_.number}
    for one in kept:
        numbers |= {*one.params.get("rounds", ()), one.params.get("before", round_.number)}
    rows = Round.objects.filter(project=round_.project_id, number__in=numbers)
    return list(rows.order_by("number"))


def _judges(kept: Iterable[Figure]) -> list[int]:
    return sorted({judge for one in kept for judge in one.params.get("judges", ())})


def _names(mine: ReadRound) -> dict[str, str] | None:
    """Return what stands for the names of systems, where they are hidden."""
    if mine.shown:
        return None
    rows = mine.round.systems.select_related("release__system")
    return {one.release.system.name: mine.names[one.release_id].text for one in rows}


@dataclass
class _Archive:
    """An archive that is written piece by piece, with what is known of its files."""

    out: io.RawIOBase
    sums: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.zip = zipfile.ZipFile(self.out, "w", zipfile.ZIP_DEFLATED, compresslevel=6)

    def write(self, name: str, pieces: Iterable[bytes]) -> Iterator[None]:
        """Write a file, and let what was written so far be taken after every piece."""
        digest, size = hashlib.sha256(), 0
        info = zipfile.ZipInfo(name, date_time=EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        with self.zip.open(info, "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
                yield
        self.sums[name], self.sizes[name] = digest.hexdigest(), size


class _Pipe(io.RawIOBase):
    """Holds what was written until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._held.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        held, self._held = b"".join(self._held), []
        return held


def packed(held: Contents) -> Iterator[bytes]:
    """Yield a bundle as the bytes of an archive, some at a time."""
    pipe = _Pipe()
    archive = _Archive(pipe)
    for _step in _files(archive, held):
        if piece := pipe.taken():
            yield piece
    archive.zip.close()
    yield pipe.taken()


def _files(archive: _Archive, held: Contents) -> Iterator[None]:
    for one in TABLES:
        yield from archive.write(f"tables/{one.file}", _csv([*one.fields], one.lines(held.span)))
    if held.with_texts:
        for name, make in TEXTS.items():
            yield from archive.write(f"texts/{name}.csv", make(held.span))
    for number, figure in enumerate(held.figures, start=1):
        name = f"figures/{number:03}-{figure.name}.json"
        yield from archive.write(name, [_as_json(_told(figure))])
    yield from archive.write("study.md", [held.markdown.encode()])
    yield from archive.write("study.json", [_as_json(held.sheet)])
    yield from archive.write(PACKAGE, [_as_json(_package(archive, held))])
    yield from archive.write(README, [_readme(held).encode()])
    sums = "".join(f"{sha}  {name}\n" for name, sha in sorted(archive.sums.items()))
    yield from archive.write(SUMS, [sums.encode()])


def _csv(columns: list[str], rows: Iterable[list[str]]) -> Iterator[bytes]:
    for some in chunks(_headed(columns, rows), LINES):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(some)
        yield text.getvalue().encode()


def _headed(columns: list[str], rows: Iterable[list[str]]) -> Iterator[list[str]]:
    yield columns
    yield from rows


def _questions(span: Span) -> Iterator[bytes]:
    return _texts(span.items, ["id", "messages", "reference"])


def _answers(span: Span) -> Iterator[bytes]:
    return _texts(span.responses, ["id", "messages"])


def _texts(rows: "QuerySet[Any]", columns: list[str]) -> Iterator[bytes]:
    return _csv(columns, ([written(one) for one in row] for row in paged(rows, columns, LINES)))


TEXTS: Final[Mapping[str, Callable[[Span], Iterator[bytes]]]] = {
    "questions": _questions,
    "answers": _answers,
}


def _told(figure: Figure) -> dict[str, Any]:
    return {"figure": figure.name, "params": figure.params, "data": figure.data}


def _as_json(value: Any) -> bytes:
    """Return a value as JSON, in its own order: groups of a figure stand as its parameters have them."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _package(archive: _Archive, held: Contents) -> dict[str, Any]:
    """Return the description of the tables as a data package (specs.frictionlessdata.io)."""
    round_ = held.mine.round
    return {
        "name": f"{held.mine.scope.project.slug}-round-{round_.number}".lower(),
        "title": f"{held.mine.scope.project.name}: {round_.name}",
        "profile": "tabular-data-package",
        "resources": [_resource(archive, one) for one in TABLES],
        FORMAT: {
            "version": VERSION,
            "round": round_.pk,
            "revision": round_.revision,
            "names_shown": held.mine.shown,
            "texts": held.with_texts,
            "figures": len(held.figures),
            "figures_left_out": held.left_out,
            "program": {"evalsite": evalsite.VERSION, "formula": figures.fingerprint()},
            "libraries": {name: metadata.version(name) for name in LIBRARIES},
        },
    }


def _resource(archive: _Archive, table: Table) -> dict[str, Any]:
    path = f"tables/{table.file}"
    return {
        "name": table.name,
        "path": path,
        "description": table.about,
        "profile": "tabular-data-resource",
        "encoding": "utf-8",
        "bytes": archive.sizes[path],
        "hash": f"sha256:{archive.sums[path]}",
        "schema": {
            "fields": [
                {"name": name, "type": type_of(one), "description": _about(name, one)}
                for name, one in table.fields.items()
            ],
            "primaryKey": "id",
            "foreignKeys": [
                {"fields": name, "reference": {"resource": other.name, "fields": "id"}}
                for name, one in table.fields.items()
                if isinstance(one, ForeignKey) and (other := BY_MODEL.get(one.related_model))
            ],
        },
    }


def _about(name: str, field_: Any) -> str:
    if isinstance(field_, ForeignKey) and (other := BY_MODEL.get(field_.related_model)):
        return f"Row of {other.name}."
    return _WORDS.get(name) or f"{str(field_.verbose_name).capitalize()}."


def _readme(held: Contents) -> str:
    round_, project = held.mine.round, held.mine.scope.project
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    withheld = "" if held.mine.shown else " Systems go by number, as their names were hidden."
    some = (
        "The texts of questions and answers are in `texts/`."
        if held.with_texts
        else ("The texts of questions and answers are not in it.")
    )
    return f"""# {project.name}, round {round_.number}: {round_.name}

* `study.md`, `study.json`: who graded what, by which rubric, and how it was computed.
* `tables/`: all data, a CSV a table. `datapackage.json` describes every column and says which table a column
  refers to. Grades of people are in `ratings.csv`, scores of machines in `judgments.csv`. People go by number
  alone. {some}{withheld} An empty cell is nothing; a text that begins like a formula has an apostrophe before it.
* `figures/`: {len(held.figures)} figures as the site computed them, with their parameters; {held.left_out} others
  rest on more than these tables.
* `SHA256SUMS`: checksums; `sha256sum -c SHA256SUMS` checks them.

To compute every figure anew from the tables and compare it to the last digit:

    manage.py verify_figures BUNDLE.zip

Made by evalsite {evalsite.VERSION} (formulas {figures.fingerprint()}) with {versions}. Another version of these
may differ in the last digits.
"""
