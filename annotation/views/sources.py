"""The corpus: the list of sources, a new one, one with its text, versions, checks and questions."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import sources as forms
from annotation.forms.refusals import show, status_of
from annotation.models import Source, SourceVersion
from annotation.operations.bank import collections, source_checks
from annotation.operations.bank import sources as operations
from annotation.permissions import Scope, door
from annotation.queries import sources as reads
from annotation.rules import passages
from annotation.rules.corpus import Standing
from annotation.views import source_texts
from evalsite import errors, keyset, panels


@require_GET
@door(permissions.READERS)
def sources(request: HttpRequest, scope: Scope) -> HttpResponse:
    today = timezone.now().date()
    shelves = reads.collections_for(scope.project, scope.user, scope.roles)
    form = forms.SourceFilter(request.GET, collections=shelves)
    visible = reads.visible_to(scope.project, scope.user, scope.roles)
    rows = reads.filtered(visible, form.filters(), today)
    page = reads.page(rows, after=request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "form": form,
        "page": page,
        "lines": reads.lines(page.rows, today),
        "count_text": ngettext("%(n)d source", "%(n)d sources", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_write": scope.may(permissions.BANK),
        "may_curate": scope.may(permissions.CURATORS),
    }
    return render(request, "annotation/sources.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.BANK)
def source_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    shelves = reads.collections_for(scope.project, scope.user, scope.roles)
    initial = {"collection": request.GET.get("collection", "")}
    form = forms.SourceForm(collections=shelves, initial=initial)
    if request.method == "POST":
        form = forms.SourceForm(request.POST, request.FILES, collections=shelves)
        if form.is_valid():
            try:
                made = operations.add_source(
                    project=scope.project,
                    about=form.about(),
                    said=form.said(),
                    by=scope.user,
                    now=timezone.now(),
                )
            except errors.Refusal as refusal:
                show(form, refusal)
            else:
                messages.success(request, _("The source is part of the corpus."))
                _tell_of_file(request, form)
                return redirect("source", scope.project.slug, made.source_id)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/source_new.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.READERS, permissions.BANK)
def source(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a source; a POST says what was found of it, where it belongs or comes from, or what it says now."""
    found = reads.source_of(reads.visible_to(scope.project, scope.user, scope.roles), pk)
    if found is None:
        raise Http404(_("There is no such source."))
    versions = reads.versions_of(found)
    page = _Page(request, scope, found, versions)
    if request.method == "POST":
        deeds: dict[str, Callable[[], bool]] = {
            "check": page.check,
            "move": page.move,
            "edit": page.edit,
        }
        if deeds.get(request.POST.get("act", ""), page.say)():
            return redirect("source", scope.project.slug, pk)
    status = status_of(page.saying, page.checking, page.editing)
    return render(request, "annotation/source.html", page.context(), status=status)


class _Page:
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
        try:
            made = operations.add_version(
                source=self.source,
                said=self.saying.said(),
                by=self.scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            show(self.saying, refusal)
            return False
        said = _("Version %(n)d says what you wrote.") % {"n": made.number}
        messages.success(self.request, said)
        _tell_of_file(self.request, self.saying)
        return True

    def check(self) -> bool:
        """Write down what was found of the source; False if it was refused."""
        self.checking = forms.CheckForm(self.request.POST, may_withdraw=self.may_withdraw)
        if not self.checking.is_valid():
            return False
        try:
            source_checks.check(
                source=self.source,
                by=self.scope.user,
                now=timezone.now(),
                **self.checking.cleaned_data,
            )
        except errors.Refusal as refusal:
            show(self.checking, refusal)
            return False
        messages.success(self.request, _("What you found is on record."))
        return True

    def edit(self) -> bool:
        """Correct where the source comes from; False if it was refused."""
        self.editing = forms.EditForm.of(self.source, self.request.POST)
        if not self.editing.is_valid():
            return False
        try:
            operations.edit(
                source=self.source,
                about=self.editing.about(),
                seen=self.editing.before(),
                by=self.scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            show(self.editing, refusal)
            return False
        messages.success(self.request, _("Where it comes from is corrected."))
        return True

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
            messages.success(self.request, _("The source is moved."))
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
            "text": source_texts.text_of(shown, request.GET.get("from", "")),
            "questions": questions,
            "marked": [(one, marks.get(one.pk, ())) for one in questions],
            "checks": checks,
            "standing": reads.standing_by(checks, self.newest.number),
            "standing_name": reads.STANDING_NAMES[reads.standing_by(checks, self.newest.number)],
            "is_withdrawn": bool(checks) and checks[0].outcome == Standing.WITHDRAWN,
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
            **source_texts.comparison(self.versions, shown, request.GET.get("against", "")),
        }


def _chosen(versions: list[SourceVersion], number: str) -> SourceVersion | None:
    return next((one for one in versions if str(one.number) == number), None)


def _tell_of_file(request: HttpRequest, form: forms.SaidForm) -> None:
    """Say what was read from a file, and on which pages there was nothing to read."""
    document = form.document
    if document is None:
        return
    n = len(passages.paragraphs(document.text))
    read = ngettext(
        "%(n)d paragraph was read from the file.", "%(n)d paragraphs were read from the file.", n
    )
    messages.success(request, read % {"n": n})
    if document.silent:
        pages = ", ".join(str(one) for one in document.silent[:20])
        words = _("No text stands on pages %(pages)s; they may be pictures.") % {"pages": pages}
        messages.warning(request, words)
