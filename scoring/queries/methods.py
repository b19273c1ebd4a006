"""What a report says of its methods: sentences made from the conventions its figures really followed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Round
from scoring.queries.disputes import QUESTION_RULES, RATER_RULES

Data = Mapping[str, Any]
COEFFICIENTS = {
    "raw": "share of equal pairs",
    "fleiss": "Fleiss’ κ (1971)",
    "ac1": "Gwet’s AC1 (2008)",
    "ac2_ordinal": "Gwet’s AC2, ordinal weights (2014)",
    "alpha_nominal": "Krippendorff’s α, nominal (2011)",
    "alpha_ordinal": "Krippendorff’s α, ordinal (2011)",
    "alpha_interval": "Krippendorff’s α, interval (2011)",
    "alpha_ratio": "Krippendorff’s α, ratio (2011)",
}


@dataclass(frozen=True, slots=True)
class Paragraph:
    title: str
    text: str


def of_round(round_: Round) -> Paragraph:
    """Say how the grades came about."""
    if round_.kind == Round.Kind.IMPORTED:
        said = _("The grades were given elsewhere and imported; how is not known here.")
        return Paragraph(_("Grades"), said)
    seats = ngettext(
        "Each question was to be graded by %(n)d annotator, blind: answers without names, in orders "
        "that put every system in every position equally often.",
        "Each question was to be graded by %(n)d annotators, blind: answers without names, in orders "
        "that put every system in every position equally often.",
        round_.n_seats,
    ) % {"n": round_.n_seats}
    flat = _(" Headings, bold and emoji were flattened.") if round_.uniform_rendering else ""
    counted = _(
        " Counted are grades as given, the first time each, not late, not declared invalid, gold "
        "questions left out, unless the settings say otherwise."
    )
    return Paragraph(_("Grades"), seats + flat + counted)


def of_scores(data: Data) -> list[Paragraph]:
    """Say how scores, accuracies, differences and ranks were computed."""
    methods = data["methods"]
    said = _(
        "Differences are paired: they count only what the same annotator graded of both systems by "
        "the same criterion, and both are scored on the same resampled questions. All pairs are "
        "tested at once, corrected by Holm’s method (1979); ranks follow from these tests."
    )
    ranks = data["ranks"].get("method", "")
    made = [
        Paragraph(_("Score"), _sentence(methods.get("score.overall", ""))),
        Paragraph(_("Accuracy"), _sentence(methods.get("accuracy.overall", ""))),
        Paragraph(_("Differences and ranks"), f"{said} {_sentence(ranks)}".strip()),
    ]
    return [one for one in made if one.text]


def of_agreement(data: Data) -> Paragraph:
    """Say which coefficients there are, and how their intervals came about."""
    found = data["overall"]
    names = [COEFFICIENTS.get(one["name"], one["name"]) for one in found["coefficients"]]
    said = _(
        "A unit is a response on a criterion; levels are those of the rubric, used or not. "
        "Coefficients: %(names)s; ICC by analysis of variance (Shrout and Fleiss 1979). Undefined "
        "coefficients say why."
    ) % {"names": ", ".join(names)}
    return Paragraph(_("Agreement"), f"{said} {_sentence(found['method'])}")


def of_disputes(data: Data) -> Paragraph:
    """Say by which rules a grade or a question is in dispute."""
    rules = data["rules"]
    said = _(
        "An annotator is in dispute when %(rater)s. A question is in dispute when %(question)s. "
        "C(k) weighs divided responses by %(w1)s and grades that stand alone by %(w2)s (LalaEval, appendix F.1)."
    ) % {
        "rater": RATER_RULES[rules["rater"]],
        "question": QUESTION_RULES[rules["question"]],
        **{name: _fraction(rules[name]) for name in ("w1", "w2")},
    }
    return Paragraph(_("Disputes"), said)


def of_raters(data: Data) -> Paragraph:
    """Say how severity, steadiness and position were estimated."""
    severity = _sentence(data["severity"]["method"])
    said = _(
        "Drift: a straight line and a CUSUM over deviations from the others in time, p by "
        "permutation. Position: means centred by page and system, tested over questions."
    )
    return Paragraph(_("Annotators"), f"{severity} {said}")


def of_plan(data: Data) -> Paragraph:
    """Say what the learning curve and the plan rest on."""
    said = _(
        "Learning curve: today’s standard error of the overall score falls with the root of the "
        "number of questions; Student’s t gives the width. Plan: variances of paired differences by "
        "the method of moments (Henderson 1953), power %(power)s in two-sided tests at the confidence "
        "level %(level)s."
    ) % {"power": f"{data['power']:g}", "level": f"{data['level']:g}"}
    return Paragraph(_("Questions needed"), said)


def of_movement() -> Paragraph:
    """Say how the causes of a change are told apart."""
    said = _(
        "Fixed effects: a grade is the worth of what was graded plus the severity of its annotator "
        "in that round, by weighted least squares; what did not change has one worth in both rounds. "
        "The parts add up to the change. Intervals resample questions."
    )
    return Paragraph(_("Movement"), said)


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _fraction(exact: Mapping[str, int]) -> str:
    return str(exact["num"]) if exact["den"] == 1 else f"{exact['num']}/{exact['den']}"
