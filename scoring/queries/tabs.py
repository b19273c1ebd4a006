"""The tabs of a round's results."""

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project, Round

#: Tabs that show the same cut: weights and filters go along from one to the other.
CUT = ("results", "results_breakdown")


def tabs(
    project: Project, round_: Round, current: str, *, query: str = ""
) -> list[dict[str, object]]:
    """Return the tabs as includes/tabs.html takes them.

    Args:
        project: whose round.
        round_: whose results.
        current: the name of an address.
        query: the cut that is looked at.
    """
    pages = (
        ("results", _("Scores")),
        ("results_breakdown", _("Breakdown")),
        ("results_agreement", _("Agreement")),
        ("results_disputes", _("Disputes")),
        ("results_review", _("Review")),
        ("results_annotators", _("Annotators")),
        ("results_plan", _("Plan")),
        ("results_report", _("Report")),
    )
    lines: list[dict[str, object]] = [
        {
            "label": label,
            "url": reverse(name, args=[project.slug, round_.number])
            + (f"?{query}" if query and name in CUT else ""),
            "current": name == current,
        }
        for name, label in pages
    ]
    movement: dict[str, object] = {
        "label": _("Movement"),
        "url": reverse("movement", args=[project.slug]),
    }
    return [*lines, movement]
