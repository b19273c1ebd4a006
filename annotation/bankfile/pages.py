"""What a person says of a whole bank as one file.

* A whole bank as one file, in the browser: have it written, hand one in, look at it, bring it in.
"""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.bankfile import operations as files
from annotation.bankfile import reading as lists
from annotation.bankfile.models import BankFile
from annotation.common import forms as refusals
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from evalsite import errors
from evalsite.web import keyset


class NewExport(forms.Form):
    named = forms.BooleanField(
        label=_("People by their names"),
        required=False,
        help_text=_("Otherwise pseudonyms only this site can trace."),
    )


class HandIn(forms.Form):
    file = forms.FileField(
        label=_("Bank file"),
        allow_empty_file=True,  # the operation says what is wrong with an empty one
        help_text=_("A .zip exported from evalsite, at most 200 MB."),
        error_messages={"required": _("Choose the file that was exported.")},
    )


class Confirm(forms.Form):
    keep_own = forms.BooleanField(
        label=_("What differs here stays as it is"),
        required=False,
        help_text=_("Nothing here is overwritten."),
    )


State, Way = BankFile.State, BankFile.Way


@asks(permissions.CURATORS)
def bank_files(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the files; a POST hands one in."""
    sent = request.method == "POST"
    form = HandIn(request.POST if sent else None, request.FILES if sent else None)
    if sent and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            made = files.receive(name=file.name, pieces=file.chunks(files.CHUNK), **scope.deed())
        except errors.FileRefused as refusal:
            form.add_error("file", refusal.message)
        else:
            return redirect("bank_file", scope.project.slug, made.number)
    page = lists.page(scope.project, request.GET.get("after", ""))
    context = {
        "form": form,
        "export_form": NewExport(),
        "rows": page.rows,
        **keyset.links(request.GET, page),
    }
    status = 422 if sent else 200
    return render(request, "annotation/bankfile/bank_files.html", context, status=status)


@does(permissions.CURATORS)
def bank_export(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Have the bank written into a file."""
    form = NewExport(request.POST)
    form.is_valid()
    with refusals.told(request):
        made = files.ask_export(named=form.cleaned_data["named"], **scope.deed())
        return redirect("bank_file", scope.project.slug, made.number)
    return redirect("bank_files", scope.project.slug)


@shows(permissions.CURATORS)
def bank_file(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show a file: how far the work is, what it holds, what would come of it."""
    file = _file(scope, number)
    context = {
        "file": file,
        "lines": lists.lines(file),
        "form": Confirm(),
        "may_confirm": file.way == Way.IN and file.state == State.READY,
        "is_ready": file.way == Way.OUT and file.state == State.READY,
    }
    if request.headers.get("HX-Request") and file.is_moving:
        return render(request, "annotation/bankfile/parts/bank_progress.html", context)
    answer = render(request, "annotation/bankfile/bank_file.html", context)
    if request.headers.get("HX-Request"):  # the work is done: the whole page is another one
        answer["HX-Refresh"] = "true"
    return answer


@does(permissions.CURATORS)
def bank_file_confirm(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Have a file brought in."""
    form = Confirm(request.POST)
    form.is_valid()
    with refusals.told(request):
        files.confirm(
            file=_file(scope, number), keep_own=form.cleaned_data["keep_own"], **scope.who()
        )
    return redirect("bank_file", scope.project.slug, number)


@does(permissions.CURATORS)
def bank_file_delete(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Delete a file; what came of it stays."""
    with refusals.told(request):
        files.throw_away(file=_file(scope, number), **scope.who())
        messages.success(request, gettext("File deleted."))
        return redirect("bank_files", scope.project.slug)
    return redirect("bank_file", scope.project.slug, number)


@shows(permissions.CURATORS)
def bank_file_zip(request: HttpRequest, scope: Scope, number: int) -> StreamingHttpResponse:
    """Hand out an export."""
    return sent(_file(scope, number))


def sent(file: BankFile) -> StreamingHttpResponse:
    """Return the bytes of an export.

    Raises:
        Http404: it is not written yet, or is none.
    """
    if file.way != Way.OUT or file.state != State.READY:
        raise Http404(gettext("This file is not ready."))
    return StreamingHttpResponse(
        lists.pieces(file),
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{file.name}"',
            "Content-Length": str(file.size),
        },
    )


def _file(scope: Scope, number: int) -> BankFile:
    rows = BankFile.objects.select_related("project", "by__person")
    return get_object_or_404(rows, project=scope.project, number=number)
