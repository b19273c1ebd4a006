"""Ask for a run of a suite over stored conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import Field

from annotation.common import draws as seeds
from annotation.common.sentences import gettext as _
from annotation.people.models import Project, User
from evalsite.kinds import Real, Text, YesNo, gettext_noop
from evalsite.records import Ask
from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import AskedRun, BeginRun, RunAsking
from scoring.engine.models import Run
from scoring.kinds.suites import completing as suite_completions
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites import raters as suite_raters
from scoring.kinds.suites.kind import NoConversations
from scoring.kinds.suites.models import ConversationSet, SuiteVersion
from scoring.kinds.suites.protocol import definition, v2

#: Conversations of a try-out.
TRIED: Final = 3


@dataclass(frozen=True, slots=True)
class Since:
    """What was there before: all up to the conversation `after`, but for these batches."""

    after: int = 0
    late: Sequence[int] = ()


ALL: Final = Since()


@dataclass(frozen=True, slots=True)
class Of:
    """A version of a suite, over what came since then."""

    version: SuiteVersion
    since: Since = ALL

    @property
    def project(self) -> Project:
        return self.version.suite.project


@dataclass(frozen=True, kw_only=True)
class SuiteRun(BeginRun):
    """A run over sets of conversations by name. With `estimate` nothing is started.

    Args:
        sets: as they are there when the run is asked for.
        tolerated: the share of judgments that may be missing; where more are, no gate is kept.
        tries: only over three of the conversations, drawn by lot.
    """

    sets: Annotated[
        tuple[Annotated[str, Text(120, empty=False)], ...],
        Field(min_length=1),
        Ask(
            gettext_noop("Conversations"),
            gettext_noop("As they are at the start."),
        ),
    ]
    tolerated: Annotated[
        float,
        Real(0, 1),
        Ask(
            gettext_noop("Missing judgments allowed (share)"),
            gettext_noop("From 0 to 1; above it, gates fail."),
            blank=True,
        ),
    ] = 0.0
    tries: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("Only try three"),
            gettext_noop("Drawn by lot."),
        ),
    ] = False


class SuiteStarting:
    """Runs of a suite; where it asks for completions, what systems made of the starts is evaluated."""

    kind = Run.Kind.SUITE
    wish = SuiteRun
    writes = True

    def asked(self, of: Of, wish: SuiteRun, asking: RunAsking) -> AskedRun:
        """Find the conversations; to start, the raters and judges are made that are not there.

        Raises:
            errors.Refusal: it cannot be done; says why.
        """
        config = _config(of, _sets(of.project, wish.sets), wish)
        if asking.starts:
            config |= {"tolerated": wish.tolerated} if wish.tolerated else {}
            config |= _made(of, config["graders"], asking)
        suite = definition.from_dict(of.version.definition)
        return AskedRun(protocol=v2.protocol_of(suite.entries), config=config)

    def again(self, run: Run) -> dict[str, Any]:
        return {"sets": suites.set_names(run), "tolerated": run.config.get("tolerated", 0)}


START = SuiteStarting()


def _made(of: Of, graders: Sequence[int], asking: RunAsking) -> dict[str, Any]:
    """Return the metrics and judges of a suite, and its completions, all of them written down."""
    project, user, now = of.project, asking.user, asking.now
    suite, made = definition.from_dict(of.version.definition), dict[str, Any]()
    if suite.completions and user is not None:
        settled = suite_completions.settle(project, suite.completions)
        made["completions"] = suite_completions.written(project, settled, by=user, now=now)
    endpoints = {one.pk: one for one in Endpoint.objects.filter(pk__in=graders)}
    made["raters"] = {
        str(at): suite_raters.metric(project, entry, now) for at, entry in suite.functions
    }
    made["judges"] = {
        str(at): {
            str(pk): _judge(project, entry.name, suite, one, user, now)
            for pk, one in endpoints.items()
        }
        for at, entry in suite.judged
    }
    return made


def _sets(project: Project, names: Sequence[str]) -> list[ConversationSet]:
    found = {one.name: one for one in ConversationSet.objects.filter(project=project)}
    if missing := [one for one in names if one not in found]:
        message = _("There are no conversations called “%(name)s”.") % {"name": missing[0]}
        raise NoConversations(message, fields={"sets": [message]})
    return [found[one] for one in dict.fromkeys(names)]


def _config(of: Of, sets: Sequence[ConversationSet], wish: SuiteRun) -> dict[str, Any]:
    project, version, since, tries = of.project, of.version, of.since, wish.tries
    suite = definition.from_dict(version.definition)
    keys = sorted(one.pk for one in sets)
    rows = suites.conversations_in(keys, after=since.after, late=since.late)
    last = rows.order_by("-pk").values_list("pk", flat=True).first()
    if last is None and since.after:
        raise NoConversations(_("No conversation came since the last run."))
    if last is None:
        message = _("There is no conversation in these sets. Bring some in first.")
        raise NoConversations(message, fields={"sets": [message]})
    # What is still being brought in is no part of the run, though it may be there before the run is.
    staged = suites.staged(keys)
    settled = suite_completions.settle(project, suite.completions)
    completions = suite_completions.configured(settled)
    drawn = _tried(keys, wish.seed) if tries else _drawn(sets, suite, since)
    n = rows.count() if drawn is None else len(drawn)
    suite_completions.check_size(n, completions)
    return {
        "suite": version.suite.number,
        "version": version.number,
        "definition": version.definition,
        "sets": keys,
        "last": last,
        "graders": _graders(project, suite),
        suite_frame.SINCE_START: True,
        **({"moderators": _moderators(project, suite)} if suite.moderated else {}),
        **({} if drawn is None else {"only" if tries else "drawn": drawn}),
        **({"after": since.after, "late": list(since.late)} if since.after else {}),
        **({"staged": staged} if staged else {}),
        **({"completions": completions} if completions else {}),
    }


def _tried(sets: Sequence[int], seed: int) -> list[int]:
    """Return some conversations by lot, the same for the same seed."""
    keys = suites.conversations_in(list(sets)).values_list("pk", flat=True)
    ranked = sorted(keys, key=lambda pk: seeds.rank_key(f"try {seed}", str(pk)))
    return sorted(ranked[:TRIED])


def _drawn(
    sets: Sequence[ConversationSet], suite: definition.SuiteText, since: Since
) -> list[int] | None:
    """Return the conversations that a suite draws of each set, as FlexEval draws them; None is all."""
    if suite.sample is None:
        return None
    lot = seeds.python_lot(suite.sample_seed)  # FlexEval draws by it
    found: list[int] = []
    for one in sets:
        rows = suites.conversations_in([one.pk], after=since.after, late=since.late)
        keys = list(rows.values_list("pk", flat=True))
        found += lot.sample(keys, suite.sample) if suite.sample <= len(keys) else keys
    return sorted(found)


def check_endpoints(project: Project, suite: definition.SuiteText) -> None:
    """Look whether the endpoints that a suite names are there, before anything of it is kept.

    Raises:
        NoSuchEndpoint: one is not, or is not in use.
    """
    _graders(project, suite)
    _moderators(project, suite)
    suite_completions.settle(project, suite.completions)


def _graders(project: Project, suite: definition.SuiteText) -> list[int]:
    if not suite.judged:
        return []
    found = _named(project, suite.graders)
    return [found[one].pk for one in suite.graders]


def _moderators(project: Project, suite: definition.SuiteText) -> dict[str, int]:
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
    suite: definition.SuiteText,
    endpoint: Endpoint,
    user: User | None,
    now: datetime,
) -> list[int]:
    judge, criterion = suite_raters.judge(project, name, suite.rubrics[name], endpoint, user, now)
    return [judge.pk, judge.rater_id, criterion]
