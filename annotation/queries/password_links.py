"""Links to a new password that were mailed and still work, as an owner sees them."""

from datetime import datetime

from django.db.models import F, Q, QuerySet

from annotation.models import Membership, PasswordLink, Project


def live(project: Project, now: datetime) -> "QuerySet[PasswordLink]":
    """Return those of people who belong to this project and to no other, the newest first."""
    here = Membership.objects.active().filter(project=project).values("user")
    elsewhere = Membership.objects.active().exclude(project=project).values("user")
    unused = Q(user__last_login=None) | Q(user__last_login__lt=F("made_at"))
    rows = PasswordLink.objects.filter(unused, ended_at=None, expires_at__gt=now)
    mine = rows.filter(user__in=here, user__is_active=True).exclude(user__in=elsewhere)
    return mine.select_related("user__person").order_by("-pk")
