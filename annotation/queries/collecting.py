"""Which answers are still to be collected, and the sheet they are filled into."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from annotation.models import Item, Project, Round, SystemRelease
from annotation.queries import draw_plans, draws
from annotation.queries import rounds as reads
from annotation.queries.draws import Candidate
from annotation.queries.imports import workbooks
from annotation.rules import faces, sheets
from annotation.rules.draws import Draw

#: The columns of a sheet, and of what comes back.
COLUMNS = ("external_id", "fingerprint", "question", "turns", "system", "release", "response")
PAGE = 500
FINGERPRINT = 16


@dataclass(frozen=True)
class Gap:
    """A release, and how many of the questions it has not answered."""

    release: SystemRelease
    n_missing: int
    n_wanted: int

    @property
    def n_there(self) -> int:
        return self.n_wanted - self.n_missing


@dataclass(frozen=True)
class Wanted:
    """What is to be collected: by release, the items it has not answered."""

    gaps: Sequence[Gap]
    missing: Mapping[int, Sequence[int]]

    @property
    def n_missing(self) -> int:
        return sum(one.n_missing for one in self.gaps)


def of_round(round_: Round, now: datetime) -> Wanted:
    """Return what a draft lacks: of what it has drawn, or else of what it would draw."""
    chosen = [row.release_id for row in round_.systems.all()]
    releases = list(reads.releases_of(round_.project).filter(pk__in=chosen))
    wishes = replace(Draw.from_json(round_.draw), unanswered=True, complete_only=False)
    if wishes.published:
        return Wanted([], {})
    if round_.draw.get("prepared"):
        drawn = set(round_.items.filter(occasion=1).values_list("item_id", flat=True))
        listed = draws.listed(round_, chosen, wishes, now)
        return _wanted(releases, [one for one in listed if one.item_id in drawn])
    plan = draw_plans.plan(round_, wishes, now)
    return _wanted(releases, [one.candidate for one in plan.items if one.occasion == 1])


def of_bank(
    project: Project, capabilities: Sequence[int], releases: Sequence[int], now: datetime
) -> Wanted:
    """Return what releases (none named: all) lack of the questions that can be drawn."""
    found = reads.releases_of(project)
    chosen = list(found.filter(pk__in=releases) if releases else found)
    wishes = Draw(capabilities=capabilities, unanswered=True, complete_only=False)
    listed = draws.listed(Round(project=project), [one.pk for one in chosen], wishes, now)
    return _wanted(chosen, list(listed))


def _wanted(releases: Sequence[SystemRelease], candidates: Sequence[Candidate]) -> Wanted:
    ordered = sorted(candidates, key=lambda one: one.external_id)
    missing = {
        release.pk: [one.item_id for one in ordered if release.pk not in one.responses]
        for release in releases
    }
    gaps = [Gap(one, len(missing[one.pk]), len(ordered)) for one in releases]
    return Wanted(gaps, missing)


def rows(wanted: Wanted) -> Iterator[tuple[str, ...]]:
    """Yield a line for every question × release that is missing, formulas neutralised."""
    yield COLUMNS
    for gap in wanted.gaps:
        pks = wanted.missing[gap.release.pk]
        named = (gap.release.system.name, gap.release.label, "")
        for start in range(0, len(pks), PAGE):
            some = pks[start : start + PAGE]
            items = Item.objects.in_bulk(some)
            for pk in some:
                yield tuple(sheets.neutral(text) for text in (*_asked(items[pk]), *named))


def _asked(item: Item) -> tuple[str, ...]:
    turns = [f"{one.get('role', 'user')}: {faces.spoken(one)}" for one in item.messages]
    text = faces.spoken(item.messages[0]) if len(item.messages) == 1 else "\n\n".join(turns)
    return (
        item.external_id,
        f"p{item.prompt_sha[:FINGERPRINT]}",  # the letter keeps it from being a number
        text,
        json.dumps(item.messages, ensure_ascii=False),
    )


def csv_lines(wanted: Wanted) -> Iterator[str]:
    """Yield the sheet as CSV that spreadsheets read as UTF-8."""
    yield "\ufeff"
    for row in rows(wanted):
        line = io.StringIO()
        csv.writer(line).writerow(row)
        yield line.getvalue()


def workbook(wanted: Wanted) -> bytes:
    """Return the sheet as XLSX, every cell a text."""
    return workbooks.write(rows(wanted), title="Answers", widths=(18, 18, 60, 20, 18, 14, 80))
