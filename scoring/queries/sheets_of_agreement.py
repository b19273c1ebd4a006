"""Tables of agreement and of disputes."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.queries.sheet import Sheet, bounds, share
from scoring.queries.sources import Source
from scoring.queries.wording import why

Row = tuple[object, ...]
DISAGREEMENT = {
    "any": "grades are not all equal",
    "polar": "some pass and some do not",
    "range": "the marks lie two or more apart",
    "modal": "under 80 % are on one mark",
}


def agreement(source: Source) -> Sheet:
    """Every coefficient of every capability and criterion, and of everything together."""

    def rows() -> Iterator[Row]:
        data = source.data
        for one in data["parts"]:
            where = (
                source.labels.capability(one["capability"]),
                source.labels.criterion(one["criterion"]),
            )
            yield from _coefficients(where, one["agreement"])
            yield from _icc(where, one["icc"])
        yield from _coefficients(("Everything together", ""), data["overall"])
        yield from _coefficients(("The same annotators again", ""), data["again"])

    columns = ("capability", "criterion", "coefficient", "value", "low", "high", "why")
    return Sheet(
        "agreement",
        (*columns, "responses", "questions", "annotators"),
        rows(),
        source.data["overall"]["method"],
    )


def _coefficients(where: Row, found: Mapping[str, Any]) -> Iterator[Row]:
    n = (found["n_pairable"], found["n_clusters"], found["n_raters"])
    for one in found["coefficients"]:
        yield (*where, one["name"], *bounds(one), *n)


def _icc(where: Row, found: Mapping[str, Any]) -> Iterator[Row]:
    n = (found["n_units"], found["n_clusters"], found["n_raters"])
    for one in found["forms"]:
        yield (*where, f"icc({one['form']})", *bounds(one), *n)


def marginals(source: Source) -> Sheet:
    """The share of marks on each level of each criterion."""

    def rows() -> Iterator[Row]:
        for one in source.data["parts"]:
            found = one["agreement"]
            for level, part in zip(found["levels"], found["marginals"], strict=True):
                yield (
                    source.labels.capability(one["capability"]),
                    source.labels.criterion(one["criterion"]),
                    level,
                    part,
                    found["n_marks"],
                )

    said = "share of marks at each level of the scale, used or not"
    return Sheet("marginals", ("capability", "criterion", "level", "share", "grades"), rows(), said)


def pairs(source: Source) -> Sheet:
    """κ of every pair of annotators."""

    def rows() -> Iterator[Row]:
        for one in source.data["pairs"]:
            people = (source.labels.rater(one["left"]), source.labels.rater(one["right"]))
            yield (*people, *bounds(one), one["raw"], one["n_units"], one["n_clusters"])

    columns = ("annotator", "with", "kappa", "low", "high", "why")
    methods = {one["method"] for one in source.data["pairs"]}
    said = "Cohen's kappa, quadratic weights, mean over criteria weighted by what both marked"
    return Sheet(
        "pairs",
        (*columns, "equal", "responses", "questions"),
        rows(),
        "; ".join([said, *sorted(methods)]),
    )


def without(source: Source) -> Sheet:
    """Mean ordinal α over the criteria, leaving out one annotator each."""
    rows = (
        (source.labels.rater(one["rater"]), one["value"], one["change"])
        for one in source.data["without"]
    )
    said = "mean ordinal alpha over the criteria without the annotator, and its change"
    return Sheet("without", ("annotator", "alpha", "change"), rows, said)


def disagreement(source: Source) -> Sheet:
    """The ratio of disagreement by capability and rule."""

    def rows() -> Iterator[Row]:
        for rule, found in source.data["disagreement"].items():
            for one in found:
                n = (one["n_disputed"], one["n_pairs"])
                part = source.labels.capability(one["capability"])
                yield part, rule, DISAGREEMENT[rule], share(one["value"]), *n, why(one["reason"])

    columns = ("capability", "rule", "meaning", "share", "disputed", "responses", "why")
    said = "share of the responses with two grades or more that meet the rule"
    return Sheet("disagreement", columns, rows(), said)


def disputes(source: Source) -> Sheet:
    """C(ij) and C(i): how often each annotator stands alone."""

    def rows() -> Iterator[Row]:
        last = {one["rater"]: n for n, one in enumerate(source.data["raters"])}
        for n, one in enumerate(source.data["raters"]):
            over_all = n == last[one["rater"]]  # C(i) comes last
            part = "" if over_all else source.labels.capability(one["capability"])
            name = source.labels.rater(one["rater"])
            yield name, part, share(one["value"]), one["n_alone"], one["n_graded"]

    columns = ("annotator", "capability", "share", "alone", "grades")
    return Sheet("disputes", columns, rows(), rules(source.data["rules"]))


def questions(source: Source) -> Sheet:
    """C(k) of the questions in dispute, as printed and per system."""
    rows = (
        (
            one["question"],
            share(one["printed"]),
            share(one["normalised"]),
            one["n_divided"],
            one["n_alone"],
            one["n_releases"],
            one["n_raters"],
        )
        for one in source.data["questions"]
        if one["n_divided"] or one["n_alone"]
    )
    columns = ("question", "c_k", "per_system", "divided", "alone", "systems", "annotators")
    return Sheet("questions", columns, rows, rules(source.data["rules"]))


def places(source: Source) -> Sheet:
    """Every response in dispute, with who stands alone on it."""
    rows = (
        (
            one["question"],
            source.names[one["release"]].text,
            source.labels.capability(one["capability"]),
            source.labels.criterion(one["criterion"]),
            one["divided"],
            "; ".join(source.labels.rater(key) for key in one["alone"]),
            one["n_raters"],
        )
        for one in source.data["places"]
        if one["release"] in source.names
    )
    columns = ("question", "system", "capability", "criterion", "divided", "alone", "annotators")
    return Sheet("places", columns, rows, rules(source.data["rules"]))


def rules(used: Mapping[str, Any]) -> str:
    """Return the rules of disputes in words for programs."""
    far = f", {used['far']:g} or more" if used["rater"] == "median" else ""
    limits = {"share": f", at least {used['share']:g}", "range": f", at least {used['span']:g}"}
    weights = " and ".join(f"{used[name]['num']}/{used[name]['den']}" for name in ("w1", "w2"))
    question = used["question"] + limits.get(used["question"], "")
    return f"annotators: {used['rater']}{far}; questions: {question}; weights {weights}"
