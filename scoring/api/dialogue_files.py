"""Dialogues as files by API: out of a run, and into one."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation import permissions
from annotation.api.file_imports import FILE_READ, told
from annotation.api.idempotency import in_steps
from annotation.permissions import Scope, door
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import FILE
from evalsite.contract.waiting import taken_on
from scoring.api.judge_runs import RunOut
from scoring.operations import dialogue_imports, exporting, run_exporting, whole_files
from scoring.operations.dialogue_imports import Wish
from scoring.queries import dialogue_export, interview_results
from scoring.queries.dialogue_files import Source
from scoring.queries.dialogue_records import MOST_EXCHANGES


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
@api_view(["POST"])
@contract(
    post(RunOut, takes=DialoguesIn, status=201, also={202: FILE_READ}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def bring_in(request: Any, scope: Scope) -> Response:
    """Import a file of dialogues (multipart/form-data) as a finished run; a large one by a worker."""
    sent = DialoguesIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    source = Source(**{name: given[name] for name in Source.__dataclass_fields__})
    file, now = given["file"], timezone.now()
    wish = Wish(given["name"], file.name, source, given["evaluator"])
    what: Any = {"project": scope.project, "key": given["key"], "wish": wish, "now": now}
    if whole_files.is_large(file, file.size):
        upload = whole_files.hand_in_dialogues(**what, pieces=file.chunks(), by=scope.user)
        return taken_on(told(upload), "api_import_file", scope.project.slug, upload.number)
    run = dialogue_imports.bring_in(**what, data=file.read(), user=scope.user)
    return Response(RunOut(run).data, status=201)


@api_view(["GET"])
@contract(
    get(FILE),
)
@door(permissions.UNBLINDED)
def archive(request: Any, scope: Scope, number: int) -> StreamingHttpResponse:
    """Send the dialogues of a run as an archive with a manifest."""
    reading = interview_results.allowed(scope, number)
    now = timezone.now()
    export = run_exporting.export_lines(
        reading=reading,
        form="dialogues.zip",
        lines=dialogue_export.archive(reading.run, now),
        now=now,
        content_type=exporting.ZIP,
    )
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )
