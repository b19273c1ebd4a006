"""The list of the bank as a file, with the filters of its address: a table or lines of JSON."""

import csv
import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.forms.questions import QuestionFilter
from annotation.permissions import Scope, door
from annotation.queries import question_files as reads
from annotation.rules import sheets

COLUMNS = (
    "external_id",
    "version",
    "state",
    "life",
    "messages",
    "standard_answer",
    "key_points",
    "capability",
    "domain",
    "difficulty",
    "type",
    "as_of",
    "valid_until",
    "principle",
    "tags",
    "language",
    "sources",
    "author",
    "saved_at",
)


@require_GET
@door(permissions.READERS)
def questions_csv(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Hand out the list as a table; lists stand in a cell as JSON, no cell is a formula."""
    return _sent(scope, _table(_records(request, scope)), "csv", "text/csv")


@require_GET
@door(permissions.READERS)
def questions_jsonl(request: HttpRequest, scope: Scope) -> StreamingHttpResponse:
    """Hand out the list as lines of JSON."""
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in _records(request, scope))
    return _sent(scope, lines, "jsonl", "application/x-ndjson")


def _records(request: HttpRequest, scope: Scope) -> Iterator[dict[str, Any]]:
    filters = QuestionFilter(request.GET, project=scope.project).filters()
    return reads.records(scope.project, filters, user=scope.user, now=timezone.now())


def _sent(scope: Scope, lines: Iterator[str], ending: str, kind: str) -> StreamingHttpResponse:
    name = f"{scope.project.slug}-questions.{ending}"
    return StreamingHttpResponse(
        lines,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, line: str) -> str:
        return line


def _table(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield "\ufeff" + writer.writerow(COLUMNS)
    for record in records:
        yield writer.writerow([_cell(record[name]) for name in COLUMNS])


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return sheets.neutral(text)
