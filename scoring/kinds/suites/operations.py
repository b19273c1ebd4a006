"""Ask for a run of a suite over stored conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from annotation.common import draws as seeds
from annotation.common.sentences import gettext as _
from annotation.people.models import Project, User
from scoring.endpoints.models import Endpoint
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.models import Run
from scoring.kinds.suites import completing as suite_completions
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites import raters as suite_raters
from scoring.kinds.suites.kind import NothingToEvaluate
from scoring.kinds.suites.models import ConversationSet, SuiteVersion
from scoring.kinds.suites.protocol import definition, v1

#: Conversations of a try-out.
TRIED: Final = 3


@dataclass(frozen=True, slots=True)
class Since:
    """What was there before: all up to the conversation `after`, but for these batches."""

    after: int = 0
    late: Sequence[int] = ()


ALL: Final = Since()


def estimate(
    *,
    project: Project,
    version: SuiteVersion,
    sets: Sequence[ConversationSet],
    tries: bool = False,
    seed: int = 0,
    since: Since = ALL,
) -> estimating.Estimate:
    """Return what a run would take.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    config = _config(project, version, sets, tries, seed, since)
    run = Run(project=project, kind=Run.Kind.SUITE, protocol=v1.PROTOCOL, config=config)
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


@transaction.atomic
def request_suite(
    *,
    project: Project,
    version: SuiteVersion,
    sets: Sequence[ConversationSet],
    key: UUID,
    name: str,
    seed: int,
    user: User,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
    tries: bool = False,
    since: Since = ALL,
    tolerated: float = 0.0,
) -> Run:
    """Have the conversations of some sets evaluated in the background. The same key is the same run.

    Where the suite asks for completions, systems complete the conversations' starts first, and what
    they made is evaluated. With `tries` only three of them, by lot, to see whether the suite says what
    it should; with `since` only those that are new since then. No gate is kept where more than the share
    `tolerated` of its judgments is missing.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    config = _config(project, version, sets, tries, seed, since)
    config |= {"tolerated": tolerated} if tolerated else {}
    suite = definition.from_dict(version.definition)
    if suite.completions:
        settled = suite_completions.settle(project, suite.completions)
        config["completions"] = suite_completions.written(project, settled, by=user, now=now)
    endpoints = {one.pk: one for one in Endpoint.objects.filter(pk__in=config["graders"])}
    config["raters"] = {
        str(at): suite_raters.metric(project, entry, now) for at, entry in suite.functions
    }
    config["judges"] = {
        str(at): {
            str(pk): _judge(project, entry.name, suite, one, user, now)
            for pk, one in endpoints.items()
        }
        for at, entry in suite.judged
    }
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.SUITE,
        name=name,
        protocol=v1.PROTOCOL,
        config=config,
        seed=seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def _config(
    project: Project,
    version: SuiteVersion,
    sets: Sequence[ConversationSet],
    tries: bool,
    seed: int,
    since: Since,
) -> dict[str, Any]:
    suite = definition.from_dict(version.definition)
    if not sets:
        message = _("Choose the conversations to evaluate.")
        raise NothingToEvaluate(message, fields={"sets": [message]})
    keys = sorted(one.pk for one in sets)
    rows = suites.conversations_in(keys, after=since.after, late=since.late)
    last = rows.order_by("-pk").values_list("pk", flat=True).first()
    if last is None and since.after:
        raise NothingToEvaluate(_("No conversation came since the last run."))
    if last is None:
        message = _("There is no conversation in these sets. Bring some in first.")
        raise NothingToEvaluate(message, fields={"sets": [message]})
    # What is still being brought in is no part of the run, though it may be there before the run is.
    staged = suites.staged(keys)
    settled = suite_completions.settle(project, suite.completions)
    completions = suite_completions.configured(settled)
    suite_completions.check_size(TRIED if tries else rows.count(), completions)
    return {
        "suite": version.suite.number,
        "version": version.number,
        "definition": version.definition,
        "sets": keys,
        "last": last,
        "graders": _graders(project, suite),
        suite_frame.SINCE_START: True,
        **({"moderators": _moderators(project, suite)} if suite.moderated else {}),
        **({"only": _tried(keys, seed)} if tries else {}),
        **({"after": since.after, "late": list(since.late)} if since.after else {}),
        **({"staged": staged} if staged else {}),
        **({"completions": completions} if completions else {}),
    }


def _tried(sets: Sequence[int], seed: int) -> list[int]:
    """Return some conversations by lot, the same for the same seed."""
    keys = suites.conversations_in(list(sets)).values_list("pk", flat=True)
    ranked = sorted(keys, key=lambda pk: seeds.rank_key(f"try {seed}", str(pk)))
    return sorted(ranked[:TRIED])


def _graders(project: Project, suite: definition.Suite) -> list[int]:
    if not suite.judged:
        return []
    found = _named(project, suite.graders)
    return [found[one].pk for one in suite.graders]


def _moderators(project: Project, suite: definition.Suite) -> dict[str, int]:
    """Return the endpoint of each function that asks one: the first judge's, unless it names another."""
    asked = {at: str(one.kwargs.get("endpoint") or suite.graders[0]) for at, one in suite.moderated}
    found = _named(project, tuple(asked.values()))
    return {str(at): found[name].pk for at, name in asked.items()}


def _named(project: Project, names: Sequence[str]) -> dict[str, Endpoint]:
    found = suites.endpoints_named(project, list(names))
    if missing := [one for one in names if one not in found]:
        raise suite_completions.NoSuchEndpoint(
            _("The suite names the endpoint “%(name)s”, and none of this name is in use here.")
            % {"name": missing[0]}
        )
    return found


def _judge(
    project: Project,
    name: str,
    suite: definition.Suite,
    endpoint: Endpoint,
    user: User,
    now: datetime,
) -> list[int]:
    judge, criterion = suite_raters.judge(project, name, suite.rubrics[name], endpoint, user, now)
    return [judge.pk, judge.rater_id, criterion]
