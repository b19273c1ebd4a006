"""What capabilities, criteria and annotators of a round are called on the analysts' pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Rater, RaterKind, Round
from scoring.queries import branches, results
from scoring.queries.branches import Capabilities


@dataclass(frozen=True)
class Labels:
    """Names by key. People are told apart by numbers, not by their names."""

    capabilities: Mapping[str, str]
    criteria: Mapping[str, str]
    raters: Mapping[str, str]

    def capability(self, key: object) -> str:
        if key is None:
            return _("Without a capability")
        return self.capabilities.get(str(key), _("A capability that was removed"))

    def criterion(self, key: str) -> str:
        return self.criteria.get(key, key)

    def rater(self, key: object) -> str:
        return self.raters.get(str(key), _("An annotator who has gone"))

    def in_order(self, keys: Iterable[Any]) -> list[Any]:
        """Return the keys of capabilities, each once, as the project orders them; none comes last."""
        place = {key: n for n, key in enumerate(self.capabilities)}
        return sorted(dict.fromkeys(keys), key=lambda key: place.get(str(key), len(place)))


def of(round_: Round, tree: Capabilities | None = None) -> Labels:
    """Return the labels of a round; raters of an imported file keep the name they have in it.

    Args:
        round_: whose labels.
        tree: its capabilities, where they were read already.
    """
    drawn = round_.annotators.order_by("rater_id").values_list("rater_id", flat=True)
    raters = {
        str(pk): _("Annotator %(number)d") % {"number": n}
        for n, pk in enumerate(dict.fromkeys(drawn), start=1)
    }
    others = Rater.objects.filter(project=round_.project).exclude(kind=RaterKind.PERSON)
    raters |= {str(pk): ref for pk, ref in others.values_list("pk", "ref")}
    known = tree or branches.capabilities(round_)
    parts = {str(pk): known.by_key[pk].name for pk in known.order}
    return Labels(parts, results.criteria_names(round_), raters)


def named(round_: Round) -> Labels:
    """Return the labels of a round with the names of its annotators, as files of grades hold them."""
    people = Rater.objects.filter(project=round_.project, kind=RaterKind.PERSON)
    names = {str(pk): name for pk, name in people.values_list("pk", "user__username")}
    usual = of(round_)
    return replace(usual, raters={key: names.get(key, text) for key, text in usual.raters.items()})
