"""The tabs of a round's results."""

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project, Round


def tabs(project: Project, round_: Round, current: str) -> list[dict[str, object]]:
    """Return the tabs as includes/tabs.html takes them; `current` is the name of an address."""
    pages = (
        ("results", _("Scores")),
        ("results_agreement", _("Agreement")),
        ("results_disputes", _("Disputes")),
        ("results_annotators", _("Annotators")),
        ("results_plan", _("Plan")),
    )
    lines: list[dict[str, object]] = [
        {
            "label": label,
            "url": reverse(name, args=[project.slug, round_.number]),
            "current": name == current,
        }
        for name, label in pages
    ]
    movement: dict[str, object] = {
        "label": _("Fluctuation"),
        "url": reverse("movement", args=[project.slug]),
    }
    return [*lines, movement]
