"""Reports: their figures are asked for together, and a report that is taken away is written down.

* The report of a round: a page that prints, the same as one file, and its tables.
"""

import re
from datetime import datetime
from functools import cache
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common.forms import RecordForm
from annotation.people import inviting, permissions
from annotation.people.permissions import Scope, does, door, shows
from evalsite import errors
from evalsite.web import addresses
from scoring.figures import labels as reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.figures.pages import like_this
from scoring.report import queries as reporting
from scoring.report import sharing
from scoring.report.models import ReportLink
from scoring.report.of_pairs import report_of
from scoring.report.queries import ReportChoice
from scoring.report.sharing import ReportShare
from scoring.results import exports as exporting
from scoring.results.facts import around
from scoring.shown import sheet as shown_sheet


def collect(*, choice: ReportChoice, now: datetime) -> dict[str, Figure]:
    """Return the figures of a report by key; those that are not there yet are asked for."""
    return {
        need.key: figures.get(name=need.name, round_=need.round, params=need.params, now=now)
        for need in reporting.needs(choice)
    }


#: What a report as a file is dressed in, in this order.
SHEETS = ("tokens", "base", "shell", "controls", "tables", "plots", "insight", "print", "report")
#: Fonts would be fetched from the site; the file takes those of the reader.
FONT = re.compile(r"@font-face\s*{[^}]*}")
#: What the form on the page says itself; the rest of the address goes along.
FORM = ("before", "annotators", "comments")


@shows(permissions.UNBLINDED)
def report_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the report of a round, or how far its figures are."""
    mine = reading.of_reading(scope, number)
    context = around(mine, "results_report") | {"may_share": scope.may(permissions.OWNERS)}
    if closed := waiting.closed(request, mine, context):
        return closed
    choice = reporting.read_report_choice(mine, dict(request.GET.lists()))
    figures = collect(choice=choice, now=timezone.now())
    context |= {
        "choice": choice,
        "earlier": reporting.earlier(mine),
        "kept": [pair for pair in choice.pairs if pair[0] not in FORM],
        "query": request.GET.urlencode(),
    }
    page = "scoring/report/results_report.html"
    if wait := waiting.answer(request, list(figures.values()), context, page=page):
        return wait
    return render(request, page, context | _content(choice, figures))


@shows(permissions.UNBLINDED)
def report_html(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the report as one file that fetches nothing; while it is computed, go to the page."""
    ready = _ready(request, scope, number)
    if ready is None:
        return redirect(like_this(request, "results_report", scope.project.slug, number))
    choice, figures = ready
    context = {
        "scope": scope,
        "round": choice.mine.round,
        "sheet": style(),
        **_content(choice, figures),
    }
    text = render_to_string("scoring/report/report_file.html", context)
    return exporting.sent(choice.mine, "report.html", iter([text]), shown_sheet.HTML)


@shows(permissions.UNBLINDED)
def report_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream every table of the report as one; while it is computed, go to the page."""
    ready = _ready(request, scope, number)
    if ready is None:
        return redirect(like_this(request, "results_report", scope.project.slug, number))
    lines = report_of(*ready).sheet().lines()
    return exporting.sent(ready[0].mine, "report.csv", lines)


def _around(mine: reading.ReadRound) -> dict[str, Any]:
    may_share = mine.scope.may(permissions.OWNERS)
    return around(mine, "results_report") | {"may_share": may_share}


class ShareForm(RecordForm, record=ReportShare):
    """For whom a link is, how long it works and what it shows."""


@require_http_methods(["GET", "POST"])
@never_cache
@door(permissions.OWNERS)
def report_links(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Make a link to the report, which is shown this once; list those there are."""
    mine, now = reading.of_reading(scope, number), timezone.now()
    if closed := waiting.closed(
        request,
        mine,
        _around(mine),
    ):
        return closed
    usual = {"names": mine.shown}
    given = request.POST if request.method == "POST" else None
    form, link = ShareForm(given, initial=usual), ""
    if form.is_valid():
        wish, query = ReportShare(**form.cleaned_data), dict(request.GET.lists())
        with refusals.shown(form):
            made, token = sharing.share(mine=mine, wish=wish, query=query, by=scope.user, now=now)
            link = addresses.of_site(request) + reverse("report_shared", args=[token])
            form = ShareForm(initial=usual)
            messages.success(request, _("Link for %(whom)s made.") % {"whom": made.whom})
    context = {
        "round": mine.round,
        "form": form,
        "link": link,
        "opens_only_here": inviting.opens_only_here(link),
        "lines": sharing.listed(mine.round, now),
        "is_final": mine.round.state == "FINAL",
        "back_url": like_this(request, "results_report", scope.project.slug, number),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/report/links.html", context, status=status)


@does(permissions.OWNERS)
def report_link_revoke(request: HttpRequest, scope: Scope, number: int, pk: int) -> HttpResponse:
    """Take a link back."""
    rows = ReportLink.objects.filter(round__project=scope.project, round__number=number)
    with refusals.told(request):
        sharing.revoke(link=get_object_or_404(rows, pk=pk), **scope.who())
        messages.success(request, _("Link withdrawn."))
    return redirect("report_links", scope.project.slug, number)


@require_GET
@never_cache
@login_not_required
def report_shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show a report to whoever comes with a link, without an account; nothing else of the site."""
    now = timezone.now()
    link = sharing.open_one(token, now)
    if link is None:
        return _apart(render(request, "scoring/report/shared_over.html", status=404))
    choice = reporting.read_report_choice(sharing.reading_of(link), link.query)
    figures = collect(choice=choice, now=now)
    context = {"scope": choice.mine.scope, "round": link.round, "sheet": _linked()}
    if any(one.state != Figure.State.READY for one in figures.values()):
        context["is_over"] = any(one.will_not_come for one in figures.values())
        waiting_page = render(request, "scoring/report/shared_wait.html", context)
        if not context["is_over"]:
            waiting_page["Refresh"] = "3"
        return _apart(waiting_page)
    sharing.seen(link, now)
    context |= _content(choice, figures)
    return _apart(render(request, "scoring/report/report_file.html", context))


def _apart(response: HttpResponse) -> HttpResponse:
    """Keep the address out of search engines, and from sites that a reader goes on to."""
    response["X-Robots-Tag"], response["Referrer-Policy"] = "noindex, nofollow", "no-referrer"
    return response


def _linked() -> SafeString:
    """Return the sheets of a report as links."""
    made = (
        format_html('<link rel="stylesheet" href="{}">', static(f"css/{name}.css"))
        for name in SHEETS
    )
    return mark_safe("\n".join(made))  # noqa: S308 - each is escaped


@cache
def style() -> SafeString:
    """Return the sheets of a report as an element, without anything that would be fetched."""
    texts = []
    for name in SHEETS:
        found = finders.find(f"css/{name}.css")
        assert isinstance(found, str), name
        with open(found, encoding="utf-8") as file:
            texts.append(FONT.sub("", file.read()))
    # Our own sheets, which hold no end of an element.
    return format_html("<style>{}</style>", mark_safe("\n".join(texts)))  # noqa: S308


def _content(choice: ReportChoice, figures: dict[str, Figure]) -> dict[str, Any]:
    report = report_of(choice, figures)
    return {
        "report": report,
    }


def _ready(
    request: HttpRequest, scope: Scope, number: int
) -> tuple[ReportChoice, dict[str, Figure]] | None:
    try:
        mine = reading.allowed(scope, number)
    except errors.Refusal:
        return None
    choice = reporting.read_report_choice(mine, dict(request.GET.lists()))
    figures = collect(choice=choice, now=timezone.now())
    if any(one.state != Figure.State.READY for one in figures.values()):
        return None
    return choice, figures
