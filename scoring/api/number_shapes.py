"""Shapes of numbers as the API says them: with bounds, with what they rest on, and why there is none."""

from evalsite.contract.shapes import maybe, said, shape

NUMBER = maybe(float)
WHY = said(maybe(str), "Why there is no number: one word; null where there is one.")
FRACTION = shape("Fraction", _text="An exact fraction.", num=int, den=int, value=float)
INTERVAL = {"low": NUMBER, "high": NUMBER}
#: A mean over questions; `n_held` counts those that there are, `n` those with a value.
MEAN = shape("QuestionMean", value=NUMBER, **INTERVAL, n=int, n_held=int, reason=WHY)
#: Two systems by their places in `candidates`.
DIFFERENCE = shape(
    "SystemDifference",
    left=int,
    right=int,
    value=NUMBER,
    **INTERVAL,
    p=NUMBER,
    p_holm=said(NUMBER, "Corrected for the number of pairs (Holm)."),
    n=int,
    reason=WHY,
)
VALUE = shape("EvaluatorValue", value=NUMBER, **INTERVAL, reason=WHY, interval_reason=WHY)
