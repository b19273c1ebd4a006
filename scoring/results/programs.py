"""What the API says of scores: every field named here, and no key of the database among them."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.rounds.models import Round
from scoring.figures.cells import Count
from scoring.figures.models import Figure
from scoring.results.queries import BOUNDS, Result
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import Certainty

TESTS = ("low", "high", "p", "p_holm", "p_equal", "interval_reason")
DIFFERENCE = (
    "value",
    "certainty",
    "n_questions",
    "n_either",
    "n_pairs",
    "n_left_out",
    "n_raters",
    "reason",
    "method",
)
SCORE = (
    "figure",
    "level",
    "criterion",
    "group",
    "value",
    "numerator",
    "denominator",
    "n_grades",
    "n_questions",
    "n_raters",
    "partial",
    "reason",
)


def results(round_: Round, result: Result, figure: Figure, *, names_shown: bool) -> dict[str, Any]:
    """Return the result of a round; releases go by their number, the one they are filtered by."""
    data: Mapping[str, Any] = figure.data or {}
    number = {name.release: result.places[name.release] for name in result.names}
    return {
        "state": "ready",
        "round": {
            "number": round_.number,
            "name": round_.name,
            "state": round_.state,
            "revision": round_.revision,
        },
        # Some of what was graded was written by a script: no measurement.
        "scripted": bool(round_.draw.get("prepared", {}).get("scripted")),
        "as_of": figure.ready_at,
        "names_shown": names_shown,
        "level": result.level,
        "claim": result.claim,
        "margin": result.margin,
        "counts": dict(result.counts),
        "releases": [_release(name, number[name.release]) for name in result.names],
        "weights": [{"capability": title, "weight": weight} for title, weight in result.weights],
        "methods": dict(result.methods),
        "scores": list(_scores(result, data, number)),
        "differences": list(_differences(result, data, number)),
        "widest": _widest(result, number),
        "ranks": list(_ranks(result, data, number)),
        "not_separable": [
            [number[name.release] for name in group] for group in result.not_separable
        ],
        "coverage": [_count(line) for line in result.coverage],
    }


def _release(name: Name, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "system": name.system,
        "release": name.label or None,
        "name": name.text,
    }


def _scores(
    result: Result, data: Mapping[str, Any], number: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    for row in data["scores"]:
        if row["release"] not in number:
            continue
        spans = row["level"] in {"group", "overall"}
        of = row["group"] or row["capability"]
        covered = result.covered(row["level"], row["release"], of)
        if row["level"] == "criterion":
            covered = dict.fromkeys(covered)
        yield {
            "release": number[row["release"]],
            "capability": None if spans else result.title(row["capability"]),
            **{name: row[name] for name in SCORE},
            **{name: row["these"][name] for name in BOUNDS},
            "others": {name: row["others"][name] for name in BOUNDS},
            "came": covered["came"],
            "wanted": covered["wanted"],
            "missing": result.missing(row),
            "explanation": why(row["reason"] or row["these"]["interval_reason"]),
        }


def _differences(
    result: Result, data: Mapping[str, Any], number: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    for row in data["differences"]:
        if row["left"] in number and row["right"] in number:
            sides = {side: number[row[side]] for side in ("left", "right")}
            yield {
                "figure": row["figure"],
                **sides,
                **{name: row[name] for name in DIFFERENCE},
                **{name: row["these"][name] for name in TESTS},
                "clear": row["certainty"] == Certainty.CLEAR,
                "others": {name: row["others"][name] for name in TESTS},
                "missing": result.named(row["missing"]),
            }


def _widest(result: Result, number: Mapping[int, int]) -> dict[str, Any] | None:
    found = result.widest
    if found is None:
        return None
    return {
        "capability": found.title,
        "high": number[found.high.release],
        "low": number[found.low.release],
        "points": float(found.points),
    }


def _ranks(
    result: Result, data: Mapping[str, Any], number: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    known = {line.name.release: line for line in result.headline}
    for row in data["ranks"][result.claim]["ranks"]:
        if line := known.get(row["release"]):
            yield {
                "release": number[row["release"]],
                "low": row["low"],
                "high": row["high"],
                "better_than": [number[other.release] for other in line.better],
                "reason": row["reason"],
            }


def _count(line: Count) -> dict[str, Any]:
    return {
        "capability": line.title,
        "wanted": line.wanted,
        "given": line.given,
        "cannot_grade": line.cannot_grade,
        "late": line.late,
        "invalid": line.invalid,
        "missing": line.missing,
    }
