"""What operators of the installation decide about accounts."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import User
from annotation.operations import audit, rights
from evalsite import errors


class LastOperator(errors.Conflict):
    code = "last_operator"


class NotAnOperator(errors.NotAllowed):
    code = "not_an_operator"


@transaction.atomic
def set_account(
    *,
    user: User,
    is_active: bool,
    is_operator: bool,
    by: User | None,
    now: datetime,
    may_start_projects: bool | None = None,
) -> User:
    """Let an account sign in or not, start projects or not, and make it an operator's or not.

    Args:
        may_start_projects: without owning one; None leaves it as it is.
        by: an operator; None for whoever has a shell on the machine.

    Raises:
        NotAnOperator: only operators decide this.
        LastOperator: nobody would be left who can sign in as an operator.
    """
    if by is not None and not (by.is_active and by.is_superuser):
        raise NotAnOperator(_("Only operators decide this."))
    User.objects.select_for_update().filter(is_superuser=True).count()
    account = User.objects.select_for_update().get(pk=user.pk)
    if may_start_projects is None:
        may_start_projects = account.may_start_projects
    was = account.is_active, account.is_superuser
    if (*was, account.may_start_projects) == (is_active, is_operator, may_start_projects):
        return account
    left = User.objects.filter(is_active=True, is_superuser=True).exclude(pk=account.pk)
    if all(was) and not (is_active and is_operator) and not left.exists():
        raise LastOperator(_("This is the last operator. Make another account one first."))
    account.is_active, account.is_superuser = is_active, is_operator
    account.may_start_projects = may_start_projects
    account.save(update_fields=["is_active", "is_superuser", "may_start_projects"])
    if not is_active:
        rights.end_with_account(user=account, by=by, now=now)
    audit.record(
        project=None,
        actor=by,
        verb="account.set",
        subject=f"user:{account.public_id}",
        at=now,
        is_active=is_active,
        is_operator=is_operator,
        may_start_projects=may_start_projects,
    )
    return account
