"""Figures as the API says them: names in the place of keys, statistics as they were computed."""

from collections.abc import Mapping
from typing import Any

from scoring.queries.labels import Labels
from scoring.queries.names import Name
from scoring.queries.watching import NAMES as SIGNALS
from scoring.queries.watching import Signals

Data = Mapping[str, Any]
Names = Mapping[int, Name]


def agreement(data: Data, labels: Labels, _names: Names) -> Data:
    return {
        "parts": [_named(one, labels) for one in data["parts"]],
        "overall": data["overall"],
        "again": data["again"],
        "pairs": [
            {**one, "left": labels.rater(one["left"]), "right": labels.rater(one["right"])}
            for one in data["pairs"]
        ],
        "without": [_named(one, labels) for one in data["without"]],
        "disagreement": {
            rule: [_named(one, labels) for one in rows]
            for rule, rows in data["disagreement"].items()
        },
    }


def disputes(data: Data, labels: Labels, names: Names) -> Data:
    raters: dict[Any, list[dict[str, Any]]] = {}
    for row in data["raters"]:
        raters.setdefault(row["rater"], []).append(row)
    return {
        **{key: data[key] for key in ("rules", "few_raters", "never", "reason", "questions")},
        "n_without_threshold": data["n_without_threshold"],
        "annotators": [
            {"overall": row is rows[-1], **_named(row, labels)}
            for rows in raters.values()
            for row in rows
        ],
        "places": [
            {
                **_named({key: row[key] for key in PLACE}, labels),
                "system": names[row["release"]].text,
                "alone": [labels.rater(one) for one in row["alone"]],
            }
            for row in data["places"]
            if row["release"] in names
        ],
    }


PLACE = ("question", "capability", "criterion", "divided", "n_raters")


def annotators(data: Data, labels: Labels, names: Names) -> Data:
    severity = data["severity"]
    return {
        "severity": {
            **{key: severity[key] for key in ("n_left_out", "reason", "method")},
            "annotators": [_named(one, labels) for one in severity["raters"]],
            "systems": [
                {
                    "system": names[one["release"]].text,
                    **{key: one[key] for key in ("raw", "fair", "n_grades")},
                }
                for one in severity["releases"]
                if one["release"] in names
            ],
        },
        "retest": [_named(one, labels) for one in data["retest"]],
        "drift": [_named(one, labels) for one in data["drift"]],
        "pace": [_named(one, labels) for one in data["pace"]],
        "tempo": [_named(one, labels) for one in data["tempo"]],
        "position": data["position"],
    }


def plan(data: Data, _labels: Labels, names: Names) -> Data:
    curves = [
        {
            "system": names[one["release"]].text,
            **{key: value for key, value in one.items() if key != "release"},
        }
        for one in data["curves"]
        if one["release"] in names
    ]
    return {**data, "curves": curves}


def _named(row: Data, labels: Labels) -> dict[str, Any]:
    """Return a row with the names of its annotator and capability; no key of the database is left."""
    made = dict(row)
    if "rater" in made:
        made["annotator"] = labels.rater(made.pop("rater"))
    if "capability" in made:
        key = made["capability"]
        made["capability"] = None if key is None else labels.capability(key)
    return made


def signals(found: Signals) -> list[dict[str, Any]]:
    """Return the signals of each annotator; those who need a look come first."""
    return [
        {
            "annotator": one.label,
            "needs_look": one.needs_look,
            **{name: one.row[name] for name in SIGNALS},
            "looked_into": one.look.note if one.look else None,
        }
        for one in found.lines
    ]
