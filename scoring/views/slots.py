"""What scoring puts into the named slots of annotation's pages."""

from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from annotation import permissions
from annotation.models import Round
from annotation.permissions import Scope
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import rounds


def menu() -> list[tuple[Any, ...]]:
    """Return the entries of the menu: key, label, name of the address, icon, who sees it, its pages.

    The results of a round stand below the round's address, and belong to the insight.
    """
    pages = "/p/*/rounds/*/results/*"
    return [
        ("judges", _("Judges"), "judges", "judges", permissions.UNBLINDED),
        ("runs", _("Runs"), "runs", "runs", permissions.UNBLINDED),
        ("suites", _("Suites"), "suites", "comment", permissions.UNBLINDED),
        ("insight", _("Insight"), "insight", "results", permissions.UNBLINDED, pages),
    ]


def menu_under() -> list[tuple[Any, ...]]:
    """Return what stands under the entries of the menu: key of the entry, label, address, who sees it."""
    return [
        ("judges", _("Judges"), "judges", permissions.UNBLINDED),
        ("judges", _("Beside people"), "judges_people", permissions.UNBLINDED),
        ("judges", _("Evaluation tasks"), "fusion_tasks", permissions.UNBLINDED),
        ("judges", _("Endpoints"), "endpoints", permissions.UNBLINDED),
        ("suites", _("Suites"), "suites", permissions.UNBLINDED),
        ("suites", _("Conversations"), "conversations", permissions.UNBLINDED),
        ("settings", _("Help with drafting"), "settings_drafting", permissions.OWNERS),
    ]


def menu_elsewhere() -> list[tuple[str, str, str]]:
    """Return pages whose address does not tell their entry: a pattern, key of the entry, its place."""
    pages = ("pairs", "together", "fewer", "*/people/*")
    return [
        (f"/p/*/judges/{page}{'' if page.endswith('*') else '/'}", "judges", "judges_people")
        for page in pages
    ]


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Show the newest rounds with results to those who may read them."""
    if not scope.may(permissions.UNBLINDED):
        return None
    lines = rounds.newest(scope.project)
    if not lines:
        return None
    return render_to_string("scoring/parts/home.html", {"scope": scope, "lines": lines})


def domain_scores(*, scope: Scope, **_context: Any) -> dict[int, str] | None:
    """Return the scores by subject area of the newest final round, for who may read results."""
    if not scope.may(permissions.UNBLINDED):
        return None
    final = rounds.with_results(scope.project).filter(state=Round.State.FINAL)
    newest = final.order_by("-number").first()
    if newest is None:
        return None
    figure = figures.get(name="domains", round_=newest, params={}, now=timezone.now())
    if figure.state != Figure.State.READY or figure.data is None:
        return None
    return {int(pk): f"{row['score']:.0f}" for pk, row in figure.data.items()}


def of_round(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Lead from the page of a round to its results."""
    if not scope.may(permissions.UNBLINDED) or round.state == Round.State.DRAFT:
        return None
    if round.kind == Round.Kind.TRIAL:
        return None  # its report stands in place of results
    return render_to_string("scoring/parts/round.html", {"scope": scope, "round": round})
