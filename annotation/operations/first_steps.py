"""Keep how somebody stands with the first steps: put away, asked for again, opened."""

from django.db import transaction

from annotation.models import FirstSteps, Project, User


def put_away(*, project: Project, user: User) -> None:
    """Hide the guide from this person's first page until they ask for it."""
    _show(project, user, shown=False)


def bring_back(*, project: Project, user: User) -> None:
    """Show the guide on this person's first page until they put it away, though all may be done."""
    _show(project, user, shown=True)


@transaction.atomic
def open_step(*, project: Project, user: User, key: str) -> None:
    """Write down that the guide led this person to a page; a second time changes nothing."""
    FirstSteps.objects.get_or_create(project=project, user=user)
    row = FirstSteps.objects.select_for_update().get(project=project, user=user)
    if key not in row.opened:
        row.opened = [*row.opened, key]
        row.save(update_fields=["opened"])


def _show(project: Project, user: User, *, shown: bool) -> None:
    FirstSteps.objects.update_or_create(project=project, user=user, defaults={"shown": shown})
