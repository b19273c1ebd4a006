"""Who reads the results of a round, and what they may see of them: asked by every page and address."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import Round
from annotation.permissions import Scope
from annotation.queries import unblinding
from annotation.rules import rounds as rules
from evalsite import errors
from scoring.queries import names, rounds
from scoring.queries.names import Name


class NotOpened(errors.Conflict):
    code = "not_opened"


class NotForItsAnnotators(errors.NotAllowed):
    code = "not_for_its_annotators"


@dataclass
class Reading:
    """Somebody reads the results of a round."""

    scope: Scope
    round: Round

    @cached_property
    def shown(self) -> bool:
        """Whether this person has the names shown."""
        return self.is_imported or unblinding.has_seen(self.round, self.scope.user.pk)

    @cached_property
    def names(self) -> Mapping[int, Name]:
        return names.names(self.round, shown=self.shown)

    @property
    def is_draft(self) -> bool:
        return self.round.state == Round.State.DRAFT

    @property
    def is_imported(self) -> bool:
        return self.round.kind == Round.Kind.IMPORTED

    @property
    def is_interim(self) -> bool:
        return not rules.allows(rules.State(self.round.state), rules.Act.READ_RESULTS)

    @cached_property
    def is_closed(self) -> bool:
        """Whether this person grades in the round, which is not final: then it is not for them."""
        state = rules.State(self.round.state)
        if rules.allows(state, rules.Act.READ_RESULTS_AS_ANNOTATOR):
            return False
        return unblinding.grades_in(self.round, self.scope.user)


def of(scope: Scope, number: int) -> Reading:
    """Return the reading of a round.

    Raises:
        Http404: there is no such round.
    """
    found = rounds.of(scope.project).filter(number=number).first()
    if found is None:
        raise Http404
    found.project = scope.project
    return Reading(scope, found)


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a round whose results this person may read now.

    Raises:
        Http404: there is no such round.
        NotOpened: it is still a draft.
        NotForItsAnnotators: they grade in it, and it is not final.
    """
    reading = of(scope, number)
    if reading.is_draft:
        raise NotOpened(_("This round has not been opened, so there is nothing to read yet."))
    if reading.is_closed:
        raise NotForItsAnnotators(
            _("You grade in this round. Its results open to you when it is final.")
        )
    return reading
