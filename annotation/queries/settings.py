"""What a project has set: the section that holds, and those that held before."""

from collections.abc import Sequence
from typing import Any

from annotation.models import Project, SettingsVersion
from annotation.rules import identity
from annotation.rules.settings import Bank, Masks, Retention, Section

MOST_VERSIONS = 20


def newest(project: Project, section: Section) -> SettingsVersion | None:
    rows = SettingsVersion.objects.filter(project=project, section=section)
    return rows.select_related("by__person").order_by("-number").first()


def body_of(project: Project, section: Section) -> dict[str, Any]:
    rows = SettingsVersion.objects.filter(project=project, section=section)
    return rows.order_by("-number").values_list("body", flat=True).first() or {}


def bank_of(project: Project) -> Bank:
    return Bank.read(body_of(project, Section.BANK))


def masks_of(project: Project) -> Masks:
    return Masks.read(body_of(project, Section.MASKS))


def retention_of(project: Project) -> Retention:
    return Retention.read(body_of(project, Section.RETENTION))


def lexicon(project: Project, terms: Sequence[str]) -> identity.Lexicon:
    """Return what gives a system away in a project, where these are the names of its systems."""
    return masks_of(project).lexicon(terms)


def history(project: Project, section: Section) -> list[SettingsVersion]:
    """Return the versions of a section, the newest first."""
    rows = SettingsVersion.objects.filter(project=project, section=section)
    return list(rows.select_related("by__person").order_by("-number")[:MOST_VERSIONS])
