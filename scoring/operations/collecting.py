"""Ask for the answers that connected releases have not given yet."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.models import Item, Project, Round, User
from annotation.queries.collecting import Wanted
from evalsite import errors
from scoring.models import Run
from scoring.operations.runs import estimating, kinds, requesting
from scoring.protocols.collect import v1
from scoring.queries import connections

MOST_SAMPLES = 10
#: Answers of a run: it keeps the list of what it asks.
MOST = 20_000


class NotConnected(errors.Invalid):
    code = "release_not_connected"


class BadSamples(errors.Invalid):
    code = "bad_samples"


class TooMany(errors.Invalid):
    code = "too_many_answers"


def configure(
    *, wanted: Wanted, releases: Collection[int] = (), samples: int = 1, round_: Round | None = None
) -> dict[str, Any]:
    """Return all that decides a run: by release, how it is asked and which items it lacks.

    Args:
        wanted: what is missing.
        releases: of which releases; all that are connected unless given.
        samples: how many answers to each question.
        round_: the draft they are collected for.

    Raises:
        NotConnected: no endpoint answers as one of them, or as any.
        BadSamples: so many answers are not collected.
        TooMany: more are missing than a run asks for.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        message = _("Collect from 1 to %(most)d answers to each question.")
        said = message % {"most": MOST_SAMPLES}
        raise BadSamples(said, fields={"samples": [said]})
    gaps = [one for one in wanted.gaps if not releases or one.release.pk in releases]
    found = connections.current(one.release.pk for one in gaps)
    if lacking := [one.release for one in gaps if releases and one.release.pk not in found]:
        raise NotConnected(
            _("No endpoint answers as %(release)s. Connect it on its page first.")
            % {"release": lacking[0]}
        )
    if not found:
        raise NotConnected(
            _(
                "None of these releases is connected with an endpoint. Connect one on its page first."
            )
        )
    askable = _askable({pk for one in gaps for pk in wanted.missing[one.release.pk]})
    items = {
        str(gap.release.pk): [pk for pk in wanted.missing[gap.release.pk] if pk in askable]
        for gap in gaps
        if gap.release.pk in found
    }
    _check_size(sum(map(len, items.values())) * samples)
    return {
        "round": round_.number if round_ else None,
        "samples": samples,
        "releases": {
            str(gap.release): {
                "release": gap.release.pk,
                "connection": found[gap.release.pk].pk,
                "endpoint": found[gap.release.pk].endpoint_id,
                "settings": found[gap.release.pk].settings,
                "n_items": len(items[str(gap.release.pk)]),
            }
            for gap in gaps
            if gap.release.pk in found
        },
        "items": items,
    }


def _check_size(n_answers: int) -> None:
    if n_answers > MOST:
        message = _(
            "%(n)d answers would be asked for, and a run asks for %(most)d at most. Choose fewer "
            "releases, or capabilities."
        )
        raise TooMany(message % {"n": n_answers, "most": MOST})


def estimate(*, project: Project, config: Mapping[str, Any]) -> estimating.Estimate:
    """Return what collecting would take.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    run = Run(project=project, kind=Run.Kind.COLLECT, config=dict(config))
    kinds.of(run.kind).check(run)
    n_items = sum(len(items) for items in config["items"].values())
    return estimating.estimate(run, n_in_all=n_items)


def request_answers(
    *,
    project: Project,
    key: UUID,
    name: str,
    config: Mapping[str, Any],
    seed: int,
    user: User,
    now: datetime,
    budget: Decimal | None = None,
    round_: Round | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the answers of `configure` collected in the background.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.COLLECT,
        name=name,
        protocol=v1.PROTOCOL,
        config=config,
        seed=seed,
        user=user,
        now=now,
        budget=budget,
        round_=round_,
        cloned_from=cloned_from,
    )


def _askable(items: Collection[int]) -> frozenset[int]:
    """Return which items can be sent to a system: those that end with a question, without tools."""
    fit: set[int] = set()
    pks: Sequence[int] = sorted(items)
    for start in range(0, len(pks), 500):
        rows = Item.objects.filter(pk__in=pks[start : start + 500]).values_list("pk", "messages")
        fit.update(pk for pk, messages in rows if not v1.unfit(messages))
    return frozenset(fit)
