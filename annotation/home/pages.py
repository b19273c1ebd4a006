"""Where somebody arrives: the project, or the choice of one.

* Forms about accounts, projects and roles.
* The projects somebody belongs to, a new one, its settings, and the pictures of its texts.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.common.forms import initial_of, status_of
from annotation.home import first_steps
from annotation.home import operations as projects_templates
from annotation.home import queries as reads
from annotation.home.queries import ProjectCounts, list_templates
from annotation.people import forms as projects_forms
from annotation.people import operations as people
from annotation.people import permissions
from annotation.people import queries as projects_reads
from annotation.people.forms import EditProject
from annotation.people.models import Membership, Role, User
from annotation.people.permissions import Scope, asks, shows
from annotation.people.records import ProjectsAbout
from evalsite import allowances, panels
from evalsite.outside import pictures


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


@shows(permissions.EVERYBODY)
def project_home(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what there is to do; somebody who only grades is sent to the grading list."""
    if scope.roles == {Role.ANNOTATOR}:
        return redirect("grading", scope.project.slug)
    standing = reads.standing(scope.project)
    may_curate = scope.may(permissions.CURATORS)
    now = timezone.now()
    guide = first_steps.guide_of(scope)
    found: dict[str, Any] = {}
    context = {
        "standing": standing,
        "facts": facts(standing),
        "guide": guide if guide.is_on_home else None,
        "story": first_steps.story_of(scope) if guide.is_on_home else [],
        "is_new": may_curate and standing.is_new,
        "may_curate": may_curate,
        "may_grade": scope.may(permissions.ANNOTATORS),
        "sees_rounds": scope.may(permissions.UNBLINDED),
        "looks": looks(scope, now),
        "sees_looks": scope.may(permissions.BANK),
        "workers": reads.workers(scope.project, now) if scope.may(permissions.OWNERS) else None,
        "news": reads.news(scope.project, now) if scope.may({Role.ANALYST}) else [],
        "headline": [fact for some in _filled("home_facts", scope, found) for fact in some],
        "panels": _filled("home", scope, found),
    }
    return render(request, "annotation/home/home.html", context)


def _filled(slot: str, scope: Scope, found: dict[str, Any]) -> list[Any]:
    """Fill a slot of the page; what its builders found once is handed on in `found`."""
    return list(panels.fill(slot, scope=scope, found=found))


def looks(scope: Scope, now: datetime) -> list[dict[str, str]]:
    """Return what needs a look, title, text and address each: rounds, in which people wait, first.

    Other parts of the product add theirs in the slot "needs_a_look"; its builders get the scope
    and the time, and return a list of such things.
    """
    mine = reads.looks(scope.project, now) if scope.may(permissions.CURATORS) else []
    more = panels.fill("needs_a_look", scope=scope, now=now)
    slug = scope.project.slug
    return [
        *(
            {
                "title": one.title,
                "text": one.text,
                "url": reverse(one.page, args=[slug, one.number]),
            }
            for one in mine
        ),
        *(one for several in more for one in several),
    ]


def facts(standing: ProjectCounts) -> list[dict[str, str]]:
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


class NewProjectForm(EditProject):
    slug = forms.SlugField(
        label=gettext_lazy("Short name"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("For addresses; it never changes. Empty: made from the name."),
        error_messages={"invalid": gettext_lazy("Use letters, digits, - and _ only.")},
    )
    template = forms.ChoiceField(
        label=gettext_lazy("Begin with"), required=False, widget=forms.RadioSelect, initial=""
    )
    field_order = ["name", "slug", "subtitle", "template"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        found = [(one.key, f"{one.name}: {one.summary}") for one in reads.list_templates()]
        self.fields["template"].choices = [("", gettext_lazy("nothing: an empty project")), *found]  # type: ignore[attr-defined]


@require_GET
def projects(request: HttpRequest) -> HttpResponse:
    """List the projects of the person who asks."""
    assert isinstance(request.user, User)
    context = {"mine": projects_reads.list_of(request.user), **_starting(request.user)}
    return render(request, "annotation/home/projects.html", context)


@require_http_methods(["GET", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """Start a project; whoever does owns it."""
    assert isinstance(request.user, User)
    starting = _starting(request.user)
    if not starting["may_start"]:
        status = 403 if request.method == "POST" else 200
        return render(request, "annotation/home/project_new.html", starting, status=status)
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        given = form.cleaned_data
        with refusals.shown(form):
            project = projects_templates.start_project(
                template=given["template"],
                slug=given["slug"],
                name=given["name"],
                subtitle=given["subtitle"],
                by=request.user,
                now=timezone.now(),
            )
            return redirect("project_home", project.slug)
    context = {"form": form, "templates": list_templates(), **starting}
    return render(request, "annotation/home/project_new.html", context, status=status_of(form))


def _starting(user: User) -> dict[str, object]:
    """Return what a page says of starting projects."""
    return {
        "may_start": projects_reads.may_start(user),
        "how_to_start": projects_reads.how_to_start(),
    }


@asks(permissions.OWNERS)
def project_settings(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Change what the project is called, and what its annotators are told."""
    project = scope.project
    form = projects_forms.ProjectSettings(
        request.POST if request.method == "POST" else None,
        initial=initial_of(ProjectsAbout, project),
    )
    if form.is_valid():
        with refusals.shown(form):
            people.set_up_project(project=project, **form.cleaned_data, **scope.who())
            messages.success(request, _("Saved."))
            return redirect("project_settings", scope.project.slug)
    context = {"form": form}
    return render(request, "annotation/home/project_settings.html", context, status=status_of(form))


@shows(permissions.EVERYBODY)
def picture(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Give a picture that stands in a text which the person was shown."""
    of = scope.project
    try:
        found = pictures.fetched(
            request.GET.dict(),
            slug=of.slug,
            hosts=of.picture_hosts,
            user=scope.user.pk,
            networks=allowances.networks_of(of.slug),
        )
    except pictures.NoPicture:
        raise Http404(_("This picture cannot be had.")) from None
    answer = HttpResponse(found.data, content_type=found.kind)
    answer["Cache-Control"] = "private, max-age=86400"
    return answer
