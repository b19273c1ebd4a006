"""What a bulk edit sets, and whether the project knows all of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Capability, Difficulty, Domain, Project, QuestionType
from annotation.models.names import fault_of
from annotation.operations.bank.refusals import Incomplete
from annotation.rules import bulk as rules
from annotation.rules.bulk import Action

MAX_TAG = 100


@dataclass(frozen=True)
class Change:
    """What is to be done. `values`: fields of rules.bulk that are set, valid_until as a date.

    Args:
        meaning_same: say of questions that a round has used that their meaning stays; otherwise
            the author of the new version is asked when it is handed in.
    """

    action: Action
    values: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    meaning_same: bool = False


def stored(project: Project, change: Change) -> dict[str, Any]:
    """Return what a change sets as it is stored, once all of it is known to the project.

    Raises:
        Incomplete: it says nothing, or something that cannot be.
    """
    if change.action is Action.RETIRE and not change.note.strip():
        raise incomplete("note", _("Say why; it stays on record."))
    if change.action is not Action.CHANGE:
        return {}
    given = {name: value for name, value in change.values.items() if name in _CHECKS}
    if not any(value or name in rules.SET for name, value in given.items()):
        raise incomplete("values", _("Say what is to be changed."))
    for name, value in given.items():
        _CHECKS[name](project, name, value)
    day = given.get("valid_until")
    stored = {**given, "valid_until": day.isoformat()} if isinstance(day, date) else given
    return {**stored, "meaning_same": change.meaning_same}


def _in_project(model: Any) -> Callable[[Project, str, Any], None]:
    def check(project: Project, name: str, value: Any) -> None:
        if value is None and name == "domain_id":
            return
        if not model.objects.filter(project=project, pk=value).exists():
            raise incomplete(name, _("There is no such one in this project. Choose another."))

    return check


def _one_of(values: list[str]) -> Callable[[Project, str, Any], None]:
    def check(_project: Project, name: str, value: Any) -> None:
        if value not in values:
            raise incomplete(name, _("Choose one of the list."))

    return check


def _day(_project: Project, name: str, value: Any) -> None:
    if value is not None and not isinstance(value, date):
        raise incomplete(name, _("This is no day."))


def _tags(_project: Project, name: str, value: Any) -> None:
    if len(value) > rules.MAX_TAGS or any(not one.strip() or len(one) > MAX_TAG for one in value):
        words = _("At most %(n)d tags, of at most %(m)d characters each.")
        raise incomplete(name, words % {"n": rules.MAX_TAGS, "m": MAX_TAG})
    if name == rules.ADDED and (fault := next(filter(None, map(fault_of, value)), "")):
        raise incomplete(name, fault)


_CHECKS: Mapping[str, Callable[[Project, str, Any], None]] = {
    "capability_id": _in_project(Capability),
    "domain_id": _in_project(Domain),
    "difficulty": _one_of(Difficulty.values),
    "question_type": _one_of(QuestionType.values),
    "valid_until": _day,
    rules.ADDED: _tags,
    rules.DROPPED: _tags,
}


def incomplete(name: str, words: str) -> Incomplete:
    return Incomplete(words, fields={name: [words]})
