"""A first look at a file of scores, before it is checked: which judges and metrics it holds."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal

from annotation.models import Criterion, Project, RubricVersion, Upload
from annotation.queries.imports import files
from annotation.rules import scales
from annotation.rules.tabular import machines as rules
from annotation.rules.tabular import scores
from annotation.rules.tabular.machines import Ends, Machine, Seen, Standing
from annotation.rules.tabular.problems import Unreadable
from annotation.rules.tabular.records import Record
from annotation.rules.tabular.score_mappings import ScoreMapping

#: Rows that a page looks at before the check, which reads all; programs have all read at once.
ROWS = 10_000

Known = dict[tuple[str, str], Ends]

_known: list[Callable[[Project], Known]] = []


def supply(known: Callable[[Project], Known]) -> None:
    """Have another app tell the ranges of the judges and metrics that a project knows."""
    _known[:] = [known]


def machines(upload: Upload, mapping: ScoreMapping, *, whole: bool = False) -> list[Seen]:
    """Return the judges and metrics of a file: as the last check found them, or in its first rows."""
    if not whole and (stored := (upload.report or {}).get("seen")):
        # Those of columns come first, in the order of the file.
        found = scores.survey((), mapping)
        return list((found | {one["name"]: Seen.from_dict(one) for one in stored}).values())
    return list(scores.survey(_first(upload, None if whole else ROWS), mapping).values())


def declared(upload: Upload, mapping: ScoreMapping, *, whole: bool = True) -> ScoreMapping:
    """Return a mapping whose judges and metrics are all declared: the rest as the file suggests.

    Args:
        whole: read the file to its end; else only its beginning, and the check tells of the others.
    """
    seen = machines(upload, mapping, whole=whole)
    found = rules.completed(mapping.machines, seen, standing(upload.project, mapping))
    return with_machines(mapping, tuple(found))


def with_machines(mapping: ScoreMapping, found: tuple[Machine, ...]) -> ScoreMapping:
    return ScoreMapping(mapping.places, found, mapping.release, mapping.rater, mapping.words)


def standing(project: Project, mapping: ScoreMapping) -> Standing:
    """Return what the project says already of criteria, judges and metrics."""
    newest: dict[int, int] = {}
    versions = RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN
    ).order_by("rubric", "-number")
    for pk, rubric in versions.values_list("pk", "rubric"):
        newest.setdefault(rubric, pk)
    rows = Criterion.objects.filter(rubric_version__in=newest.values())
    found: dict[str, dict[Ends, None]] = defaultdict(dict)
    for name, key, low, high in rows.values_list("name", "key", "minimum", "maximum"):
        for one in {rules.plain_name(name), rules.plain_name(key)}:
            found[one].setdefault((low, high))
    known = _known[0](project) if _known else {}
    words = [number for one in mapping.words.values() if (number := _number(one)) is not None]
    return Standing({name: tuple(ends) for name, ends in found.items()}, known, words)


def _number(written: str) -> Decimal | None:
    try:
        return scales.parse(written)
    except ValueError:
        return None  # the mapping says so


def _first(upload: Upload, most: int | None) -> Iterator[Record]:
    try:
        if most is None:
            yield from files.records(upload)
        else:
            yield from itertools.islice(files.beginning(upload), most)
    except Unreadable:
        return  # the check tells where reading stopped, with its row
