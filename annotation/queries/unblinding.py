"""Who has had the names of a round's systems shown, and who must not."""

from collections.abc import Sequence

from annotation.models import Round, Unblinding, User
from evalsite import prepared

_SEEN = prepared.Query(
    lambda round_, user: Unblinding.objects.filter(round=round_, user=user).values_list("pk"),
    round_=int,
    user=int,
)


def has_seen(round_: Round, user_id: int | None) -> bool:
    if user_id is None:
        return False
    return _SEEN.first(round_=round_.pk, user=user_id) is not None


def have_seen(round_: Round, users: Sequence[User]) -> set[int]:
    """Return the keys of those among these people who have."""
    seen = Unblinding.objects.filter(round=round_, user__in=users)
    return set(seen.values_list("user_id", flat=True))


def grades_in(round_: Round, user: User) -> bool:
    """Return whether this person is one of the round's annotators."""
    return round_.annotators.filter(rater__user=user, ended_at__isnull=True).exists()
