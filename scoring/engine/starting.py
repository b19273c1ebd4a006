"""The way from a form to a run: first what it would cost, then the start; one page for every kind of run."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common import forms as refusals
from annotation.people import permissions
from annotation.people.permissions import Scope, asks
from evalsite import errors
from scoring.engine import kinds, requests
from scoring.engine.forms import StartForm
from scoring.engine.kinds import LARGEST_SEED, Action, Begun
from scoring.engine.models import Run

Words = str | Promise
ESTIMATE, START, PILOT = "estimate", "start", "pilot"
#: In an address that clones a run: everything as it was, but for the seed.
OTHER = "other"


def fresh() -> dict[str, Any]:
    """Return the key and the seed that a new form begins with: `Form(**fresh())`."""
    return {"key": uuid4(), "seed": secrets.randbelow(LARGEST_SEED + 1)}


def sent(request: HttpRequest) -> Any:
    """Return what was sent, or None for a page that is only looked at."""
    return request.POST if request.method == "POST" else None


@dataclass(frozen=True, slots=True)
class Lack:
    """What has to be there before a run can be begun, and what can be done about it now."""

    title: Words
    text: Words
    action: Action | None = None


@dataclass(frozen=True, slots=True)
class CountedEstimate:
    """What an estimate of a run that asks nobody says: title, text, and facts with a word below each."""

    title: Words
    text: Words
    facts: Sequence[tuple[Words, Any, Words]]


class StartPage:
    """The page on which runs of a kind are begun: form and words; an object is of one request.

    A folder of kinds has them in a module `start`, as `STARTS`, and they are found by being there.

    Raises:
        Http404: there is not what the run would be about.
    """

    #: Of the address, and where it stands below a project.
    name: ClassVar[str]
    at: ClassVar[str]
    kind: ClassVar[Begun]
    form: ClassVar[type[StartForm]]
    #: What buttons say that ask for an estimate, first and again.
    asks: ClassVar[Words] = gettext_lazy("Estimate")
    asks_again: ClassVar[Words] = gettext_lazy("Estimate again")
    #: What the address may choose: fields of the form.
    takes: ClassVar[Sequence[str]] = ()
    #: Of the form: the name of its class and of the style sheet that has it.
    style: ClassVar[str] = ""
    #: A template that stands above the form, where there is more to be seen, and what then heads the form.
    above: ClassVar[str] = ""
    form_title: ClassVar[Words] = ""

    def __init__(self, request: HttpRequest, scope: Scope, number: int) -> None:
        self.request, self.scope, self.number = request, scope, number

    @property
    def title(self) -> Words:
        raise NotImplementedError

    @property
    def lead(self) -> Words:
        raise NotImplementedError

    @property
    def heading(self) -> Words:
        return self.title

    @property
    def run_name(self) -> Words:
        """Return what a run is called unless somebody says it otherwise."""
        return self.title

    @cached_property
    def of(self) -> Any:
        """Return the project, or what of it the run is about."""
        return self.scope.project

    @property
    def chosen(self) -> Mapping[str, Any]:
        """Return what a new form shows, beside the name of the run."""
        return {name: self.request.GET.get(name, "") for name in self.takes}

    @property
    def given(self) -> Mapping[str, Any]:
        """Return what the form is made with, beside the project."""
        return {}

    @property
    def path(self) -> Sequence[Action]:
        """Return the pages above this one; the last is where one goes back to."""
        return [Action(_("Runs"), self.url("runs"))]

    @property
    def actions(self) -> Sequence[Action]:
        """Return the links at the top of the page."""
        return ()

    @property
    def note(self) -> Words:
        """Return what has to be known before it is begun."""
        return ""

    def lack(self, form: Any) -> Lack | None:
        """Return what has to be there first."""
        return None

    @property
    def is_scripted(self) -> bool:
        """Return whether scripts stood in for machines in what the run would be about."""
        return False

    def refused(self, refusal: errors.Refusal) -> HttpResponse:
        """Answer somebody who may not begin a run about this now."""
        raise refusal

    def said(self, told: Mapping[str, Any]) -> str:
        """Return what an estimate says beside the calls, in words."""
        return ""

    def counted(self, told: Mapping[str, Any]) -> CountedEstimate | None:
        """Return what there is, in place of the calls that a run would take."""
        return None

    def url(self, name: str, *args: Any) -> str:
        return reverse(name, args=[self.scope.project.slug, *args])


class OfReleases(StartPage):
    """A page on which runs are begun that ask connected systems; its form is a ReleasesForm."""

    nobody: ClassVar[Words] = gettext_lazy("Nobody to ask")

    def lack(self, form: Any) -> Lack | None:
        text = _("Connect a system with an endpoint.")
        action = Action(_("Systems"), self.url("systems"))
        return None if form.can_start else Lack(self.nobody, text, action)


def starts_of_kinds() -> list[type[StartPage]]:
    """Return the pages on which runs are begun, of every folder of kinds."""
    return [one for module in kinds.modules("start") for one in module.STARTS]


def page(start: type[StartPage]) -> Callable[..., HttpResponse]:
    """Return the view that shows a form, the estimate of what was sent, or starts a run and leads to it.

    A POST says in `deed` whether to estimate, to try some steps or to start.
    """

    @asks(permissions.CURATORS)
    def view(request: HttpRequest, scope: Scope, number: int = 0) -> HttpResponse:
        found = start(request, scope, number)
        try:
            _about = found.of
        except errors.Refusal as refusal:
            return found.refused(refusal)
        return answer(found)

    return view


def answer(start: StartPage) -> HttpResponse:
    """Answer a request for a page on which runs are begun."""
    request, scope, kind = start.request, start.scope, start.kind
    before = cloned(scope, request.GET.get("from", ""), kind.kind)
    shown = {"name": str(start.run_name)[:120], **start.chosen}
    shown |= again(kind, before, request) if before else {}
    given = {"project": scope.project, "initial": shown, **start.given, **fresh()}
    made = start.form(sent(request), **given)
    figures, told = None, dict[str, Any]()
    if made.is_bound and made.is_valid():
        who: Any = {"user": scope.user, "now": timezone.now()}
        with refusals.shown(made):
            deed = request.POST.get("deed")
            wish = replace(made.wish(), pilot=deed == PILOT)
            if deed in {START, PILOT}:
                run = requests.started(kind, start.of, wish, **who, cloned_from=before)
                return _started(request, scope, run)
            figures, asked = requests.checked(kind, start.of, wish, **who)
            told = dict(asked.told)
    context = {
        "start": start,
        "form": made,
        "lack": start.lack(made),
        "estimate": figures,
        "told": told,
        "said": start.said(told) if told else "",
        "counted": start.counted(told) if figures else None,
        "back_url": start.path[-1].url,
    }
    return render(request, "scoring/engine/start.html", context, status=refusals.status_of(made))


def again(kind: Begun, run: Run, request: HttpRequest) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    shown = {
        "name": str(_("%(name)s, again") % {"name": run.name})[:120],
        "budget": run.budget,
        "seed": run.seed,
        **kind.again(run),
    }
    if request.GET.get("seed") == OTHER:
        shown["seed"] = fresh()["seed"]
    return shown


def _started(request: HttpRequest, scope: Scope, run: Run) -> HttpResponse:
    messages.success(request, _("Started."))
    return redirect("run", scope.project.slug, run.number)


def cloned(scope: Scope, given: str, kind: Run.Kind) -> Run | None:
    """Return the run whose number stands in `?from=`, if it is one of this kind."""
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    found = Run.objects.filter(project=scope.project, number=int(given), kind=kind).first()
    return None if found is not None and "imported" in found.config else found


def clone_url(run: Run) -> str:
    """Return where a run can be started again with another choice; nothing if there is no such page."""
    if "imported" in run.config:
        return ""  # nobody was asked, so nobody can be asked again like this
    there = kinds.plugin(run.kind).form_of(run)
    return f"{there}?from={run.number}" if there else ""


def starts(scope: Scope) -> list[Action]:
    """Return the pages on which this project's runs are begun."""
    every = [one for plugin in kinds.plugins().values() for one in plugin.begins]
    return [
        Action(one.text, reverse(one.name, args=[scope.project.slug]))
        for one in sorted(every, key=lambda one: one.place)
    ]
