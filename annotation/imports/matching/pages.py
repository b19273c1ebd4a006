"""A file on its way in, in the browser: handed in, matched with what is here, imported.

Designers bring in questions; the rest is for owners and curators.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib import messages
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.common.forms import status_of
from annotation.domains import queries as taxonomy
from annotation.files import asked, wording
from annotation.files import stored as files
from annotation.files.asks import KIND
from annotation.files.cells import FileProblem
from annotation.files.columns import Target
from annotation.files.models import ImportKind, Upload
from annotation.imports import forms, kind_forms, lists, recognising, uploading
from annotation.imports import operations as checking
from annotation.imports.matching import api, faces, kept, starters
from annotation.imports.matching.faces import MatchCard
from annotation.imports.questions import writers
from annotation.people import permissions
from annotation.people.models import User
from annotation.people.permissions import Scope, asks, does, shows
from annotation.rubrics.models import RubricVersion
from evalsite import errors

#: What a question to be answered is called in what is sent.
ASK: Final = "ask-"
#: What the buttons send.
IMPORT, CHECK = "import", "check"
#: With more columns to be checked than this, those that make nothing are looked at in their table.
CARDS: Final = 6
#: What a column becomes that makes a system, a rater or a judge of its name.
_MAKING: Final = frozenset({Target.ANSWER, Target.GRADE, Target.SCORE})
#: What a file asks by the table of its columns, and by the cards of what is open.
_BY_CARDS: Final = frozenset({"not_answered", "column_without_target", "encoding_unsure"})


@dataclass
class Matching:
    """The forms of a file: a column each, and one for the whole; with what keeps it from being checked."""

    upload: Upload
    columns: Sequence[Any] = ()
    options: Any = None
    faults: list[FileProblem] = field(default_factory=list)
    #: Fields of the whole file that cannot stay as they are.
    wrong: set[str] = field(default_factory=set)

    @property
    def is_said(self) -> bool:
        """Say whether all that was sent can be used; of what was not sent, whether it could."""
        return self.options is not None and all(
            [*(one.is_valid() for one in self.columns), self.options.is_valid()]
        )

    def mapping(self) -> Any:
        return self.options.mapping(tuple(one.place() for one in self.columns))


@asks(permissions.DESIGNERS)
def import_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Take files, one after another."""
    sent = request.method == "POST"
    form = forms.NewUpload(
        request.POST if sent else None,
        request.FILES if sent else None,
        kinds=kinds_of(scope),
        initial={"kind": request.GET.get("kind", "")},
    )
    if form.is_valid():
        taken = _take(request, scope, form)
        if len(taken) == 1 and not form.errors:
            return redirect("import_map", scope.project.slug, taken[0].number)
        if not form.errors:
            return redirect("imports", scope.project.slug)
    context = {
        "form": form,
        "starters": [(kind.lower(), faces.TITLES[kind]) for kind in starters.KINDS],
        "starter_forms": starters.FORMS,
    }
    return render(request, "annotation/imports/import_new.html", context, status=status_of(form))


def _take(request: HttpRequest, scope: Scope, form: forms.NewUpload) -> list[Upload]:
    """Take the files of a form; what is wrong with one does not keep the others out."""
    kind = form.cleaned_data["kind"]
    told = {KIND: kind, "shape": "no" if form.cleaned_data["anyway"] else ""}
    taken = []
    for name, pieces in form.given():
        try:
            upload = uploading.receive(
                kind=ImportKind(kind) if kind else None,
                name=name,
                pieces=pieces,
                told=told,
                **scope.deed(),
            )
        except (errors.FileRefused, uploading.TooManyImports) as refusal:
            form.add_error("file", f"{name}: {refusal.message}")
            form.held_back = form.held_back or isinstance(refusal, uploading.HeldBack)
        else:
            taken.append(upload)
            _match_by_itself(request, scope, upload)
    return taken


@shows(permissions.CURATORS)
def import_template(request: HttpRequest, scope: Scope, kind: str, form: str) -> HttpResponse:
    """Hand out a file to start from."""
    return api.template(scope, kind, form)


@shows(permissions.DESIGNERS)
def import_map(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what a file is, what is to be answered, and what the last check found."""
    upload = upload_of(scope, number)
    if request.headers.get("HX-Target") == "checking":
        response = render(
            request, "annotation/imports/parts/import_checking.html", {"upload": upload}
        )
        if not (upload.report or {}).get("running"):
            response["HX-Refresh"] = "true"
        return response
    return _map_page(request, scope, _as_it_stands(scope, upload))


@does(permissions.DESIGNERS)
def import_check(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Keep what was answered and try the file out; or bring it in, where nothing else was answered by that."""
    upload = upload_of(scope, number)
    before = upload.mapping_sha, upload.report
    shown = _keep(request, scope, upload)
    if shown is not None:
        status = 200 if request.headers.get("HX-Request") else 422
        return _map_page(request, scope, shown, status=status)
    if request.POST.get("act") != IMPORT:
        return redirect("import_map", scope.project.slug, upload.number)
    if (upload.mapping_sha, upload.report) != before:
        messages.info(request, _("Checked. Import it when it is right."))
        return redirect("import_map", scope.project.slug, upload.number)
    return _bring_in(request, scope, upload)


def _bring_in(request: HttpRequest, scope: Scope, upload: Upload) -> HttpResponse:
    """Bring the rows of a checked file in: a small one now, a large one by a worker."""
    try:
        batch = checking.start(upload=upload, **scope.who())
        if not upload.is_large:
            checking.carry_on(batch_id=batch.pk, clock=timezone.now)
    except checking.AlreadyImported as refusal:
        messages.info(request, refusal.message)
        batch = refusal.batch
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("import_map", scope.project.slug, upload.number)
    return redirect("batch", scope.project.slug, batch.number)


@asks(permissions.DESIGNERS)
def import_mapping(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Hand the mapping of a file out; or keep it under a name, use one that was kept, delete one."""
    upload = upload_of(scope, number)
    with refusals.told(request):
        if request.method == "GET":
            return _mapping_file(upload)
        _mapping_deed(request, scope, upload)
    return redirect("import_map", scope.project.slug, upload.number)


def _mapping_file(upload: Upload) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="mapping-{upload.number}.json"'}
    text = kept.written(kept.document(upload))
    return HttpResponse(text, content_type="application/json", headers=headers)


def _mapping_deed(request: HttpRequest, scope: Scope, upload: Upload) -> None:
    """Do what a button of the kept mappings says; of one that is gone, nothing is left to do."""
    now, said = timezone.now(), request.POST
    if said.get("act") not in {"use", "forget"}:
        form = forms.KeepMapping(said)
        if form.is_valid():
            kept.keep(upload=upload, name=form.cleaned_data["name"], by=scope.user, now=now)
            messages.success(request, _("Mapping kept."))
        else:
            messages.error(request, _("The mapping needs a name."))
        return
    one = get_object_or_404(kept.offered(upload), pk=said.get("kept") or 0)
    if said["act"] == "forget":
        kept.forget(kept=one, by=scope.user, now=now)
    elif kept.use(upload=upload, found=kept.kept_mapping(one)):
        _check(request, upload)


def upload_of(scope: Scope, number: int) -> Upload:
    return get_object_or_404(lists.uploads(scope.project, of=only(scope)), number=number)


def only(scope: Scope) -> User | None:
    """Return whose files of questions are all that somebody may know of; None for everything."""
    return None if scope.may(permissions.CURATORS) else scope.user


def kinds_of(scope: Scope) -> list[ImportKind]:
    return list(ImportKind) if scope.may(permissions.CURATORS) else [ImportKind.QUESTIONS]


# What is kept of what was sent


def _has_forms(request: HttpRequest) -> bool:
    """Say whether the columns were sent; a published question set has none, but a name."""
    return "dataset" in request.POST or any(name.endswith("-target") for name in request.POST)


def _keep(request: HttpRequest, scope: Scope, upload: Upload) -> Matching | None:
    """Keep what was sent of a file and check it; return what is to be shown where it cannot be."""
    try:
        read_anew = _keep_answers(request, scope, upload)
    except errors.FileRefused as refusal:
        messages.error(request, refusal.message)
        return None
    if read_anew or not upload.kind:
        _match_by_itself(request, scope, upload)
        return None
    is_asked = request.POST.get("act") == CHECK
    if _has_forms(request):
        sent = _forms(scope, upload, request.POST)
        return _settle(request, upload, sent, is_asked=is_asked)
    if not upload.mapping_sha:
        _match_by_itself(request, scope, upload)
    elif is_asked or not upload.report:
        _check(request, upload)
    return None


def _keep_answers(request: HttpRequest, scope: Scope, upload: Upload) -> bool:
    """Keep the answers that are not what is taken anyway; return whether the file is read anew by them."""
    asks = {ask.key: ask for ask in faces.asks_of(upload, kinds_of(scope))}
    said = {key: request.POST.get(f"{ASK}{key}", "") for key in asks}
    told = {
        key: answer
        for key, answer in said.items()
        if answer and answer != asks[key].answer(upload.told)
    }
    kind = told.pop(KIND, "")
    if kind and kind in asks[KIND].options:
        uploading.say_kind(upload=upload, kind=ImportKind(kind))
        return True
    if not told:
        return False
    of_layout = {asked.ENCODING, *(one.key for one in files.layout_of(upload).asks)}
    uploading.answer(upload=upload, told=told)
    if of_layout.isdisjoint(told):
        return False
    uploading.keep_unfinished(upload=upload, mapping={})
    return True


def _match_by_itself(request: HttpRequest, scope: Scope, upload: Upload) -> None:
    """Check a file at once whose columns are clear, with what is suggested for the rest."""
    if not upload.kind:
        return
    suggested = _as_suggested(scope, upload)
    if suggested.is_said and not suggested.faults:
        _settle(request, upload, suggested)


def _settle(
    request: HttpRequest, upload: Upload, matching: Matching, *, is_asked: bool = False
) -> Matching | None:
    """Keep a mapping and check it, unless it was; return what is to be shown where it cannot be checked."""
    if not matching.is_said:
        uploading.keep_unfinished(upload=upload, mapping={"places": _places_of(matching.columns)})
        return matching
    mapping = matching.mapping()
    if upload.report and upload.mapping == mapping.as_dict() and not is_asked:
        return None
    matching.faults = uploading.faults_of(upload=upload, mapping=mapping)
    if matching.faults:
        uploading.keep_unfinished(upload=upload, mapping=mapping.as_dict())
        return matching
    uploading.set_mapping(upload=upload, mapping=mapping)
    _check(request, upload)
    return None


def _check(request: HttpRequest, upload: Upload) -> None:
    try:
        checking.request_check(upload=upload, clock=timezone.now)
    except uploading.TooManyImports as refusal:
        messages.error(request, refusal.message)


def _places_of(columns: Iterable[Any]) -> list[dict[str, str]]:
    """Return where the columns go of which that was said, as a mapping has it."""
    found = []
    for one in columns:
        said = getattr(one, "cleaned_data", {})
        if said.get("target"):
            names = {name: said.get(name, "") for name in ("system", "rater", "criterion")}
            found.append(
                {"column": one.column.name, "target": said["target"], "release": "", **names}
            )
    return found


# The forms


def _as_it_stands(scope: Scope, upload: Upload) -> Matching:
    """Return the forms as they are filled by now, with what keeps the file from being checked."""
    if not upload.kind:
        return Matching(upload)
    shown = _forms(scope, upload)
    if not upload.mapping_sha:
        suggested = _as_suggested(scope, upload)
        shown.faults, shown.wrong = suggested.faults, suggested.wrong
    return shown


def _as_suggested(scope: Scope, upload: Upload) -> Matching:
    """Return the forms as if they were sent without a change."""
    unsent = _forms(scope, upload)
    every = [*unsent.columns, unsent.options, *getattr(unsent.options, "machines", ())]
    sent = {one.html_name: one.value() for form in every for one in form}
    given = {name: value for name, value in sent.items() if value not in (None, False)}
    matching = _forms(scope, upload, given)
    if matching.is_said:
        matching.faults = uploading.faults_of(upload=upload, mapping=matching.mapping())
    matching.wrong = set(matching.options.errors)
    return matching


def _forms(scope: Scope, upload: Upload, data: Any = None) -> Matching:
    columns = kind_forms.columns_of(upload, data)
    return Matching(upload, columns, _options(scope, upload, columns, data))


def _options(
    scope: Scope, upload: Upload, columns: Sequence[kind_forms.ColumnForm], data: Any
) -> Any:
    """Return the form for the whole of a file."""
    if upload.kind == ImportKind.SCORES:
        return kind_forms.score_options(upload, columns, data)
    if upload.kind == ImportKind.FIGURES:
        return kind_forms.FigureOptions(data, initial=upload.mapping)
    if upload.kind == ImportKind.CHOICES:
        return kind_forms.options_of(upload, data)
    if upload.kind == ImportKind.PAIRS:
        return kind_forms.pair_options(upload, _rubrics(scope), data)
    if upload.kind == ImportKind.QUESTIONS:
        names = writers(scope.project) if scope.may(permissions.CURATORS) else {}
        return kind_forms.question_options(upload, scope.user, names, data)
    guesses, rubrics = recognising.guesses(upload), _of_marks(_rubrics(scope))
    fitting = forms.fitting(guesses, rubrics) if upload.kind == ImportKind.GRADES else ""
    return forms.options_of(upload, rubrics, data, fitting)


def _of_marks(rubrics: Iterable[RubricVersion]) -> list[RubricVersion]:
    return [one for one in rubrics if not kind_forms.asks_for_choices(one)]


def _rubrics(scope: Scope) -> list[RubricVersion]:
    rows = RubricVersion.objects.filter(
        rubric__project=scope.project,
        kind=RubricVersion.Kind.HUMAN,
        criteria__isnull=False,
    )
    rows = rows.select_related("rubric").prefetch_related("criteria")
    return list(rows.distinct().order_by("rubric__name", "-number"))


# The page


def _map_page(
    request: HttpRequest, scope: Scope, shown: Matching, status: int = 200
) -> HttpResponse:
    upload = shown.upload
    report = upload.report if status == 200 and not shown.faults else None
    cards = list(_cards(scope, shown))
    n_open = sum(card.is_open for card in cards)
    context = {
        "upload": upload,
        "layout": files.layout_of(upload),
        "what": faces.title(upload),
        "cards": sorted(cards, key=lambda card: not card.is_open),
        "n_open": n_open,
        "lines": faces.lines(upload),
        "report": report,
        "waits": upload.kind == ImportKind.ANSWERS and faces.waits_for(report or {}),
        "columns": shown.columns,
        "options": shown.options,
        **_folded(shown, cards),
        **_problems(shown, report),
        "button": faces.button(upload),
        "may_import": bool(report and report.get("ok") and not n_open),
        "twin": lists.applied_twin(upload) if upload.mapping_sha else None,
        "kept_mappings": kept.offered(upload),
        "keeping": forms.KeepMapping(auto_id="keep-%s"),
        "is_stale": lists.changed_since(upload),
        **_preview(request, report),
    }
    context["may_import"] = context["may_import"] and not context["twin"]
    if upload.kind == ImportKind.QUESTIONS:
        chosen = shown.options["capability"].value() or ""
        context["helped"] = taxonomy.help_of(scope.project, str(chosen))
        context["difficulty"] = shown.options["difficulty"].value() or ""
    return render(request, "annotation/imports/import_map.html", context, status=status)


def _cards(scope: Scope, shown: Matching) -> Iterator[MatchCard]:
    """Yield what is to be answered or checked: of the file, its columns, the whole, and its judges."""
    yield from faces.cards_of(shown.upload, kinds_of(scope))
    if shown.options is None:
        return
    unsure = [one for one in shown.columns if not one.guess.sure and one["target"].value()]
    making = [one for one in unsure if one["target"].value() in _MAKING]
    carded = unsure if len(unsure) <= CARDS else making
    for one in shown.columns:
        if not one["target"].value() or one.errors:
            yield MatchCard(
                "column", _("What is in “%(name)s”?") % {"name": one.column.name}, "", one, True
            )
        elif one in carded:
            yield MatchCard("column", _("Column “%(name)s”") % {"name": one.column.name}, "", one)
    yield from _cards_of_options(shown)
    for row in getattr(shown.options, "machines", ()):
        if row.line.doubted or row.errors:
            yield MatchCard(
                "machine",
                _("Scores of %(name)s") % {"name": row.line.label},
                _doubt(shown.upload, row),
                row,
                True,
            )


def _cards_of_options(shown: Matching) -> Iterator[MatchCard]:
    """Yield a card for each fault that a field of the whole file mends, and each field that is wrong."""
    placed: set[str] = set()
    wrong = [FileProblem(code) for code in _codes(shown.upload) if code in faces.FIELDS]
    for problem in [*shown.faults, *wrong]:
        names = [one for one in faces.FIELDS.get(problem.code, ()) if one in shown.options.fields]
        if names and placed.isdisjoint(names):
            placed.update(names)
            yield _field_card(shown, problem, names)
    for bound in shown.options:
        if (bound.errors or bound.name in shown.wrong) and bound.name not in placed:
            yield MatchCard("fields", str(bound.label), str(bound.help_text), [bound], True)
    if not shown.options.is_bound and "rubric" in shown.options.fields and "rubric" not in placed:
        yield from _rubric_card(shown)


def _field_card(shown: Matching, problem: FileProblem, names: Sequence[str]) -> MatchCard:
    bound = [shown.options[name] for name in names]
    if problem.code == "bad_scale":
        return MatchCard(
            "fields", _("On which scale were they graded?"), _graded(shown), bound, True
        )
    words = wording.worded(problem)
    return MatchCard("fields", words.message, words.remedy, bound, True)


def _graded(shown: Matching) -> str:
    """Return which grades are in a file, as far as it was looked at."""
    values = [
        value
        for one in shown.columns
        if one["target"].value() in {"value", "grade"}
        for value in one.column.values
    ]
    found = ", ".join(list(dict.fromkeys(values))[:12])
    return _("Found: %(values)s.") % {"values": found} if found else ""


def _rubric_card(shown: Matching) -> Iterator[MatchCard]:
    """Yield the rubric that is suggested, to be checked, until a person has said so."""
    if not (shown.upload.mapping or {}).get("rubric"):
        return
    names = [shown.options[name] for name in ("rubric",)]
    yield MatchCard("fields", _("By which rubric were they graded?"), _graded(shown), names)


def _codes(upload: Upload) -> Iterable[str]:
    return list((upload.report or {}).get("by_code", ()))


def _doubt(upload: Upload, row: Any) -> str:
    """Return why the range of a judge is asked for."""
    name = row.line.whole.name
    for stored in (upload.report or {}).get("problems", ()):
        problem = FileProblem.from_dict(stored)
        if problem.found == name and problem.facts.get("criterion") == row.line.part.name:
            return wording.worded(problem).message
    return ""


def _folded(shown: Matching, cards: Sequence[MatchCard]) -> dict[str, Any]:
    """Return what is not asked in a card: the other columns, fields and judges."""
    taken = {id(card.of) for card in cards if card.part in {"column", "machine"}}
    fields = {one.name for card in cards if card.part == "fields" for one in card.of}
    options = [one for one in shown.options or () if one.name not in fields]
    asked_columns = [card.of.column.name for card in cards if card.part == "column"]
    return {
        "asked_columns": asked_columns,
        "is_unsure": any(
            not one.guess.sure and one.column.name not in asked_columns for one in shown.columns
        ),
        "fields": [one for one in options if isinstance(one, BoundField)],
        "machines": [one for one in getattr(shown.options, "machines", ()) if id(one) not in taken],
    }


def _problems(shown: Matching, report: Any) -> dict[str, Any]:
    found = [FileProblem.from_dict(one) for one in (report or {}).get("problems", ())]
    faults = [
        one for one in shown.faults if one.code not in _BY_CARDS and not _is_mended(shown, one)
    ]
    return {
        "faults": [wording.worded(one) for one in faults],
        "problems": [wording.worded(one) for one in found if not _is_told(shown, one)],
        "kept": checking.KEPT,
        "most": checking.MOST_KEPT,
    }


def _is_told(shown: Matching, problem: FileProblem) -> bool:
    """Say whether a problem stands elsewhere on the page: as a line of what was found, or as a card."""
    doubted = {tuple(pair) for pair in (shown.upload.report or {}).get("doubts", ())}
    doubt = problem.found, problem.facts.get("criterion", "")
    return problem.code in faces.GIVEN_AWAY or doubt in doubted


def _is_mended(shown: Matching, problem: FileProblem) -> bool:
    """Say whether a card has the field in which a fault is mended."""
    return any(name in shown.options.fields for name in faces.FIELDS.get(problem.code, ()))


def _preview(request: HttpRequest, report: Any) -> dict[str, Any]:
    """Return the card of the preview that is asked for, and the numbers of those beside it."""
    cards = (report or {}).get("preview") or []
    said = request.GET.get("card", "")
    number = min(max(int(said) if said.isdecimal() else 1, 1), len(cards) or 1)
    return {
        "card": cards[number - 1] if cards else None,
        "card_number": number,
        "n_cards": len(cards),
        "card_before": number - 1 if number > 1 else None,
        "card_after": number + 1 if number < len(cards) else None,
    }
