"""The tokens of a person, as their page lists them."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import PersonalToken, User

#: So many that work no more are listed.
SHOWN_OVER = 20


@dataclass(frozen=True)
class Line:
    """A token, and whether it works."""

    token: PersonalToken
    works: bool

    @property
    def is_revoked(self) -> bool:
        return self.token.revoked_at is not None


def list_of(user: User, now: datetime) -> list[Line]:
    """Return those that work, the newest first, then the last ones that do not any more."""
    rows = PersonalToken.objects.filter(user=user).select_related("project").order_by("-pk")
    working = [Line(one, True) for one in rows.working(now)]
    over = rows.exclude(pk__in=[one.token.pk for one in working])[:SHOWN_OVER]
    return [*working, *(Line(one, False) for one in over)]
