"""Judges of pairs, as a kind of run."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.systems.models import SystemRelease
from scoring.engine.kinds import Beginning, RunPlugin
from scoring.engine.models import Run


def told(run: Run) -> Mapping[str, Any]:
    """Return the configuration as people read it: by what is compared, and with whom."""
    config = dict(run.config)
    against = config.pop("against", None)
    rows = SystemRelease.objects.select_related("system").filter(pk=against or 0)
    made = {**config, "criteria": config.get("criterion", {}).get("asks", "")}
    return made | ({"against": str(rows[0])} if against and rows and run.round is None else {})


RUNS = (
    RunPlugin(
        kind=Run.Kind.PAIRS,
        works="scoring.kinds.pairs.operations.KIND",
        form="pairs_new",
        begins=[Beginning(_("Judge pairs"), "pairs_new", 15)],
        links=[(_("Results"), "run_pairs")],
        told=told,
        is_reseeded=True,
    ),
)
