"""Which answers are still to be collected, and the sheet they are filled into.

* Take a filled-in sheet of answers back: into the importer, its columns already placed.
* The filled-in sheet of answers, and which questions and releases a sheet is made for.
* Collect answers: what is missing, the sheet to fill in, and the way back.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common import texts
from annotation.common.forms import status_of
from annotation.files import wording
from annotation.files.cells import BadFile, FileRecord, is_blank
from annotation.files.columns import Target
from annotation.files.look import encodings, layouts, workbooks
from annotation.files.mappings import AnswerMapping, ColumnTarget
from annotation.files.models import ImportKind, Upload, WholeKind
from annotation.imports import operations as checking
from annotation.imports import uploading, wholes
from annotation.imports.matching import starters
from annotation.people import permissions
from annotation.people.models import Project, User
from annotation.people.permissions import Scope, asks, shows
from annotation.qualification.answers import TrialCandidate
from annotation.rounds import draws
from annotation.rounds import queries as reads
from annotation.rounds.models import Round
from annotation.rounds.pages import find
from annotation.rounds.rules import Draw
from annotation.systems.models import Item, SystemRelease
from evalsite import errors, panels

#: The columns of a sheet, and of what comes back.
COLUMNS = ("external_id", "fingerprint", "question", "turns", "system", "release", "response")
PAGE = 500
FINGERPRINT = 16


@dataclass(frozen=True)
class ReleaseGap:
    """A release, and how many of the questions it has not answered."""

    release: SystemRelease
    n_missing: int
    n_wanted: int

    @property
    def n_there(self) -> int:
        return self.n_wanted - self.n_missing


@dataclass(frozen=True)
class WantedAnswers:
    """What is to be collected: by release, the items it has not answered."""

    gaps: Sequence[ReleaseGap]
    missing: Mapping[int, Sequence[int]]

    @property
    def n_missing(self) -> int:
        return sum(one.n_missing for one in self.gaps)


def of_round(round_: Round, now: datetime) -> WantedAnswers:
    """Return what a draft lacks: of what it has drawn, or else of what it would draw."""
    chosen = [row.release_id for row in round_.systems.all()]
    releases = list(reads.releases_of(round_.project).filter(pk__in=chosen))
    wishes = replace(Draw.from_json(round_.draw), unanswered=True, complete_only=False)
    if wishes.published:
        return WantedAnswers([], {})
    if round_.draw.get("prepared"):
        drawn = set(round_.items.filter(occasion=1).values_list("item_id", flat=True))
    else:
        drawn = {one.candidate.item_id for one in draws.plan(round_, wishes, now).items}
    listed = draws.listed(round_, chosen, wishes, now)
    return _wanted(releases, [one for one in listed if one.item_id in drawn])


def of_bank(
    project: Project, capabilities: Sequence[int], releases: Sequence[int], now: datetime
) -> WantedAnswers:
    """Return what releases (none named: all) lack of the questions that can be drawn."""
    found = reads.releases_of(project)
    chosen = list(found.filter(pk__in=releases) if releases else found)
    wishes = Draw(capabilities=capabilities, unanswered=True, complete_only=False)
    listed = draws.listed(Round(project=project), [one.pk for one in chosen], wishes, now)
    return _wanted(chosen, list(listed))


def _wanted(
    releases: Sequence[SystemRelease], candidates: Sequence[TrialCandidate]
) -> WantedAnswers:
    ordered = sorted(candidates, key=lambda one: one.external_id)
    missing = {
        release.pk: [one.item_id for one in ordered if release.pk not in one.responses]
        for release in releases
    }
    gaps = [ReleaseGap(one, len(missing[one.pk]), len(ordered)) for one in releases]
    return WantedAnswers(gaps, missing)


def rows(wanted: WantedAnswers) -> Iterator[tuple[str, ...]]:
    """Yield a line for every question × release that is missing, formulas neutralised."""
    yield COLUMNS
    for gap in wanted.gaps:
        pks = wanted.missing[gap.release.pk]
        named = (gap.release.system.name, gap.release.label, "")
        for start in range(0, len(pks), PAGE):
            some = pks[start : start + PAGE]
            items = Item.objects.in_bulk(some)
            for pk in some:
                yield tuple(texts.neutral(text) for text in (*_asked(items[pk]), *named))


def _asked(item: Item) -> tuple[str, ...]:
    turns = [f"{one.get('role', 'user')}: {texts.spoken(one)}" for one in item.messages]
    text = texts.spoken(item.messages[0]) if len(item.messages) == 1 else "\n\n".join(turns)
    return (
        item.external_id,
        f"p{item.prompt_sha[:FINGERPRINT]}",  # the letter keeps it from being a number
        text,
        json.dumps(item.messages, ensure_ascii=False),
    )


def csv_lines(wanted: WantedAnswers) -> Iterator[str]:
    """Yield the sheet as CSV that spreadsheets read as UTF-8."""
    yield "\ufeff"
    for row in rows(wanted):
        line = io.StringIO()
        csv.writer(line).writerow(row)
        yield line.getvalue()


def workbook(wanted: WantedAnswers) -> bytes:
    """Return the sheet as XLSX, every cell a text."""
    return workbooks.write(rows(wanted), title="Answers", widths=(18, 18, 60, 20, 18, 14, 80))


MOST = 16 * 1024 * 1024
NEEDED = ("external_id", "fingerprint", "system", "release", "response")
MAPPING = AnswerMapping(
    tuple(
        ColumnTarget(name, target)
        for name, target in zip(
            NEEDED,
            (
                Target.EXTERNAL_ID,
                Target.FINGERPRINT,
                Target.SYSTEM,
                Target.RELEASE,
                Target.RESPONSE,
            ),
            strict=True,
        )
    )
)


class NoSheet(errors.Invalid): ...


def receive(
    *, project: Project, name: str, pieces: Iterable[bytes], by: User, now: datetime
) -> Upload:
    """Store the answers of a sheet as a file to import, with its mapping, tried out.

    Formulas are restored; rows without an answer are left out, and every row keeps its line.

    Raises:
        NoSheet: the file is no such sheet, holds formulas or broken rows, or no answer at all.
        FileRefused: it cannot be read.
    """
    data = b"".join(_limited(pieces))
    try:
        records = list(_records(name, data))
    except BadFile as stop:
        raise errors.FileRefused(wording.placed(stop.problem)) from stop
    _check(records)
    _check_releases(project, records)
    upload = uploading.receive(
        project=project,
        kind=ImportKind.ANSWERS,
        name=f"{PurePath(name).stem or 'answers'}.jsonl",
        pieces=[b"".join(_lines(records))],
        by=by,
        now=now,
    )
    uploading.set_mapping(upload=upload, mapping=MAPPING)
    checking.request_check(upload=upload, clock=lambda: now)
    return upload


def hand_in(
    *, project: Project, name: str, pieces: Iterable[bytes], by: User, now: datetime
) -> Upload:
    """Keep a large sheet until a worker has read it.

    Raises:
        NoSheet, FileRefused: it is too large, or the project keeps as much as it may.
        limits.TooManyImports: too much of this person or project waits already.
    """
    return wholes.hand_in(
        project=project,
        kind=WholeKind.SHEETS,
        name=name,
        pieces=_limited(pieces),
        wish={},
        by=by,
        now=now,
    )


def read_sheet(upload: Upload, pieces: wholes.Pieces, now: datetime) -> wholes.WholeFileDone:
    """Take a large sheet as a file to import, for a worker."""
    project = upload.project
    made = receive(
        project=project, name=upload.name, pieces=pieces(), by=upload.created_by, now=now
    )
    said = _("The answers are here. Check and import them.")
    return wholes.WholeFileDone(
        said, {"file": made.number}, "import_map", (project.slug, made.number)
    )


def _limited(pieces: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MOST:
            raise NoSheet(
                _("The sheet is larger than %(most)d MB. Bring it in as a file under Imports.")
                % {"most": MOST // 1024**2}
            )
        yield piece


def _records(name: str, data: bytes) -> Iterator[FileRecord]:
    layout = layouts.recognise(name, lambda: [data])
    if layout.format == "workbook":
        workbooks.weigh(io.BytesIO(data), MOST)
        layout = workbooks.describe(layout, io.BytesIO(data), name)
        return workbooks.read_sheet(layout, io.BytesIO(data))
    if layout.doubtful:
        raise encodings.unsure(layout)
    return layouts.read_records(layout, [data], MOST)


def _check(records: list[FileRecord]) -> None:
    columns = {name for record in records for name in record.cells}
    if lacking := [name for name in NEEDED if name not in columns]:
        raise NoSheet(
            _(
                "This is no sheet of answers to collect: it has no column %(columns)s. Download "
                "the sheet from this page, fill in the column response, and leave the others."
            )
            % {"columns": ", ".join(lacking)}
        )
    problems = [problem for record in records for problem in record.problems]
    if problems:
        said = " ".join(wording.placed(one) for one in problems[:5])
        raise NoSheet(_("Some rows cannot be read. %(problems)s") % {"problems": said})
    if all(is_blank(record.cells["response"]) for record in records):
        raise NoSheet(_("No answer is filled in yet. Write them into the column response."))


def _check_releases(project: Project, records: Iterable[FileRecord]) -> None:
    """Refuse what no release of the project is called: a spreadsheet makes dates of names."""
    seen = SystemRelease.objects.seen().filter(system__project=project)
    known = set(seen.values_list("system__name", "label"))
    for record in records:
        named = tuple(
            " ".join(str(_restored(record.cells[name])).split()) for name in ("system", "release")
        )
        if not is_blank(record.cells["response"]) and named not in known:
            raise NoSheet(
                _(
                    "Row %(row)d names the release %(release)s, which this project does not have. "
                    "Spreadsheets turn some names into dates: use the sheet as XLSX, and leave the "
                    "columns system and release as they were."
                )
                % {"row": record.line, "release": " · ".join(named)}
            )


def _lines(records: Iterable[FileRecord]) -> Iterator[bytes]:
    """Yield the answers, each on the line it has in the sheet."""
    at = 1
    for record in records:
        if is_blank(record.cells["response"]):
            continue
        yield b"\n" * (record.line - at)
        at = record.line + 1
        kept = {name: _restored(record.cells[name]) for name in NEEDED}
        yield json.dumps(kept, ensure_ascii=False).encode() + b"\n"


def _restored(value: object) -> object:
    return texts.restored(value) if isinstance(value, str) else value


class SheetForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Filled-in sheet"),
        allow_empty_file=True,
        help_text=gettext_lazy("CSV or XLSX as downloaded."),
    )


class CollectForm(forms.Form):
    """Of which capabilities, and of which releases; in the URL."""

    capability = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Capabilities"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    release = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Releases"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer(
            "capability",
            [(one.pk, f"{one.name} ({n})") for one, n in reads.capabilities_with_items(project)],
        )
        self._offer("release", [(one.pk, str(one)) for one in reads.releases_of(project)])
        self.lacks_questions = not self.fields["capability"].choices  # type: ignore[attr-defined]
        self.lacks_releases = not self.fields["release"].choices  # type: ignore[attr-defined]

    def _offer(self, name: str, choices: list[tuple[int, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def chosen(self) -> tuple[list[int], list[int]]:
        """Return capabilities and releases; nothing where the address makes no sense."""
        self.is_valid()
        given = self.cleaned_data
        return given.get("capability", []), given.get("release", [])


@asks(permissions.CURATORS)
def round_collect(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what a draft lacks, or take a filled-in sheet."""
    found = find(scope, number, Round.State.DRAFT)
    return _page(
        request,
        scope,
        lambda: of_round(found, timezone.now()),
        "annotation/imports/round_collect.html",
        round=found,
    )


@asks(permissions.CURATORS)
def collect(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what the releases have not answered of the questions that can be drawn."""
    choice = CollectForm(request.GET, project=scope.project)
    capabilities, releases = choice.chosen()
    return _page(
        request,
        scope,
        lambda: of_bank(scope.project, capabilities, releases, timezone.now()),
        "annotation/imports/collect.html",
        choice=choice,
        query=request.GET.urlencode(),
    )


def _page(
    request: HttpRequest, scope: Scope, wanted: Any, template: str, **context: Any
) -> HttpResponse:
    sent = request.method == "POST"
    form = SheetForm(request.POST if sent else None, request.FILES if sent else None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            return _taken(request, scope, file)
        except errors.Refusal as refusal:
            form.add_error("file", refusal.message)
    found = wanted()
    query, of = context.get("query", ""), context.get("round")
    filled = panels.fill("collect", scope=scope, wanted=found, round=of, query=query)
    context |= {"form": form, "wanted": found, "panels": list(filled)}
    context |= wholes.shown(scope.project, WholeKind.SHEETS)
    return render(request, template, context, status=status_of(form))


def _taken(request: HttpRequest, scope: Scope, file: Any) -> HttpResponse:
    """Read a small sheet now, and leave a large one to a worker."""
    sent: Any = {
        "project": scope.project,
        "name": file.name,
        "pieces": file.chunks(uploading.CHUNK),
        "by": scope.user,
        "now": timezone.now(),
    }
    if wholes.is_large(file, file.size):
        hand_in(**sent)
        messages.success(request, wholes.said_that_it_waits())
        return redirect(request.get_full_path())
    upload = receive(**sent)
    return redirect("import_map", scope.project.slug, upload.number)


@shows(permissions.CURATORS)
def round_collect_sheet(
    request: HttpRequest, scope: Scope, number: int, form: str
) -> HttpResponseBase:
    found = find(scope, number, Round.State.DRAFT)
    return _sheet(of_round(found, timezone.now()), form, f"answers-round-{found.number}")


@shows(permissions.CURATORS)
def collect_sheet(request: HttpRequest, scope: Scope, form: str) -> HttpResponseBase:
    capabilities, releases = CollectForm(request.GET, project=scope.project).chosen()
    wanted = of_bank(scope.project, capabilities, releases, timezone.now())
    return _sheet(wanted, form, "answers")


def _sheet(wanted: WantedAnswers, form: str, name: str) -> HttpResponseBase:
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form == "csv":
        return StreamingHttpResponse(
            csv_lines(wanted), content_type="text/csv; charset=utf-8", headers=headers
        )
    if form == "xlsx":
        return HttpResponse(workbook(wanted), content_type=starters.WORKBOOK, headers=headers)
    raise Http404
