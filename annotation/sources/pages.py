"""The text of a source on its page: paragraphs with the passages that are cited, and what changed.

* The corpus: the list of sources, a new one, one with its text, versions, checks and questions.
* Collections of sources: the list, and one with its sources and the designers who see it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.bank.models import Citation
from annotation.common import forms as refusals
from annotation.common import texts as passages
from annotation.common.forms import shown, status_of
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.common.texts import SourceParagraph
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, shows
from annotation.sources import forms
from annotation.sources import operations as collections
from annotation.sources import queries as reads
from annotation.sources.forms import AppointForm, CollectionForm
from annotation.sources.models import Source, SourceVersion
from annotation.sources.rules import SourceStanding
from evalsite import errors, panels
from evalsite.web import keyset

#: So many paragraphs stand on a page.
SHOWN = 150
#: Longer texts are not compared on a page: it would take too long.
MOST_COMPARED = 200_000


@dataclass(frozen=True)
class CitedParagraph:
    """A paragraph, cut where cited passages begin and end, and what cites it."""

    paragraph: SourceParagraph
    pieces: tuple[tuple[str, bool], ...]
    citations: list[Citation]
    #: Whether a page begins with it.
    opens_page: bool


@dataclass(frozen=True)
class SourceStretch:
    """A stretch of the paragraphs of a version, with where the next and the one before begin."""

    paragraphs: list[CitedParagraph]
    n: int
    first: int
    before: int
    after: int

    @property
    def last(self) -> int:
        return self.first + len(self.paragraphs) - 1


def text_of(version: SourceVersion, start: str) -> SourceStretch:
    """Return what is shown of a version's text from a paragraph on."""
    found = passages.paragraphs(version.text)
    wanted = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
    first = max(0, (min(max(wanted, 1), len(found) or 1) - 1) // SHOWN * SHOWN)
    shown = found[first : first + SHOWN]
    cited = reads.passages_of(version)
    after = first + SHOWN
    pieces = []
    page = 0
    for one in shown:
        here = [mine for mine in cited if _overlaps(mine, one)]
        marks = [(mine.start or 0, mine.end or 0) for mine in here]
        cut = passages.pieces(one, marks)
        pieces.append(CitedParagraph(one, cut, here, opens_page=one.page > page))
        page = one.page
    return SourceStretch(
        pieces,
        n=len(found),
        first=first + 1,
        before=max(1, first + 1 - SHOWN) if first else 0,
        after=after + 1 if after < len(found) else 0,
    )


def _overlaps(cited: Citation, paragraph: SourceParagraph) -> bool:
    start, end = cited.start, cited.end
    return start is not None and end is not None and start < paragraph.end and paragraph.start < end


def comparison(versions: list[SourceVersion], shown: SourceVersion, against: str) -> dict[str, Any]:
    """Return what a version changed against the one that is asked for; nothing if none is."""
    old = next((one for one in versions if str(one.number) == against), None)
    if old is None or old.pk == shown.pk:
        return {"old": None, "change": None}
    if max(len(old.text), len(shown.text)) > MOST_COMPARED:
        return {"old": old, "change": None}
    return {"old": old, "change": reads.change(old, shown)}


@shows(permissions.READERS)
def sources(request: HttpRequest, scope: Scope) -> HttpResponse:
    today = timezone.now().date()
    shelves = reads.collections_for(scope.project, scope.user, scope.roles)
    form = forms.SourceFilter(request.GET, collections=shelves)
    visible = reads.visible_to(scope.project, scope.user, scope.roles)
    rows = reads.filtered(visible, form.filters(), today)
    page = reads.page(rows, after=request.GET.get("after", ""))
    n = rows.count()
    context = {
        "form": form,
        "page": page,
        "lines": reads.lines(page.rows, today),
        "count_text": ngettext("%(n)d source", "%(n)d sources", n) % {"n": n},
        **keyset.links(request.GET, page),
        "may_write": scope.may(permissions.BANK),
        "may_curate": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/sources/sources.html", context)


@asks(permissions.BANK)
def source_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    shelves = reads.collections_for(scope.project, scope.user, scope.roles)
    initial = {"collection": request.GET.get("collection", "")}
    form = forms.SourceForm(collections=shelves, initial=initial)
    if request.method == "POST":
        form = forms.SourceForm(request.POST, request.FILES, collections=shelves)
        if form.is_valid():
            with shown(form):
                made = collections.add_source(about=form.about(), said=form.said(), **scope.deed())
                messages.success(request, _("Saved."))
                _tell_of_file(request, form)
                return redirect("source", scope.project.slug, made.source_id)
    context = {"form": form}
    return render(request, "annotation/sources/source_new.html", context, status=status_of(form))


@asks(permissions.READERS, permissions.BANK)
def source(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a source; a POST says what was found of it, where it belongs or comes from, or what it says now."""
    found = reads.source_of(reads.visible_to(scope.project, scope.user, scope.roles), pk)
    if found is None:
        raise Http404(_("There is no such source."))
    versions = reads.versions_of(found)
    page = _SourcePage(request, scope, found, versions)
    if request.method == "POST":
        deeds: dict[str, Callable[[], bool]] = {
            "check": page.check,
            "move": page.move,
            "edit": page.edit,
        }
        if deeds.get(request.POST.get("act", ""), page.say)():
            return redirect("source", scope.project.slug, pk)
    status = status_of(page.saying, page.checking, page.editing)
    return render(request, "annotation/sources/source.html", page.context(), status=status)


class _SourcePage:
    """The page of one source, with its forms as they were sent."""

    def __init__(
        self, request: HttpRequest, scope: Scope, found: Source, versions: list[SourceVersion]
    ) -> None:
        self.request, self.scope, self.source = request, scope, found
        self.versions, self.newest = versions, versions[0]
        self.may_withdraw = scope.may(permissions.CURATORS)
        self.saying = forms.SaidForm.of(self.newest)
        self.editing = forms.EditForm.of(found)
        self.checking = forms.CheckForm(
            initial={"number": self.newest.number}, may_withdraw=self.may_withdraw
        )

    def say(self) -> bool:
        """Write down what the source says now; False if it was refused."""
        self.saying = forms.SaidForm.of(self.newest, self.request.POST, self.request.FILES)
        if not self.saying.is_valid():
            return False
        with shown(self.saying):
            collections.add_version(
                source=self.source,
                said=self.saying.said(),
                by=self.scope.user,
                now=timezone.now(),
            )
            said = _("Saved.")
            messages.success(self.request, said)
            _tell_of_file(self.request, self.saying)
            return True
        return False

    def check(self) -> bool:
        """Write down what was found of the source; False if it was refused."""
        self.checking = forms.CheckForm(self.request.POST, may_withdraw=self.may_withdraw)
        if not self.checking.is_valid():
            return False
        with shown(self.checking):
            collections.check(
                source=self.source,
                by=self.scope.user,
                now=timezone.now(),
                **self.checking.cleaned_data,
            )
            messages.success(self.request, _("Saved."))
            return True
        return False

    def edit(self) -> bool:
        """Correct where the source comes from; False if it was refused."""
        self.editing = forms.EditForm.of(self.source, self.request.POST)
        if not self.editing.is_valid():
            return False
        with shown(self.editing):
            collections.edit(
                source=self.source,
                about=self.editing.about(),
                seen=self.editing.before(),
                by=self.scope.user,
                now=timezone.now(),
            )
            messages.success(self.request, _("Saved."))
            return True
        return False

    def move(self) -> bool:
        """Put the source into another collection; it is the same page again either way."""
        wanted = self.request.POST.get("collection", "")
        shelves = {str(one.pk): one for one in self._shelves()}
        try:
            collections.move(
                source=self.source,
                collection=shelves.get(wanted),
                by=self.scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            messages.error(self.request, refusal.message)
        else:
            messages.success(self.request, _("Saved."))
        return True

    def _shelves(self) -> list[Any]:
        scope = self.scope
        return list(reads.collections_for(scope.project, scope.user, scope.roles))

    def context(self) -> dict[str, Any]:
        request, scope = self.request, self.scope
        today = timezone.now().date()
        shown = _chosen(self.versions, request.GET.get("version", "")) or self.newest
        checks = reads.checks_of(self.source)
        questions = reads.questions_of(self.source)
        marks = reads.marks_of(questions, today)
        return {
            "scope": scope,
            "source": self.source,
            "versions": self.versions,
            "newest": self.newest,
            "shown": shown,
            "text": text_of(shown, request.GET.get("from", "")),
            "questions": questions,
            "marked": [(one, marks.get(one.pk, ())) for one in questions],
            "checks": checks,
            "standing": reads.standing_by(checks, self.newest.number),
            "standing_name": reads.STANDING_NAMES[reads.standing_by(checks, self.newest.number)],
            "is_withdrawn": bool(checks) and checks[0].outcome == SourceStanding.WITHDRAWN,
            "form": self.saying,
            "check_form": self.checking,
            "edit_form": self.editing,
            "corrections": reads.corrections_of(self.source),
            "shelves": self._shelves() if self.may_withdraw else [],
            "may_write": scope.may(permissions.BANK),
            "may_check": scope.may(permissions.INSPECTORS),
            "may_curate": self.may_withdraw,
            "may_design": scope.may(permissions.DESIGNERS),
            "make_url": reverse("question_new", args=[scope.project.slug])
            + f"?passage={shown.pk}:",
            "panels": list(panels.fill("source", scope=scope, version=shown, request=request)),
            "today": today,
            **comparison(self.versions, shown, request.GET.get("against", "")),
        }


def _chosen(versions: list[SourceVersion], number: str) -> SourceVersion | None:
    return next((one for one in versions if str(one.number) == number), None)


def _tell_of_file(request: HttpRequest, form: forms.SaidForm) -> None:
    """Say what was read from a file, and on which pages there was nothing to read."""
    document = form.document
    if document is None:
        return
    n = len(passages.paragraphs(document.text))
    messages.success(request, _("Paragraphs read: %(n)d.") % {"n": n})
    if document.silent:
        pages = ", ".join(str(one) for one in document.silent[:20])
        words = _("No text on pages %(pages)s; perhaps pictures.") % {"pages": pages}
        messages.warning(request, words)


@asks(permissions.CURATORS)
def source_collections(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the collections of a project; a POST begins one."""
    form = CollectionForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with shown(form):
            made = collections.create_collection(**form.cleaned_data, **scope.deed())
            messages.success(request, _("Saved. Appoint designers."))
            return redirect("source_collection", scope.project.slug, made.pk)
    context = {"form": form, "lines": reads.collection_lines(scope.project)}
    template = "annotation/sources/source_collections.html"
    return render(request, template, context, status=status_of(form))


@asks(permissions.CURATORS)
def source_collection(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a collection; a POST appoints a designer, or ends an appointment."""
    found = reads.collection_of(scope.project, pk)
    if found is None:
        raise Http404(_("There is no such collection."))
    designers = reads.designers_besides(found)
    ends = request.POST.get("act") == "end"
    sent = request.method == "POST" and not ends
    form = AppointForm(request.POST if sent else None, designers=designers)
    with refusals.told(request):
        if ends:
            _end(request, scope, pk)
            return redirect("source_collection", scope.project.slug, pk)
        if sent and form.is_valid():
            chosen = next(one for one in designers if one.pk == form.cleaned_data["user"])
            collections.appoint(collection=found, user=chosen, **scope.who())
            messages.success(request, _("Saved."))
            return redirect("source_collection", scope.project.slug, pk)
    context = {
        "collection": found,
        "form": form,
        "designers": designers,
        "appointments": reads.appointments_of(found),
        "sources": reads.sources_of(found),
        "most": reads.MOST_COLLECTIONS_SHOWN,
    }
    template = "annotation/sources/source_collection.html"
    return render(request, template, context, status=status_of(form))


def _end(request: HttpRequest, scope: Scope, pk: int) -> None:
    wanted = request.POST.get("appointment", "")
    found = reads.appointment_of(scope.project, pk, int(wanted) if wanted.isdecimal() else 0)
    if found is None:
        raise Http404(_("There is no such appointment."))
    collections.end_appointment(appointment=found, **scope.who())
    messages.success(request, _("Saved."))
