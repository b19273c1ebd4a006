"""Who reads a run, and what they may see of it now.

Judgments of a run over a round stay hidden until the round is final, and with them everything the
judge said: its replies, and the results that were read from them. Counts, costs, errors and failed
calls are shown. Who grades in the round sees nothing of its answers before that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import Round, SystemRelease
from annotation.permissions import Scope
from annotation.queries import unblinding
from evalsite import errors
from scoring.llm.base import Role
from scoring.models import Run
from scoring.queries import names

#: Who is judged, or asks; everybody else in a run is the judge's side.
OPEN_ROLES = frozenset({Role.CANDIDATE.value, Role.INTERACTOR.value})


class NotForItsAnnotators(errors.NotAllowed):
    code = "not_for_its_annotators"


@dataclass
class Reading:
    """Somebody reads a run."""

    scope: Scope
    run: Run

    @cached_property
    def hides_judges(self) -> bool:
        """Whether what the judge's side said is still hidden."""
        return self.run.round is not None and self.run.round.state != Round.State.FINAL

    @cached_property
    def is_closed(self) -> bool:
        """Whether this person grades in the round, which is not final."""
        round_ = self.run.round
        return (
            round_ is not None
            and self.hides_judges
            and unblinding.grades_in(round_, self.scope.user)
        )

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Return what the releases of the round are called for this person, by key."""
        round_ = self.run.round
        if round_ is None:
            return {}
        shown = unblinding.has_seen(round_, self.scope.user.pk)
        return {key: name.text for key, name in names.names(round_, shown=shown).items()}

    @cached_property
    def shows_keys(self) -> bool:
        """Whether the names of steps may be shown: they can hold the name of a system."""
        round_ = self.run.round
        return (
            round_ is None
            or round_.kind == Round.Kind.IMPORTED
            or unblinding.has_seen(round_, self.scope.user.pk)
        )

    def name_of(self, release: SystemRelease | None) -> str:
        """Return what a release is called here: as the round's pages call it, if it is one of it."""
        if release is None:
            return ""
        return self.names.get(release.pk) or f"{release.system.name} · {release.label}"

    def hides(self, role: str) -> bool:
        return self.hides_judges and role not in OPEN_ROLES


def of(scope: Scope, number: int) -> Reading:
    """Return the reading of a run.

    Raises:
        Http404: there is no such run.
    """
    rows = Run.objects.filter(project=scope.project, number=number)
    found = rows.select_related(
        "round", "judge__rater", "requested_by__person", "cloned_from"
    ).first()
    if found is None:
        raise Http404(_("There is no such run."))
    found.project = scope.project
    return Reading(scope, found)


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run whose texts this person may read now.

    Raises:
        Http404: there is no such run.
        NotForItsAnnotators: they grade in the run's round, and it is not final.
    """
    reading = of(scope, number)
    if reading.is_closed:
        raise NotForItsAnnotators(
            _("You grade in this run’s round. What was said opens to you when the round is final.")
        )
    return reading
