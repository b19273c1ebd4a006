"""Keep how people look at the list of the bank: filters under a name, and the columns they chose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as of
from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.bank import questions, rules
from annotation.bank.models import ChosenColumns, SavedFilter
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people import queries as people_queries
from annotation.people.models import Project, User
from annotation.people.rules import CURATORS
from evalsite import errors

#: So many filters one person keeps in a project.
MOST = 50
MAX_NAME = 80
MAX_VALUE = 200


class FilterNotYours(errors.NotAllowed):
    code = "not_yours"


class FilterInvalid(errors.Invalid): ...


class TooManyFilters(errors.Conflict):
    code = "too_many"


@dataclass(frozen=True)
class FilterLook:
    """What a saved filter keeps: filters by name as in the address, an order, columns."""

    query: Mapping[str, str] = of(default_factory=dict)
    order: str = ""
    columns: Sequence[str] = ()


@transaction.atomic
def save_filter(
    *, project: Project, name: str, look: FilterLook, by: User, now: datetime, shared: bool = False
) -> SavedFilter:
    """Keep a look at the list under a name.

    Raises:
        FilterInvalid: it has no name, or says something the list does not know.
        NameTaken: they have a filter of this name, or there is a shared one.
        FilterNotYours: only owners and curators share.
        TooManyFilters: they keep as many as one may.
    """
    name = _name(name)
    _refuse_unknown(look)
    if shared:
        _refuse_sharing(project, by)
    if SavedFilter.objects.filter(project=project, owner=by).count() >= MOST:
        raise TooManyFilters(
            _("You keep %(n)d saved filters here. Delete one that you no longer need.")
            % {"n": MOST}
        )
    try:
        with transaction.atomic():
            made = SavedFilter.objects.create(
                project=project,
                owner=by,
                name=name,
                is_shared=shared,
                created_at=now,
                changed_at=now,
                **_stored(look),
            )
    except IntegrityError as problem:
        raise _taken(name) from problem
    _record("filter.saved", made, by, now)
    return made


@transaction.atomic
def change_filter(
    *,
    saved: SavedFilter,
    by: User,
    now: datetime,
    name: str | None = None,
    shared: bool | None = None,
    look: FilterLook | None = None,
) -> SavedFilter:
    """Rename a saved filter, share it or take it back, or have it keep another look.

    Raises:
        FilterNotYours: it is somebody else's, or sharing is not theirs to do.
        FilterInvalid, NameTaken: as in save_filter.
    """
    _refuse_others(saved, by)
    values: dict[str, object] = {"changed_at": now}
    if name is not None:
        values["name"] = _name(name)
    if look is not None:
        _refuse_unknown(look)
        values |= _stored(look)
    if shared is not None and shared != saved.is_shared:
        _refuse_sharing(saved.project, by)
        values["is_shared"] = shared
    try:
        with transaction.atomic():
            SavedFilter.objects.filter(pk=saved.pk).update(**values)
    except IntegrityError as problem:
        raise _taken(str(values.get("name", saved.name))) from problem
    saved.refresh_from_db()
    _record("filter.changed", saved, by, now)
    return saved


@transaction.atomic
def delete_filter(*, saved: SavedFilter, by: User, now: datetime) -> None:
    """Delete a saved filter. No question is touched.

    Raises:
        FilterNotYours: it is somebody else's.
    """
    _refuse_others(saved, by)
    _record("filter.deleted", saved, by, now)
    saved.delete()


@transaction.atomic
def choose_columns(*, project: Project, user: User, columns: Sequence[str]) -> tuple[str, ...]:
    """Remember which columns somebody wants to see in this project; none: the usual ones.

    Raises:
        FilterInvalid: there is no such column.
    """
    found = rules.chosen(columns)
    _refuse_columns(found)
    mine = ChosenColumns.objects.filter(project=project, user=user)
    if not found.columns:
        mine.delete()
        return rules.USUAL
    kept = [str(one) for one in found.columns]
    ChosenColumns.objects.update_or_create(project=project, user=user, defaults={"columns": kept})
    return found.columns


def may_change(saved: SavedFilter, user: User, roles: frozenset[str]) -> bool:
    """Return whether a saved filter is theirs to change: their own, or a shared one as curator."""
    return saved.owner_id == user.pk or (saved.is_shared and bool(roles & CURATORS))


def _refuse_others(saved: SavedFilter, by: User) -> None:
    if not may_change(saved, by, people_queries.roles(saved.project_id, by)):
        raise FilterNotYours(_("This filter is somebody else’s. Save it under a name of your own."))


def _refuse_sharing(project: Project, by: User) -> None:
    if not people_queries.roles(project.pk, by) & CURATORS:
        raise FilterNotYours(_("Owners and curators decide which filters everybody sees."))


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise _invalid("name", _("Give the filter a name."))
    if len(name) > MAX_NAME:
        message = _("A name has at most %(n)d characters; this one has %(has)d.")
        raise _invalid("name", message % {"n": MAX_NAME, "has": len(name)})
    return name


def _refuse_unknown(look: FilterLook) -> None:
    for key, value in look.query.items():
        if key not in questions.NAMES:
            raise _invalid("query", _("The list has no filter “%(name)s”.") % {"name": key[:40]})
        if len(value) > MAX_VALUE or "\0" in value:
            message = _("The filter “%(name)s” has a value that cannot be kept.")
            raise _invalid("query", message % {"name": key})
    if rules.order(look.order) is None:
        message = _("The list has no order “%(name)s”.")
        raise _invalid("order", message % {"name": look.order[:40]})
    _refuse_columns(rules.chosen(look.columns))


def _refuse_columns(found: rules.ChosenNames) -> None:
    if found.unknown:
        message = _("The list has no column “%(name)s”.")
        raise _invalid("columns", message % {"name": found.unknown[0][:40]})


def _invalid(field: str, words: str) -> FilterInvalid:
    return FilterInvalid(words, fields={field: [words]})


def _taken(name: str) -> errors.NameTaken:
    words = _("There is a saved filter “%(name)s” already. Choose another name.") % {"name": name}
    return errors.NameTaken(words, fields={"name": [words]})


def _stored(look: FilterLook) -> dict[str, object]:
    return {
        "query": {key: value for key, value in look.query.items() if value},
        "order": look.order,
        "columns": [str(one) for one in rules.chosen(look.columns).columns],
    }


def _record(verb: str, saved: SavedFilter, by: User, now: datetime) -> None:
    audit.record(
        project=saved.project,
        actor=by,
        verb=verb,
        subject=f"filter:{saved.pk}",
        at=now,
        note=saved.name,
        shared=saved.is_shared,
    )
