"""Judges of pairs as JSON: what it would take to compare answers, and the start."""

from evalsite.contract.shapes import shape
from scoring.engine.api import ESTIMATE, starting
from scoring.kinds.pairs import operations

start = starting(
    operations.KIND,
    "Estimate what having answers judged in pairs would take, or start it.",
    estimate=shape("PairsEstimate", ESTIMATE, pairs=int),
)
