"""People rate what machines made: outputs of a run become a blind round."""

from collections import defaultdict
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
from annotation.rounds.queries import versions_of
from annotation.rounds.rules import FEWEST_SEATS
from annotation.rubrics.models import RubricVersion
from annotation.systems import rules as outputs
from annotation.systems.models import Response, System
from annotation.systems.rules import Unit
from evalsite import errors
from scoring.engine.models import Run
from scoring.publishing import choosing, interviews, suites
from scoring.publishing import outputs as reads
from scoring.publishing.choosing import Preferred
from scoring.publishing.models import Publication
from scoring.publishing.records import MOST, USUAL_EVEN, PublishAsked, PublishRubric
from scoring.shown import scripts as script_marks

#: What keeps which responses stand for what, and says again of them what machines said.
KEEPERS: Final[Mapping[str, Any]] = {
    Run.Kind.KIEVAL: interviews,
    Run.Kind.SUITE: suites,
}


class NothingToPublish(errors.Invalid): ...


class TooManyToPublish(errors.Invalid): ...


class RuleWithoutNumber(errors.Invalid): ...


class WasDiscarded(errors.Conflict):
    code = "round_was_discarded"


class RoundNamesSystem(errors.Invalid):
    """Annotators read the name of a round."""

    code = "names_a_system"


@dataclass(frozen=True)
class PublishSource:
    """What can be published, and where it comes from."""

    units: Sequence[Unit]
    run: Run | None = None
    sort: str = ""
    scripted: bool = False


@dataclass(frozen=True)
class PublishWish:
    """How many of the outputs are rated (None: all), and how.

    `rule` prefers some of them (`choosing.rules_of`), of which `even` percent are spread over all alike.
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
    rule: str = ""
    even: int = USUAL_EVEN


class NoSuchRubric(errors.Invalid): ...


def publish_run(
    *,
    run: Run,
    asked: PublishAsked,
    seed: str,
    secret: bytes,
    user: User,
    by_owner: bool,
    now: datetime,
) -> Round:
    """Return the round in which people rate outputs of a run, as page, API and command ask for it.

    Args:
        run: what put them out.
        asked: which of them, and how.
        seed: taken where none is asked for.
        secret: of the round.
        user: who asks.
        by_owner: whether an owner does, who may allow fewer than three seats.
        now: when.

    Raises:
        NoSuchRubric: neither the project nor the run has it.
        errors.Refusal: as `publish_for_rating`.
    """
    source = source_of(run, sort=asked.sort, releases=asked.releases)
    wish = PublishWish(
        name=asked.name,
        rubric=_rubric(run, asked.rubric),
        seed=asked.seed or seed,
        secret=secret,
        n=asked.n,
        n_seats=asked.n_seats,
        override=asked.override,
        rule=asked.rule,
        even=asked.even,
    )
    return publish_for_rating(
        project=run.project,
        key=asked.key,
        source=source,
        wish=wish,
        user=user,
        by_owner=by_owner,
        now=now,
    )


def _rubric(run: Run, named: PublishRubric) -> RubricVersion | str:
    """Return a version of the project's rubric, or the key of one that comes with the run."""
    versions = versions_of(run.project).filter(rubric__key=named.key)
    if named.number is not None:
        versions = versions.filter(number=named.number)
    if (found := versions.first()) is not None:
        return found
    if named.number is None and named.key in rubrics_of(run):
        return named.key
    said = _("Neither the project nor this run has this rubric: “%(key)s”. Choose another one.")
    said %= {"key": named.key if named.number is None else f"{named.key} {named.number}"}
    raise NoSuchRubric(said, fields={"rubric": [said]})


def source_of(run: Run, *, sort: str = "", releases: Sequence[int] = ()) -> PublishSource:
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
    return PublishSource(found, run, sort, _is_scripted(found))


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
    source: PublishSource,
    wish: PublishWish,
    user: User,
    by_owner: bool,
    now: datetime,
) -> Round:
    """Return a draft in which people rate outputs, some of them taken by lot; it is prepared at once.

    Every item of it keeps the chance with which it was taken, so that figures over all outputs can be
    reckoned from those that people rated. The same key again is the same round.

    Raises:
        NothingToPublish: there is nothing.
        TooManyToPublish: more are wanted than there are, or than can be written at once.
        WasDiscarded: this key made a round before, which was discarded.
        RoundNamesSystem: the name of the round tells who is judged.
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
    source: PublishSource,
    wish: PublishWish,
    user: User,
    by_owner: bool,
    now: datetime,
) -> Round:
    preferred = _preferred(source, wish)
    taken = _taken(source, wish, preferred)
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
        frame = _frame(source, taken, list(written.published.values()), preferred)
        _record(project, key, source, wish, made, preferred, frame, len(taken), user, now)
        drawing.request_preparing(round_=made, by=user, now=now)
    return made


def _preferred(source: PublishSource, wish: PublishWish) -> Preferred:
    """Return what the rule of a wish prefers; all alike without one.

    Raises:
        RuleWithoutNumber: all are taken, so that none can come sooner.
        errors.Refusal: the run has no such rule, or it prefers nothing.
    """
    if not wish.rule or source.run is None:
        return Preferred()
    if wish.n is None:
        said = _("Say how many are drawn: with all of them, none comes sooner.")
        raise RuleWithoutNumber(said, fields={"n": [said]})
    return choosing.preferred(source.run, source.units, wish.rule)


def _taken(source: PublishSource, wish: PublishWish, preferred: Preferred) -> list[Unit]:
    if not source.units:
        raise NothingToPublish(_("There is nothing to publish."))
    wanted = len(source.units) if wish.n is None else wish.n
    if wanted > min(MOST, len(source.units)):
        message = _("%(n)d outputs can be published; choose from 1 to %(most)d of them.") % {
            "n": len(source.units),
            "most": min(MOST, len(source.units)),
        }
        raise TooManyToPublish(message, fields={"n": [message]})
    even = wish.even / 100
    return outputs.take(source.units, wish.n, seed=wish.seed, sizes=preferred.sizes, even=even)


def _frame(
    source: PublishSource,
    taken: Sequence[Unit],
    written: Sequence[Mapping[str, Any]],
    preferred: Preferred,
) -> dict[str, Any]:
    """Return what the choice was drawn from: figures over all outputs are reckoned by it."""
    said: dict[int, list[float | None]] = defaultdict(list)
    for unit in source.units:
        for one in unit.outputs:
            said[one.release_id].append(preferred.aid.get(one.place))
    releases = {}
    for release, values in said.items():
        known = [one for one in values if one is not None]
        mean = sum(known) / len(known) if known else None
        releases[str(release)] = {
            "n": len(values),
            "mean": mean,
            "unscored": len(values) - len(known),
        }
    aid = {
        str(response): preferred.aid[one.place]
        for unit, there in zip(taken, written, strict=True)
        for one, response in zip(unit.outputs, there["responses"], strict=True)
        if one.place in preferred.aid
    }
    return {"releases": releases, "aid": aid}


def _check_name(project: Project, name: str, taken: Sequence[Unit]) -> None:
    """Refuse a name by which annotators could tell who is judged."""
    pks = {output.release_id for unit in taken for output in unit.outputs}
    systems = System.objects.filter(releases__in=pks).distinct()
    terms = sorted({term for one in systems for term in (one.name, *one.aliases) if term.strip()})
    if found := next(iter(identity.scan(name, project_settings.lexicon(project, terms))), None):
        message = _("Annotators read the name of a round, and this one names “%(term)s”.")
        said = message % {"term": found.term}
        raise RoundNamesSystem(said, fields={"name": [said]})


def _design(
    project: Project, source: PublishSource, wish: PublishWish, user: User, now: datetime
) -> rounds.PublishedDesign:
    settings = drafting.RoundSettings(
        name=wish.name, n_seats=wish.n_seats, seats_override=wish.override
    )
    rubric = wish.rubric
    if isinstance(rubric, str) and source.run and source.run.kind == Run.Kind.SUITE:
        rubric = suites.met(project=project, run=source.run, key=rubric, by=user, now=now)
    elif isinstance(rubric, str):
        rubric = interviews.met(project=project, key=rubric, by=user, now=now)
    return rounds.PublishedDesign(settings, rubric, wish.seed, wish.secret)


def _record(
    project: Project,
    key: UUID,
    source: PublishSource,
    wish: PublishWish,
    made: Round,
    preferred: Preferred,
    frame: Mapping[str, Any],
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
        rule=preferred.rule,
        rule_label=preferred.label[:500],
        even=wish.even if preferred.rule else 100,
        frame=frame,
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
        rule=preferred.rule,
    )
