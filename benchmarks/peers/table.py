"""The table in Markdown: parts as sections, measures as rows, the others as columns."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.peers.results import Part, Row


def page(
    parts: Sequence[Part],
    *,
    names: Mapping[str, str],
    offered: str = "",
    missing: Sequence[str] = (),
) -> str:
    """Return the whole page.

    Args:
        parts: in the order they are shown.
        names: of the peers, by key.
        offered: a section about what the others have.
        missing: titles of the parts that were not measured.
    """
    rows = [row for part in parts for row in part.rows]
    told = {key: sum(row.met() is key for row in rows) for key in (True, False)}
    without = sum(row.bar is not None and row.ours is None for row in rows)
    days = sorted({part.when.partition(" ")[0] for part in parts})
    machines = dict.fromkeys(
        ", ".join(f"{word} {value}" for word, value in part.machine.items()) for part in parts
    )
    head = [
        "# Beside other programs",
        "",
        "The same work in ours and in other programs, on one machine. "
        "Made by `make peers` (`python -m benchmarks.peers`); not written by hand. "
        "[What is measured and how](../benchmarks/README.md#beside-other-programs).",
        "",
        f"Measured {' to '.join(dict.fromkeys((days[0], days[-1]))) if days else 'never'} on: "
        f"{'; '.join(machines) or 'no machine'}.",
        "",
        f"Of the {told[True] + told[False] + without} bars of the parts below {told[True]} are met, "
        f"{told[False]} are not met, {without} could not be measured."
        + (
            f" Parts that were not measured here, with their bars: {'; '.join(missing)}."
            if missing
            else ""
        ),
        "",
        "A figure is the median of n repetitions. In brackets: how many times better ours is (below 1: "
        "theirs is better). The yardstick is a fixed piece of work in processor milliseconds, before and "
        "after each part; divide by it to compare machines. Where the load is above the number of cores, "
        "processor time says more than the clock.",
        "",
        "| program | version |",
        "|---|---|",
        *(f"| {name} | {_cell(_versions(parts, key))} |" for key, name in names.items()),
        "",
    ]
    body = [line for part in parts for line in section(part, names)]
    return "\n".join([*head, *([offered, ""] if offered else []), *body]).rstrip() + "\n"


def _versions(parts: Iterable[Part], key: str) -> str:
    found = dict.fromkeys(part.versions[key] for part in parts if key in part.versions)
    return " and ".join(found) or "not measured"


def section(part: Part, names: Mapping[str, str]) -> list[str]:
    """Return the lines of one part."""
    small = "; **smaller than the full sizes**" if part.small else ""
    lines = [
        f"## {part.title}",
        "",
        f"{part.when} UTC; yardstick {part.before.yardstick_ms:g} and {part.after.yardstick_ms:g} "
        f"CPU-ms; load {part.before.load:g} and {part.after.load:g}{small}",
        "",
    ]
    if part.problem:
        lines += [f"Not measured, or not all: {_cell(part.problem)}.", ""]
    if part.rows:
        keys = [key for key in names if any(key in row.peers for row in part.rows)]
        heads = ["what", "bar", "ours", "met", *(names[key] for key in keys), "n"]
        lines += [_line(heads), _line(["---"] * len(heads))]
        lines += [_line(_cells(row, keys)) for row in part.rows]
        lines += ["", *_notes(part.rows)]
    return lines


def _cells(row: Row, keys: Iterable[str]) -> list[str]:
    words = {True: "yes", False: "**no**", None: "–"}
    bar = "–" if row.bar is None else f"{row.way} {number(row.bar)} {row.unit}".strip()
    ours = "not measured" if row.ours is None else f"{number(row.ours)} {row.unit}".strip()
    met = "not measured" if row.bar is not None and row.ours is None else words[row.met()]
    theirs = [_theirs(row, key) for key in keys]
    return [_cell(row.what), bar, ours, met, *theirs, str(row.n)]


def _theirs(row: Row, key: str) -> str:
    found = row.peers.get(key, "–")
    if isinstance(found, str):
        return _cell(found)
    ratio = row.ratio(key)
    beside = "" if ratio is None or row.unit == "×" else f" ({number(ratio)} ×)"
    return f"{number(found)} {row.unit}".strip() + beside


def _notes(rows: Iterable[Row]) -> list[str]:
    """Return a line for each note; one that several rows share stands alone."""
    whose: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            whose.setdefault(row.note, []).append(row.what)
    notes = [
        f"* {names[0]}: {note}." if len(names) == 1 else f"* {note[0].upper()}{note[1:]}."
        for note, names in whose.items()
    ]
    return [*notes, ""] if notes else []


def number(value: float) -> str:
    """Write a figure with three digits that count; whole thousands with commas."""
    if value == 0:
        return "0"
    if abs(value) < 1e-4:
        return f"{value:.0e}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100 or float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
