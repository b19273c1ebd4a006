"""The clock, accounts, projects and who is a member of them."""

import itertools
from datetime import UTC, datetime, timedelta

from annotation import models
from annotation.people import operations as people
from annotation.people.models import Role
from tests import copies

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"

#: What makes a name or an id unlike those before it.
count = itertools.count(1)


def at(minutes: float) -> datetime:
    """Return the moment so many minutes after NOW."""
    return NOW + timedelta(minutes=minutes)


def user(username: str | None = None, name: str | None = None) -> models.User:
    username = username or f"user-{next(count)}"
    found = models.User.objects.filter(username=username).first()
    if found:
        return found
    made = models.User.objects.create_user(username, PASSWORD)
    models.Person.objects.create(user=made, name=name or username.title())
    return made


@copies.made_once
def project(slug: str = "northport", owner: models.User | None = None) -> models.Project:
    found = models.Project.objects.filter(slug=slug).first()
    if found:
        return found
    return people.create_project(
        slug=slug, name=slug.title(), by=owner or user(f"{slug}-owner"), now=NOW
    )


@copies.made_once_among
def member(role: Role, *, in_: models.Project | None = None, username: str = "") -> models.User:
    """Return somebody who has this role (and no other) in the project."""
    home = in_ or project()
    username = username or f"{home.slug}-{role.lower()}"
    roles = models.Membership.objects.filter(project=home).select_related("user")
    held = roles.active().filter(role=role, user__username=username).first()
    if held:
        return held.user
    somebody = user(username)
    owner = roles.filter(role=Role.OWNER).first()
    people.grant(
        project=home, user=somebody, role=role, by=owner.user if owner else somebody, now=NOW
    )
    return somebody


def rater(of: models.User, *, in_: models.Project | None = None) -> models.Rater:
    return people.rater_of(project=in_ or project(), user=of, now=NOW)
