"""Grading beside Label Studio and Potato: what an item costs, several at once, in and out."""

import re
import statistics
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from benchmarks import grading_cpu, grading_throughput
from benchmarks.peers import desks, label_studio, own, potato
from benchmarks.peers.desks import Cost, Place, Rush
from benchmarks.peers.installed import Failed
from benchmarks.peers.results import Row, Way

PEOPLE = 8
PEERS = {"label-studio": label_studio, "potato": potato}
OURS = "ours"


@dataclass
class Sizes:
    """How much is done."""

    items: tuple[int, int] = (1_000, 10_000)
    batch: int = 25
    batches: int = 5
    seconds: float = 10
    responses: int = 40_000
    grades: int = 100_000


SMALL = Sizes((60, 200), 5, 2, 3, 0, 0)


@dataclass
class Found:
    """What one program did; words where it could not.

    Attributes:
        cost: by number of items.
        rush: eight at once.
        above: questions above the seats, of those that anybody took.
        loading: responses a second.
        exporting: grades a second.
    """

    cost: dict[int, Cost | str] = field(default_factory=dict)
    rush: Rush | str = ""
    above: tuple[int, int] | str = ""
    loading: float | str = ""
    exporting: float | str = ""


def rows(*, small: bool = False) -> list[Row]:
    """Measure ours and both others, one after the other, each at both sizes."""
    sizes = SMALL if small else Sizes()
    found = {OURS: ours(sizes)}
    for key, module in PEERS.items():
        found[key] = theirs(module.site, module.above_seats, module.export, sizes)
    return listed(found, sizes, bars=not small)


def ours(sizes: Sizes) -> Found:
    """Measure our web process as the two commands of grading do, and import and export."""
    found = Found()
    for place, n_items in enumerate(sizes.items):
        with grading_cpu.site(n_items, n_people=PEOPLE, port=18783 + place) as site:
            desk = grading_cpu.Desk(site, site.people[0])
            desk.sit()
            desk.grade(10)
            costs, walls = [], []
            for _batch in range(sizes.batches):
                before, taken = site.cpu_s(), len(desk.line.took)
                desk.grade(sizes.batch)
                costs.append((site.cpu_s() - before) * 1000 / sizes.batch)
                walls.append(sum(desk.line.took[taken:]) * 1000 / sizes.batch)
            found.cost[n_items] = Cost(
                statistics.median(costs), statistics.median(walls), sizes.batches
            )
            if place == len(sizes.items) - 1:
                found.rush, found.above = _our_rush(site, sizes.seconds)
    if not sizes.responses:
        found.loading = found.exporting = "left out of a small look"
        return found
    said = own.printed("import_responses", ("--responses", str(sizes.responses)))
    found.loading = _read(said, r"responses_per_s_check_and_apply: ([\d.]+)")
    said = own.printed("export_grades", (str(sizes.grades),))
    found.exporting = _read(said, r"csv\s+([\d,]+) grades/s")
    return found


def _our_rush(site: grading_cpu.Site, seconds: float) -> tuple[Rush, tuple[int, int]]:
    crowd = grading_throughput.Crowd([grading_cpu.Desk(site, one) for one in site.people])
    for desk in crowd.desks:
        desk.drafts = 0
        desk.sit()
    rate, took = crowd.grade(seconds=seconds)
    counted = site.ask("count")
    p95 = sorted(took)[int(len(took) * 0.95)] * 1000 if took else 0.0
    return Rush(rate, p95, crowd.troubles), (counted["above"], counted["submitted"])


def theirs(
    site: Callable[[int], AbstractContextManager[Place]],
    above: Callable[[Place], tuple[int, int]],
    export: Callable[[Place], tuple[float, int]],
    sizes: Sizes,
) -> Found:
    """Measure another program; what it refuses stands in words, the rest goes on."""
    found = Found()
    for n_items in sizes.items:
        try:
            with site(n_items) as place:
                found.cost[n_items] = desks.cost(
                    place, place.sit(0), batch=sizes.batch, batches=sizes.batches
                )
                if n_items == sizes.items[-1]:
                    found.loading = n_items * len(desks.ANSWERS) / place.loading
                    people = [place.sit(number) for number in range(1, PEOPLE + 1)]
                    found.rush = desks.rush(people, sizes.seconds)
                    found.above = above(place)
                    took, grades = export(place)
                    found.exporting = grades / took
        except Failed as why:
            found.cost.setdefault(n_items, str(why))
            if n_items == sizes.items[-1]:
                for name in ("rush", "above", "loading", "exporting"):
                    if getattr(found, name) == "":
                        setattr(found, name, str(why))
    return found


def listed(found: dict[str, Found], sizes: Sizes, *, bars: bool) -> list[Row]:
    """Turn what was found into rows."""
    small, large = sizes.items

    def row(
        what: str,
        unit: str,
        read: Callable[[Found], float | str],
        way: Way = "",
        bar: float | None = None,
        n: int = 1,
        note: str = "",
    ) -> Row:
        mine = read(found[OURS])
        peers = {key: read(one) for key, one in found.items() if key != OURS}
        value = mine if not isinstance(mine, str) else None
        bound = (way, bar) if bars else (way, None)
        return Row(what, unit, value, *bound, peers=peers, n=n, note=note)

    costs = [
        row(
            f"one question with four answers, three drafts, submit and next; {n:,} questions",
            "CPU-ms",
            lambda one, n=n: _of(one.cost.get(n), "cpu_ms"),  # type: ignore[misc]
            "at most",
            25,
            sizes.batches,
            "processor time of the whole server with its child processes",
        )
        for n in (small, large)
    ]
    waits = [
        row(
            f"the same on the clock; {n:,} questions",
            "ms",
            lambda one, n=n: _of(one.cost.get(n), "wall_ms"),  # type: ignore[misc]
            n=sizes.batches,
        )
        for n in (small, large)
    ]
    growth = row(
        f"processor time at {large:,} questions over that at {small:,}",
        "×",
        lambda one: _growth(one.cost.get(small), one.cost.get(large)),
        "at most",
        1.15,
        sizes.batches,
    )
    return [
        *costs,
        growth,
        *waits,
        row(
            f"{PEOPLE} annotators without a pause, no drafts",
            "questions/s",
            lambda one: _of(one.rush, "rate"),
            "at least",
            40,
            note="one run on SQLite; the commands in benchmarks/ repeat it and know PostgreSQL",
        ),
        row(
            "an answer of the server meanwhile, p95",
            "ms",
            lambda one: _of(one.rush, "p95_ms"),
            "at most",
            200,
        ),
        row(
            "errors meanwhile",
            "",
            lambda one: one.rush if isinstance(one.rush, str) else float(len(one.rush.troubles)),
            "at most",
            0,
        ),
        row(
            "questions above their three seats afterwards",
            "",
            lambda one: one.above if isinstance(one.above, str) else float(one.above[0]),
            "at most",
            0,
            note="; ".join(_above(key, one) for key, one in found.items()),
        ),
        row(
            "importing answers, checked and stored",
            "answers/s",
            lambda one: one.loading,
            "at least",
            2_000,
            note="Label Studio: one JSON over HTTP; Potato: its start with the file, nothing is "
            "stored; ours with its report of what the file would change",
        ),
        row(
            "exporting grades",
            "grades/s",
            lambda one: one.exporting,
            "at least",
            25_000,
            note="Label Studio and Potato export what was graded here: few grades, so that much "
            "of their time is the start",
        ),
    ]


def _above(key: str, found: Found) -> str:
    names = {OURS: "ours", "label-studio": "Label Studio", "potato": "Potato"}
    if isinstance(found.above, str):
        return f"{names[key]} not known"
    what = "submitted" if key == OURS else "questions"
    return f"{names[key]} {found.above[0]} of {found.above[1]:,} {what}"


def _of(found: object, name: str) -> float | str:
    return found if isinstance(found, str) else float(getattr(found, name))


def _growth(small: Cost | str | None, large: Cost | str | None) -> float | str:
    if isinstance(small, Cost) and isinstance(large, Cost):
        return large.cpu_ms / small.cpu_ms
    return next((one for one in (small, large) if isinstance(one, str)), "not measured")


def _read(said: str, pattern: str) -> float:
    found = re.search(pattern, said)
    if not found:
        raise Failed("the command did not print it")
    return float(found[1].replace(",", ""))
