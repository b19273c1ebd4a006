"""Saved filters of the bank's list, and the columns that somebody wants to see."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import bank_lists as forms
from annotation.forms.refusals import show
from annotation.models import SavedFilter
from annotation.operations.bank import lists
from annotation.permissions import Scope, door
from annotation.queries import bank_lists as reads
from annotation.queries import questions
from evalsite import errors


def asked(scope: Scope, given: QueryDict) -> tuple[forms.Asked, list[SavedFilter]]:
    """Return what an address of the list asks for, and the saved filters that are theirs to see."""
    filters = list(reads.visible(scope.project, scope.user))
    remembered = reads.columns_of(scope.project, scope.user)
    found = forms.asked(given, project=scope.project, filters=filters, remembered=remembered)
    return found, filters


@require_http_methods(["GET", "POST"])
@door(permissions.READERS)
def saved_filters(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List saved filters; a POST keeps the list of the address `back` under a name."""
    if request.method == "GET":
        return _page(request, scope, forms.SaveForm())
    form = forms.SaveForm(request.POST)
    found, _filters = asked(scope, _back(request))
    if form.is_valid():
        try:
            made = lists.save_filter(
                project=scope.project,
                look=found.look(),
                by=scope.user,
                now=timezone.now(),
                **form.cleaned_data,
            )
        except errors.Refusal as refusal:
            show(form, refusal)
            return _page(request, scope, form, refusal.status)
        messages.success(request, _("The filter “%(name)s” is saved.") % {"name": made.name})
        return _to_list(scope, f"saved={made.pk}")
    return _page(request, scope, form, 422)


@require_POST
@door(permissions.READERS)
def saved_filter(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Rename, share or delete a saved filter, or have it keep what the list shows now."""
    saved = reads.visible(scope.project, scope.user).filter(pk=pk).first()
    if saved is None:
        raise Http404(_("There is no such saved filter."))
    try:
        return _done(request, scope, saved)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return _page(request, scope, forms.SaveForm(), refusal.status)


def _done(request: HttpRequest, scope: Scope, saved: SavedFilter) -> HttpResponse:
    act, now = request.POST.get("act", ""), timezone.now()
    if act == "delete":
        lists.delete_filter(saved=saved, by=scope.user, now=now)
        messages.success(request, _("The filter is deleted. No question was touched."))
    elif act == "rename":
        name = request.POST.get("name", "")
        lists.change_filter(saved=saved, name=name, by=scope.user, now=now)
    elif act in {"share", "keep"}:
        lists.change_filter(saved=saved, shared=act == "share", by=scope.user, now=now)
    elif act == "replace":
        found, _filters = asked(scope, _back(request))
        lists.change_filter(saved=saved, look=found.look(), by=scope.user, now=now)
        messages.success(request, _("“%(name)s” shows this now.") % {"name": saved.name})
        return _to_list(scope, f"saved={saved.pk}")
    else:
        raise errors.Invalid(_("Say what is to be done with the filter."))
    return redirect("saved_filters", scope.project.slug)


@require_POST
@door(permissions.READERS)
def list_columns(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Remember the columns that somebody wants to see; none, or `usual`: the usual ones."""
    chosen = [] if "usual" in request.POST else request.POST.getlist("columns")
    back = _back(request).copy()
    back.pop("columns", None)
    try:
        columns = lists.choose_columns(project=scope.project, user=scope.user, columns=chosen)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        if back.get("saved"):  # it has columns of its own
            back.setlist("columns", [str(one) for one in columns])
    return _to_list(scope, back.urlencode())


def tabs(found: forms.Asked, filters: Sequence[SavedFilter]) -> list[dict[str, object]]:
    """Return the saved filters as links, the one that is shown marked."""
    now = found.saved.pk if found.saved else None
    return [
        {"label": one.name, "url": f"?saved={one.pk}", "current": one.pk == now, "one": one}
        for one in filters
    ]


def _page(
    request: HttpRequest, scope: Scope, form: forms.SaveForm, status: int = 200
) -> HttpResponse:
    filters = list(reads.visible(scope.project, scope.user))
    roles = frozenset(str(one) for one in scope.roles)
    context = {
        "scope": scope,
        "form": form,
        "back": request.POST.get("back", ""),
        "rows": [
            {"one": one, "theirs": lists.may_change(one, scope.user, roles)} for one in filters
        ],
        "may_share": scope.may(permissions.CURATORS),
        "has_questions": bool(filters) or questions.newest(scope.project).exists(),
    }
    return render(request, "annotation/saved_filters.html", context, status=status)


def _back(request: HttpRequest) -> QueryDict:
    return QueryDict(request.POST.get("back", "")[:4000].removeprefix("?"))


def _to_list(scope: Scope, query: str) -> HttpResponse:
    url = reverse("questions", args=[scope.project.slug])
    return redirect(f"{url}?{query}" if query else url)
