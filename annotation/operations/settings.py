"""Set a section of a project's settings: each change is a version, and the audit says what it was before."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Project, SettingsVersion, User
from annotation.operations import audit
from annotation.queries import settings
from annotation.rules.settings import Bank, Masks, Retention, Section, as_json
from evalsite import errors

#: Of lists the audit names what came and went; beyond so many it counts.
MOST_NAMED = 40


class SettingsInvalid(errors.Invalid):
    code = "settings_invalid"


class ChangedMeanwhile(errors.Conflict):
    code = "settings_changed_meanwhile"


def set_bank(*, project: Project, bank: Bank, base: int, by: User, now: datetime) -> bool:
    """Set the languages of the bank and what counts as a near-duplicate; return whether that is new.

    Raises:
        SettingsInvalid: a value cannot be used; `fields` says which.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(bank)
    return save(
        project=project, section=Section.BANK, body=as_json(bank), base=base, by=by, now=now
    )


def set_masks(*, project: Project, masks: Masks, base: int, by: User, now: datetime) -> bool:
    """Set by which words of its own a project finds systems that name themselves.

    Raises:
        SettingsInvalid: a word or a pattern cannot be used; `fields` says why.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(masks)
    return save(
        project=project, section=Section.MASKS, body=as_json(masks), base=base, by=by, now=now
    )


def set_retention(
    *, project: Project, retention: Retention, base: int, by: User, now: datetime
) -> bool:
    """Set how long what can be made anew, or has served its purpose, is kept.

    Raises:
        SettingsInvalid: a number of days is out of reach; `fields` says which.
        ChangedMeanwhile: `base` is not the version that holds.
    """
    check(retention)
    return save(
        project=project,
        section=Section.RETENTION,
        body=as_json(retention),
        base=base,
        by=by,
        now=now,
    )


@transaction.atomic
def save(
    *, project: Project, section: Section, body: dict[str, Any], base: int, by: User, now: datetime
) -> bool:
    """Write the next version of a section; what stands already is not written once more.

    Args:
        base: the number of the version that was on the page; 0: the section was never set.

    Raises:
        ChangedMeanwhile: another version holds by now.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    held = settings.newest(project, section)
    number, before = (held.number, held.body) if held else (0, {})
    if number != base:
        raise ChangedMeanwhile(
            _(
                "Somebody has changed these settings since you opened the page. "
                "What you typed is still here: load the page in a second window and compare."
            )
        )
    if before == body:
        return False
    SettingsVersion.objects.create(
        project=project, section=section, number=number + 1, body=body, by=by, at=now
    )
    old, new = _changes(before, body)
    audit.record(
        project=project,
        actor=by,
        verb="settings.changed",
        subject=f"settings:{section.lower()}",
        at=now,
        number=number + 1,
        before=old,
        after=new,
    )
    return True


def _changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return what differs, as it was and as it is; of lists what went and what came."""
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name in sorted(before.keys() | after.keys()):
        was, now_is = before.get(name), after.get(name)
        if was == now_is:
            continue
        if isinstance(now_is, list):
            was = was or []
            old[name], new[name] = _named(was, now_is), _named(now_is, was)
        else:
            old[name], new[name] = was, now_is
    return old, new


def _named(these: list[Any], those: list[Any]) -> list[Any]:
    found = [one for one in these if one not in those]
    rest = len(found) - MOST_NAMED
    return [*found[:MOST_NAMED], f"… {rest} more"] if rest > 0 else found


def check(wanted: Bank | Masks | Retention) -> None:
    """Refuse a section that cannot be used.

    Raises:
        SettingsInvalid: `fields` says what is wrong with which value.
    """
    if problems := wanted.problems():
        told = {name: [_(one) for one in said] for name, said in problems.items()}
        raise SettingsInvalid(next(iter(told.values()))[0], fields=told)
