"""How people look at the list of the bank: their saved filters and the columns they chose."""

from django.db.models import Q, QuerySet

from annotation.models import ChosenColumns, Project, SavedFilter, User
from annotation.rules import bank_lists as rules


def visible(project: Project, user: User) -> "QuerySet[SavedFilter]":
    """Return the saved filters that are somebody's own, and those that are shared."""
    rows = SavedFilter.objects.filter(Q(owner=user) | Q(is_shared=True), project=project)
    return rows.select_related("owner__person", "project").order_by("-is_shared", "name", "pk")


def columns_of(project: Project, user: User) -> tuple[rules.Column, ...]:
    """Return the columns that somebody has chosen; what is unknown by now is left out."""
    kept = ChosenColumns.objects.filter(project=project, user=user).first()
    found = rules.chosen(kept.columns).columns if kept else ()
    return found or rules.USUAL
