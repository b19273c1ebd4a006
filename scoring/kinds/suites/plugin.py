"""Suites over conversations (FlexEval), as a kind of run."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run
from scoring.kinds.suites.models import ConversationSet


def form(run: Run) -> str:
    return reverse("suite_run", args=[run.project.slug, run.config["suite"]])


def told(run: Run) -> Mapping[str, Any]:
    """Return the configuration with names in place of keys of the database."""
    config = run.config
    sets = ConversationSet.objects.filter(pk__in=config.get("sets") or ())
    graders = Endpoint.objects.filter(pk__in=config.get("graders") or ())
    few = {name: len(config[name]) for name in ("only", "drawn") if config.get(name)}
    return {
        **{name: value for name, value in config.items() if name != "judges"},
        "sets": list(sets.order_by("name").values_list("name", flat=True)),
        "graders": list(graders.order_by("name").values_list("name", flat=True)),
        "only": "",
        **few,
    }


RUNS = (
    RunPlugin(
        kind=Run.Kind.SUITE,
        works="scoring.kinds.suites.kind.KIND",
        form=form,
        begins=[Beginning(_("Run a suite"), "suites", 80)],
        links=[(_("Results"), "run_suite")],
        told=told,
    ),
)
SLOTS = {
    "files_read_whole": {"TALKS": "scoring.kinds.suites.conversations.jobs.read_talks"},
    "home": {"gates": "scoring.kinds.suites.pages.home"},
    "notices": {"gates": "scoring.kinds.suites.schedules.notices"},
}
SWEEPS = {"suites.schedule": "scoring.kinds.suites.schedules.sweep"}
