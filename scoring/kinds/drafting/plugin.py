"""Drafts of questions, as a kind of run."""

from scoring.engine.kinds import RunPlugin
from scoring.engine.models import Run

RUNS = (RunPlugin(kind=Run.Kind.DRAFT, works="scoring.kinds.drafting.kind.KIND"),)
SLOTS = {
    "draft": {"drafting": "scoring.kinds.drafting.pages.of_draft"},
    "source": {"drafting": "scoring.kinds.drafting.pages.of_source"},
}
