"""The corpus: the list of sources, a new one, one with its versions and questions."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import sources as forms
from annotation.forms.refusals import show, status_of
from annotation.operations.bank import sources as operations
from annotation.permissions import Scope, door
from annotation.queries import sources as reads
from evalsite import errors, keyset


@require_GET
@door(permissions.READERS)
def sources(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = forms.SourceFilter(request.GET)
    today = timezone.now().date()
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
    }
    return render(request, "annotation/sources.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.BANK)
def source_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    form = forms.SourceForm(request.POST or None)
    if request.method == "POST":
        form = forms.SourceForm(request.POST)
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
                return redirect("source", scope.project.slug, made.source_id)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/source_new.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.READERS, permissions.BANK)
def source(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show a source; a POST writes down what it says now."""
    found = reads.source_of(reads.visible_to(scope.project, scope.user, scope.roles), pk)
    if found is None:
        raise Http404(_("There is no such source."))
    versions = reads.versions_of(found)
    newest = versions[0]
    names = ("text", "retrieved_on", "valid_from", "valid_until", "note")
    form = forms.SaidForm(initial={name: getattr(newest, name) for name in names})
    if request.method == "POST":
        form = forms.SaidForm(request.POST)
        if form.is_valid():
            try:
                made = operations.add_version(
                    source=found, said=form.said(), by=scope.user, now=timezone.now()
                )
            except errors.Refusal as refusal:
                show(form, refusal)
            else:
                said = _("Version %(n)d says what you wrote.") % {"n": made.number}
                messages.success(request, said)
                return redirect("source", scope.project.slug, pk)
    context = {
        "scope": scope,
        "source": found,
        "versions": versions,
        "newest": newest,
        "questions": reads.questions_of(found),
        "form": form,
        "may_write": scope.may(permissions.BANK),
        "today": timezone.now().date(),
    }
    return render(request, "annotation/source.html", context, status=status_of(form))
