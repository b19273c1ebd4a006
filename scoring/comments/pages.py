"""The comments of a round's annotators: a page to search through, and a file."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from annotation.people import permissions
from annotation.people.permissions import Scope, shows
from evalsite import errors
from evalsite.web import keyset
from scoring.comments import queries as comments
from scoring.comments.queries import Comments
from scoring.figures import labels
from scoring.figures import pages as waiting
from scoring.results import exports
from scoring.results.facts import around


@shows(permissions.UNBLINDED)
def comments_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what annotators wrote, some at a time, by system, criterion, level and text."""
    mine = labels.of_reading(scope, number)
    context = around(mine, "results_comments")
    if shut := waiting.closed(request, mine, context):
        return shut
    try:
        found = comments.read_comments(mine, request.GET.dict())
    except comments.BadCommentFilter as refusal:
        found, context["problem"] = Comments(mine), refusal.message
    page = found.page(request.GET.get("after", ""))
    n = found.rows().count()
    context |= {
        "comments": found,
        "lines": found.lines(page.rows),
        "count_text": ngettext("%(n)d comment", "%(n)d comments", n) % {"n": n},
        "query": request.GET.urlencode(),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/comments/results_comments.html", context)


@shows(permissions.UNBLINDED)
def comments_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream the comments that the page shows, all of them."""
    try:
        mine = labels.allowed(scope, number)
        found = comments.read_comments(mine, request.GET.dict())
    except errors.Refusal:
        return redirect("results_comments", scope.project.slug, number)  # that page says why
    lines = found.sheet().lines()
    return exports.sent(mine, "comments.csv", lines)
