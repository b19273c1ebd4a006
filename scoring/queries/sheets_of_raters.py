"""Tables of annotators: severity and fair scores, steadiness, pace, position."""

from collections.abc import Iterator

from annotation.rules import tokens
from scoring.queries.sheet import Sheet, percent
from scoring.queries.sources import Source
from scoring.queries.wording import why

Row = tuple[object, ...]


def severity(source: Source) -> Sheet:
    """How severe each annotator is, with what that costs in points."""
    found = source.data["severity"]
    rows = (
        (
            source.labels.rater(one["rater"]),
            one["severity"],
            one["low"],
            one["high"],
            percent(one["points"]),
            one["misfit"],
            one["n_grades"],
        )
        for one in found["raters"]
    )
    columns = ("annotator", "severity", "low", "high", "points", "misfit", "grades")
    return Sheet("severity", columns, rows, found["method"])


def fair(source: Source) -> Sheet:
    """Scores as graded, and as they would be under average severity."""
    found = source.data["severity"]
    rows = (
        (
            source.names[one["release"]].text,
            percent(one["raw"]),
            percent(one["fair"]),
            percent(one["fair"] - one["raw"]),
            one["n_grades"],
        )
        for one in found["releases"]
        if one["release"] in source.names
    )
    columns = ("system", "as_graded", "fair", "change", "grades")
    return Sheet("fair", columns, rows, f"{found['method']}; all grades pooled, percent")


def steady(source: Source) -> Sheet:
    """The same again, and drift over time."""

    def rows() -> Iterator[Row]:
        again = {one["rater"]: one for one in source.data["retest"]}
        for one in source.data["drift"]:
            twice = again.get(one["rater"], {})
            yield (
                source.labels.rater(one["rater"]),
                one["slope"],
                one["low"],
                one["high"],
                one["cusum"],
                one["p"],
                one["n_grades"],
                why(one["reason"]),
                twice.get("same"),
                twice.get("apart"),
                twice.get("shift"),
                twice.get("n_pairs"),
                why(twice.get("reason")),
            )

    drift = ("drift", "drift_low", "drift_high", "cusum", "p", "grades", "why_no_drift")
    retest = ("same_again", "apart", "shift", "pairs", "why_no_retest")
    said = (
        "drift: change from the first to the last grade against the mean of the others, a straight "
        "line, shares of the scale; p of the CUSUM by permutation; retest: second against first"
    )
    return Sheet("steady", ("annotator", *drift, *retest), rows(), said)


def position(source: Source) -> Sheet:
    """The mean mark at each position, centred."""
    found = source.data["position"]
    rows = (
        (
            tokens.letter(int(one["position"])),
            percent(one["mean"]),
            percent(one["low"]),
            percent(one["high"]),
            one["n_grades"],
            found["p"],
            found["n_questions"],
        )
        for one in found["positions"]
    )
    columns = ("position", "points", "low", "high", "grades", "p_all_equal", "questions")
    said = "mean mark by position, centred by page and system, points of percent"
    return Sheet("position", columns, rows, said)


def tempo(source: Source) -> Sheet:
    """The usual time of a question beside how often somebody stands alone, by annotator."""
    rows = (
        (
            source.labels.rater(one["rater"]),
            one["seconds"],
            one["low"],
            one["high"],
            one["n_seats"],
            percent(one["alone"]),
            one["n_graded"],
        )
        for one in source.data["tempo"]
    )
    columns = ("annotator", "seconds", "quartile_1", "quartile_3", "questions", "alone", "grades")
    said = "median of the active seconds a question; alone: C(i), percent of graded responses"
    return Sheet("tempo", columns, rows, said)


def pace(source: Source) -> Sheet:
    """Active seconds a question, by annotator and capability."""
    rows = (
        (
            source.labels.rater(one["rater"]),
            source.labels.capability(one["capability"]),
            one["median"],
            one["low"],
            one["high"],
            one["n_fast"],
            one["n_seats"],
        )
        for one in source.data["pace"]
    )
    columns = ("annotator", "capability", "median", "quartile_1", "quartile_3", "fast", "questions")
    said = "active seconds a question; fast: under a third of the median of the capability"
    return Sheet("pace", columns, rows, said)
