"""Who a bank file speaks of: pseudonyms that lead back to an account only where it was written."""

import uuid
from collections.abc import Iterable

from django.utils.crypto import salted_hmac

from annotation.models import Membership, Project, User

#: Accounts that stand for the people of a bank from elsewhere; no person can choose such a name.
FOREIGN = "bank:"


def pseudonym(user: User) -> str:
    """Return what an account is called in a file; whoever came in by a file keeps the name they had."""
    if user.username.startswith(FOREIGN):
        return str(user.public_id)
    mac = salted_hmac("evalsite.bank.person", str(user.public_id), algorithm="sha256")
    return str(uuid.UUID(bytes=mac.digest()[:16]))


def known(project: Project, wanted: Iterable[str]) -> dict[str, int]:
    """Return the accounts behind pseudonyms: members, and whoever came in by a file before."""
    asked = set(wanted)
    members = Membership.objects.filter(project=project).values("user")
    ours = {pseudonym(one): one.pk for one in User.objects.filter(pk__in=members)}
    found = {name: pk for name, pk in ours.items() if name in asked}
    names = [FOREIGN + name for name in asked]
    for start in range(0, len(names), 500):
        some = User.objects.filter(username__in=names[start : start + 500])
        found |= {str(one.public_id): one.pk for one in some if str(one.public_id) not in found}
    return found


def name_of(user: User) -> str:
    person = getattr(user, "person", None)
    return person.name if person else ""
