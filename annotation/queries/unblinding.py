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
    """Return the keys of those among these people who have, in it or in a round that it was copied from."""
    seen = Unblinding.objects.filter(round__in=_origins(round_), user__in=users)
    return set(seen.values_list("user_id", flat=True))


def _origins(round_: Round) -> list[Round]:
    """Return a round and all that it was copied from, discarded ones too."""
    found, at = [round_], round_.parent
    while at is not None:
        found.append(at)
        at = at.parent
    return found


def grades_in(round_: Round, user: User) -> bool:
    """Return whether this person is one of the round's annotators."""
    return round_.annotators.filter(rater__user=user, ended_at__isnull=True).exists()


def grades_in_a_copy(round_: Round, user: User) -> bool:
    """Return whether this person grades in a copy of a round (or in a copy of one) that is not final."""
    copies = list(Round.everything.filter(parent=round_))
    return any(
        (one.state != Round.State.FINAL and grades_in(one, user)) or grades_in_a_copy(one, user)
        for one in copies
    )
