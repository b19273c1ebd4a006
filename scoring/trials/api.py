"""The report of a trial for programs, and its decision."""

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.qualification.models import Trial
from annotation.rounds.models import Round
from evalsite.contract.calls import COMPUTING, Body, contract, get, post, valid
from evalsite.contract.shapes import ANYTHING, answers, at, maybe, one_of, shape
from scoring.figures import api as asking
from scoring.trials import queries as operations
from scoring.trials.queries import TrialReport


class TrialsDecisionIn(Body):
    figure = serializers.IntegerField(help_text="The figure that the report was read from.")


MEASURED = maybe({str: ANYTHING})
LINE = shape(
    "TrialLine",
    annotator=at("rater.user.public_id", maybe(UUID)),
    name=str,
    n_done=int,
    n_questions=at("n_seats", int),
    reference=at("row.reference", MEASURED),
    peers=at("row.peers", MEASURED),
    severity=at("row.severity", MEASURED),
    confusions=at("row.confusions", [{str: ANYTHING}]),
    verdict=at("judged.verdict", str),
    why=at("judged.why", [str]),
    state=str,
)
REPORT = shape(
    "TrialReport",
    state=one_of("ready"),
    as_of=maybe(datetime),
    figure=int,
    capability=int,
    statistic=str,
    reference_at=maybe(float),
    peers_at=maybe(float),
    n_least=int,
    decided=bool,
    annotators=[LINE],
    cause=str,
    n_differ=int,
    n_differ_on_suspects=int,
    units=[{str: ANYTHING}],
)


@contract(
    get(
        REPORT,
        "Return the report of a trial: who reaches the threshold, and what is behind it.",
        figure=True,
    ),
    post(REPORT, "Record the result of a trial.", takes=TrialsDecisionIn, also={202: COMPUTING}),
)
@door(permissions.CURATORS)
def trial(request: HttpRequest, scope: Scope, number: int) -> Response:
    rows = Trial.objects.filter(round__discarded_at__isnull=True).select_related(
        "round__project", "capability", "rule"
    )
    seen = rows.exclude(round__state=Round.State.DRAFT)
    found = get_object_or_404(seen, round__project=scope.project, round__number=number)
    now = timezone.now()
    if request.method == "POST":
        seen = valid(TrialsDecisionIn, request)["figure"]
        operations.decide(trial=found, seen=seen, by=scope.user, now=now)
    figure = operations.figure_of(found, now)
    if wait := asking.waiting(request, figure):
        return wait
    report = TrialReport(found, figure.data or {})
    diagnosis = report.diagnosis
    return Response(
        {
            "state": "ready",
            "as_of": figure.ready_at,
            "figure": figure.pk,
            "capability": found.capability_id,
            "statistic": found.statistic,
            "reference_at": report.threshold.reference_at,
            "peers_at": report.threshold.peers_at,
            "n_least": report.threshold.n_least,
            "decided": bool(report.decided),
            "annotators": answers(LINE, report.lines),
            "cause": diagnosis["cause"],
            "n_differ": diagnosis["n_wrong"],
            "n_differ_on_suspects": diagnosis["n_wrong_suspect"],
            "units": diagnosis["units"],
        }
    )
