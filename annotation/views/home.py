"""Where somebody arrives: the project, or the choice of one."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.models import Membership, Role, User
from annotation.permissions import Scope, door
from annotation.queries import attention
from annotation.queries import home as reads
from annotation.queries.home import Standing
from annotation.views import first_steps
from evalsite import panels


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Go to the person's project if there is just one, else to the list."""
    assert isinstance(request.user, User)
    slugs = list(
        Membership.objects.active()
        .filter(user=request.user)
        .values_list("project__slug", flat=True)
        .distinct()
        .order_by("project__name")[:2]
    )
    return redirect("project_home", slugs[0]) if len(slugs) == 1 else redirect("projects")


@require_GET
@door(permissions.EVERYBODY)
def project_home(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what there is to do; somebody who only grades is sent to the grading list."""
    if scope.roles == {Role.ANNOTATOR}:
        return redirect("grading", scope.project.slug)
    standing = reads.standing(scope.project)
    may_curate = scope.may(permissions.CURATORS)
    now = timezone.now()
    guide = first_steps.guide_of(scope)
    context = {
        "scope": scope,
        "standing": standing,
        "facts": facts(standing),
        "guide": guide,
        "story": first_steps.story_of(scope) if guide.is_shown else [],
        "is_new": may_curate and standing.is_new,
        "may_curate": may_curate,
        "may_grade": scope.may(permissions.ANNOTATORS),
        "sees_rounds": scope.may(permissions.UNBLINDED),
        "looks": looks(scope, now),
        "sees_looks": scope.may(permissions.BANK),
        "workers": attention.workers(scope.project, now) if scope.may(permissions.OWNERS) else None,
        "news": attention.news(scope.project, now) if scope.may({Role.ANALYST}) else [],
        "panels": list(panels.fill("home", scope=scope)),
    }
    return render(request, "annotation/home.html", context)


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what needs a look: title, text and address each.

    Other parts of the product add theirs in the slot "needs_a_look"; its builders get the scope
    and the time, and return a list of such things.
    """
    mine = attention.looks(scope.project, now) if scope.may(permissions.CURATORS) else []
    more = panels.fill("needs_a_look", scope=scope, now=now)
    slug = scope.project.slug
    return [
        *(one for several in more for one in several),
        *(
            {
                "title": one.title,
                "text": one.text,
                "url": reverse(one.page, args=[slug, one.number]),
            }
            for one in mine
        ),
    ]


def facts(standing: Standing) -> list[dict[str, str]]:
    """Return the four figures of the page, each with what it rests on."""
    return [
        {
            "label": _("Questions"),
            "value": str(standing.n_items),
            "note": _("%(n)d responses") % {"n": standing.n_responses},
        },
        {
            "label": _("Releases"),
            "value": str(standing.n_releases),
            "note": _("of the systems that are judged"),
        },
        {
            "label": _("Annotators"),
            "value": str(standing.n_annotators),
            "note": _("a round needs three"),
        },
        {
            "label": _("Rounds"),
            "value": str(standing.n_rounds),
            "note": _("%(n)d final") % {"n": standing.n_final},
        },
    ]
