"""People rate what machines made: outputs of a run become a blind round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from annotation.common import identity
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people import queries as project_settings
from annotation.people.models import Project, User
from annotation.rounds import drafting, drawing
from annotation.rounds import publishing as rounds
from annotation.rounds.models import Round
from annotation.rounds.rules import FEWEST_SEATS
from annotation.rubrics.models import RubricVersion
from annotation.systems import rules as outputs
from annotation.systems.models import Response, System
from annotation.systems.rules import Unit
from evalsite import errors
from scoring.engine.models import Run
from scoring.publishing import interviews, suites
from scoring.publishing import outputs as reads
from scoring.publishing.models import Publication
from scoring.shown import scripts as script_marks

#: So many items are written while somebody waits; people have enough to do with them.
MOST = 2000


#: What keeps which responses stand for what, and says again of them what machines said.
KEEPERS: Final[Mapping[str, Any]] = {
    Run.Kind.KIEVAL: interviews,
    Run.Kind.SUITE: suites,
}


class NothingToPublish(errors.Invalid): ...


class TooMany(errors.Invalid):
    code = "too_many_to_publish"


class WasDiscarded(errors.Conflict):
    code = "round_was_discarded"


class NamesASystem(errors.Invalid):
    """Annotators read the name of a round."""


@dataclass(frozen=True)
class Source:
    """What can be published, and where it comes from."""

    units: Sequence[Unit]
    run: Run | None = None
    sort: str = ""
    scripted: bool = False


@dataclass(frozen=True)
class Wish:
    """How many of the outputs are rated (None: all), and how.

    `rubric` is a version, or the key of one that is offered for the run (`rubrics_of`).
    `override` is an owner's reason for fewer than three seats; `secret` (16 bytes or more) and `seed`
    are drawn by the door.
    """

    name: str
    rubric: RubricVersion | str
    seed: str
    secret: bytes
    n: int | None = None
    n_seats: int = FEWEST_SEATS
    override: str = ""


def source_of(run: Run, *, sort: str = "", releases: Sequence[int] = ()) -> Source:
    """Return what a run put out, of all releases unless some are named.

    Raises:
        NothingToPublish: there is nothing of the kind, or nothing yet.
    """
    try:
        found = reads.units(run, sort)
    except LookupError:
        raise NothingToPublish(
            _("A run of this kind puts nothing out that people could rate.")
        ) from None
    if releases:
        found = outputs.of_releases(found, releases)
    if not found:
        raise NothingToPublish(
            _("This run has put nothing out yet that people could rate. Wait until it has.")
        )
    return Source(found, run, sort, _is_scripted(found))


def _is_scripted(units: Sequence[Unit]) -> bool:
    """Return whether some of what people are to rate was written by a script."""
    given = [one for unit in units for one in unit.outputs]
    keys = [one.response_id for one in given if one.response_id is not None]
    if any(one.details.get(script_marks.SCRIPTED) for one in given):
        return True
    rows = Response.objects.filter(details__scripted=True)
    return any(
        rows.filter(pk__in=keys[at : at + MOST]).exists() for at in range(0, len(keys), MOST)
    )


def rubrics_of(run: Run) -> dict[str, Any]:
    """Return what the rubrics are called that come with a run, by key: of its method or of its suite."""
    if run.kind == Run.Kind.KIEVAL:
        return {key: label for key, (label, *_rest) in interviews.OFFERED.items()}
    if run.kind == Run.Kind.SUITE:
        return {key: one.label for key, one in suites.offered(run).items()}
    return {}


def publish_for_rating(
    *,
    project: Project,
    key: UUID,
    source: Source,
    wish: Wish,
    user: User,
    by_owner: bool,
    now: datetime,
) -> Round:
    """Return a draft in which people rate outputs, some of them taken by lot; it is prepared at once.

    Every item of it keeps the chance with which it was taken, so that figures over all outputs can be
    reckoned from those that people rated. The same key again is the same round.

    Raises:
        NothingToPublish: there is nothing.
        TooMany: more are wanted than there are, or than can be written at once.
        WasDiscarded: this key made a round before, which was discarded.
        NamesASystem: the name of the round tells who is judged.
        errors.Refusal: the round cannot be made so; says why.
    """
    made = _made(project, key) or _publish(project, key, source, wish, user, by_owner, now)
    if source.run is not None and source.run.kind in KEEPERS:
        # Again for the same request: it may have been stopped here.
        KEEPERS[source.run.kind].readdress(run=source.run, now=now)
    return made


def _made(project: Project, key: UUID) -> Round | None:
    """Return the round that this key made before."""
    rows = Publication.everything.filter(project=project, key=key).select_related("round")
    found = rows.first()
    if found is not None and found.round.discarded_at is not None:
        raise WasDiscarded(
            _(
                "The round that this request made was discarded. Load the page again to make another "
                "one; a program sends a new key."
            )
        )
    return found.round if found else None


def _publish(
    project: Project,
    key: UUID,
    source: Source,
    wish: Wish,
    user: User,
    by_owner: bool,
    now: datetime,
) -> Round:
    taken = _taken(source, wish)
    _check_name(project, wish.name, taken)
    written = rounds.write(project=project, units=taken, now=now)
    if source.run is not None and source.run.kind in KEEPERS:
        KEEPERS[source.run.kind].keep(run=source.run, written=written)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        if before := _made(project, key):
            return before
        made = rounds.draft(
            project=project,
            written=written,
            design=_design(project, source, wish, user, now),
            by=user,
            by_owner=by_owner,
            now=now,
        )
        _record(project, key, source, wish, made, len(taken), user, now)
        drawing.request_preparing(round_=made, by=user, now=now)
    return made


def _taken(source: Source, wish: Wish) -> list[Unit]:
    if not source.units:
        raise NothingToPublish(_("There is nothing to publish."))
    wanted = len(source.units) if wish.n is None else wish.n
    if wanted > min(MOST, len(source.units)):
        message = _("%(n)d outputs can be published; choose from 1 to %(most)d of them.") % {
            "n": len(source.units),
            "most": min(MOST, len(source.units)),
        }
        raise TooMany(message, fields={"n": [message]})
    return outputs.take(source.units, wish.n, seed=wish.seed)


def _check_name(project: Project, name: str, taken: Sequence[Unit]) -> None:
    """Refuse a name by which annotators could tell who is judged."""
    pks = {output.release_id for unit in taken for output in unit.outputs}
    systems = System.objects.filter(releases__in=pks).distinct()
    terms = sorted({term for one in systems for term in (one.name, *one.aliases) if term.strip()})
    if found := next(iter(identity.scan(name, project_settings.lexicon(project, terms))), None):
        message = _("Annotators read the name of a round, and this one names “%(term)s”.")
        said = message % {"term": found.term}
        raise NamesASystem(said, fields={"name": [said]})


def _design(
    project: Project, source: Source, wish: Wish, user: User, now: datetime
) -> rounds.Design:
    settings = drafting.Settings(name=wish.name, n_seats=wish.n_seats, seats_override=wish.override)
    rubric = wish.rubric
    if isinstance(rubric, str) and source.run and source.run.kind == Run.Kind.SUITE:
        rubric = suites.met(project=project, run=source.run, key=rubric, by=user, now=now)
    elif isinstance(rubric, str):
        rubric = interviews.met(project=project, key=rubric, by=user, now=now)
    return rounds.Design(settings, rubric, wish.seed, wish.secret)


def _record(
    project: Project,
    key: UUID,
    source: Source,
    wish: Wish,
    made: Round,
    n_taken: int,
    user: User,
    now: datetime,
) -> None:
    Publication.objects.create(
        project=project,
        key=key,
        round=made,
        run=source.run,
        sort=source.sort,
        n_units=len(source.units),
        n_taken=n_taken,
        seed=wish.seed,
        scripted=source.scripted,
        published_by=user,
        published_at=now,
    )
    audit.done(
        made,
        "round.published",
        user,
        now,
        run=source.run.number if source.run else None,
        outputs=len(source.units),
        taken=n_taken,
    )
