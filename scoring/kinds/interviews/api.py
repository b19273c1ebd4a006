"""Dialogues as files by API: out of a run, and into one.

* Query parameters that several routes of results take, by what reads them.
* Interviews as JSON: what can be chosen, and starting them.
* Several evaluators of the same dialogues as JSON, and having dialogues judged again.
"""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.imports import wholes
from annotation.imports.api import FILE_READ, progress_of
from annotation.people import permissions
from annotation.people.middleware import in_steps
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import (
    AFTER,
    Body,
    choice,
    contract,
    get,
    of_form,
    post,
    readable,
    taken_on,
)
from evalsite.contract.shapes import FILE, maybe, page, said, shape
from evalsite.web import keyset
from scoring.endpoints import queries as connections
from scoring.engine.api import ESTIMATE, begin, begins, starting
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.models import Run
from scoring.kinds.interviews import details, exchange, rejudging
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews.exchange import DialoguesWish
from scoring.kinds.interviews.files import MOST_EXCHANGES, DialogueSource
from scoring.kinds.interviews.forms import DialogueFilter
from scoring.kinds.interviews.kind import KIND
from scoring.kinds.interviews.models import Exchange
from scoring.kinds.interviews.outcome import InterviewOutcome
from scoring.kinds.interviews.queries import DialogueLine
from scoring.shown import names as banner


class DialoguesIn(Body):
    """A file, and what it may not say itself: whose dialogues, who judged, how many exchanges."""

    key = serializers.UUIDField()
    file = serializers.FileField()
    name = serializers.CharField(max_length=120)
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="1")
    evaluator = serializers.CharField(max_length=120, default="Evaluator of the file")
    dataset = serializers.CharField(max_length=120, default="", allow_blank=True)
    planned = serializers.IntegerField(min_value=1, max_value=MOST_EXCHANGES, default=5)


@in_steps
@contract(post(RunOut, takes=DialoguesIn, status=201, also={202: FILE_READ}))
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def bring_in(request: Any, scope: Scope) -> Response:
    """Import a file of dialogues (multipart/form-data) as a finished run; a large one by a worker."""
    sent = DialoguesIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    source = DialogueSource(**{name: given[name] for name in DialogueSource.__dataclass_fields__})
    file, now = given["file"], timezone.now()
    wish = DialoguesWish(given["name"], file.name, source, given["evaluator"])
    what: Any = {"project": scope.project, "key": given["key"], "wish": wish, "now": now}
    if wholes.is_large(file, file.size):
        upload = exchange.hand_in_dialogues(**what, pieces=file.chunks(), by=scope.user)
        return taken_on(progress_of(upload), "api_import_file", scope.project.slug, upload.number)
    run = exchange.bring_in(**what, data=file.read(), user=scope.user)
    return Response(RunOut(run).data, status=201)


AS = choice(
    "as",
    ("", details.SHAPE),
    "The archive, or interact_details.json of the released tools in a folder for each system.",
)


@contract(get(FILE, query=[AS]))
@door(permissions.UNBLINDED)
def archive(request: Any, scope: Scope, number: int) -> StreamingHttpResponse:
    """Send the dialogues of a run as an archive with a manifest, or as the released tools have them."""
    reading = InterviewOutcome.allowed(scope, number)
    found = details.export(reading, request.GET.get("as", ""), timezone.now())
    return StreamingHttpResponse(
        found.lines, content_type=found.content_type, headers=found.headers
    )


CHOICES = shape(
    "InterviewChoices",
    over=[shape("InterviewSource", over=str, name=str)],
    releases=[shape("ReadyRelease", release=int, name=str)],
    evaluators=[shape("EvaluatorName", evaluator=int, name=str)],
    endpoints=[str],
)
DIALOGUE = shape(
    "Dialogue",
    dialogue=int,
    question=str,
    dataset=str,
    release=int,
    system=str,
    answer=str,
    chosen=str,
    right=maybe(bool),
    decided_by=str,
    planned=int,
    ended=str,
    stopped_at=maybe(int),
    stop_reason=str,
    problem=str,
    flags=[str],
    exchanges=[
        shape(
            "DialogueExchange",
            k=int,
            question=str,
            answer=str,
            scores=said(maybe({str: maybe(float)}), "By aspect."),
            comments={str: str},
            unscored=str,
            stops=maybe(bool),
            stop_reason=str,
            flags=[str],
        )
    ],
)


@contract(
    get(CHOICES, "Return the sources of questions and the systems, for interviews."),
    begins(
        KIND,
        "Estimate what interviews would take, or start them.",
        shape("InterviewsEstimate", ESTIMATE, questions=int, without_answer=int),
    ),
)
@door(permissions.CURATORS)
def start(request: Any, scope: Scope) -> Response:
    """Return what interviews can be about and who can take part; POST estimates or starts them."""
    if request.method == "GET":
        return Response(_choices(scope))
    return begin(request, scope, KIND, scope.project)


def _choices(scope: Scope) -> dict[str, Any]:
    sources = interviews.sources(scope.project)
    return {
        "over": [
            {"over": interviews.BANK, "name": _("All that can be drawn")},
            *({"over": key, "name": name.strip()} for _sort, rows in sources for key, name in rows),
        ],
        "releases": [
            {"release": one.release.pk, "name": str(one.release)}
            for one in connections.of_project(scope.project)
            if one.is_ready
        ],
        "evaluators": [
            {"evaluator": one.rater_id, "name": one.name}
            for one in interviews.evaluators_of(scope.project)
        ],
        "endpoints": [one.name for one in connections.endpoints_of(scope.project)],
    }


@contract(get(page(DIALOGUE, note=str), query=[*of_form(DialogueFilter), AFTER]))
@door(permissions.UNBLINDED)
def dialogues(request: Any, scope: Scope, number: int) -> Response:
    """Return the dialogues of a run with every verdict, page by page; the page's filters."""
    reading = InterviewOutcome.allowed(scope, number)
    names = [(one["release"], one["name"]) for one in reading.run.config["releases"]]
    form = readable(DialogueFilter(request.GET, releases=names))
    rows = interviews.filtered(reading.run, form.filters())
    page = interviews.page(rows, request.GET.get("after", ""))
    return Response(
        {
            "note": banner.of_run(reading.run),
            "next": keyset.next_url(request.GET, page),
            "results": [_dialogue(interviews.line(reading, one)) for one in page.rows],
        }
    )


def _dialogue(line: DialogueLine) -> dict[str, Any]:
    one = line.dialogue
    return {
        "dialogue": one.pk,
        "question": one.item.external_id,
        "dataset": one.dataset,
        "release": one.release_id,
        "system": line.system,
        "answer": one.answer,
        "chosen": one.chosen,
        "right": one.right,
        "decided_by": one.decided_by,
        "planned": one.n_planned,
        "ended": one.ended,
        "stopped_at": one.stopped_at,
        "stop_reason": one.stop_reason,
        "problem": one.problem,
        "flags": one.flags,
        "exchanges": [_exchange(verdict.exchange) for verdict in line.verdicts],
    }


def _exchange(one: Exchange) -> dict[str, Any]:
    return {
        "k": one.k,
        "question": one.question,
        "answer": one.answer,
        "scores": one.scores,
        "comments": one.comments,
        "unscored": one.unscored,
        "stops": one.stops,
        "stop_reason": one.stop_reason,
        "flags": one.flags,
    }


def _interviews(scope: Scope, number: int) -> Run:
    return InterviewOutcome.allowed(scope, number).run


judge_again = starting(
    rejudging.KIND,
    "Estimate what judging the dialogues again would take, or start it.",
    of=_interviews,
)
