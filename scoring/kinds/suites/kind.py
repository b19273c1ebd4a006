"""What a suite found of turns and conversations, said again of the responses that people rate.

* The part of a suite's run that has endpoints moderate: a conversation by one endpoint in a step.
* Runs of suites: functions of many conversations in a step, rubrics of one conversation by one judge in a step.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from annotation.common.pace import Batches
from annotation.common.sentences import gettext as _
from evalsite import errors
from evalsite.db import prepared
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import LARGEST_SEED, Estimated, StepPlan, Work, keep
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.suites import completing
from scoring.kinds.suites import keeping as suite_metrics
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites import raters as suite_raters
from scoring.kinds.suites.models import Conversation, PublishedPart
from scoring.kinds.suites.protocol import catalogue, evaluating, moderation, v1, v2
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.definition import SuiteText
from scoring.kinds.suites.protocol.v1 import Task
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols import untrusted

_TARGETS: Final = (
    Judgment.Target.TURN,
    Judgment.Target.TOOL_CALL,
    Judgment.Target.RESPONSE,
)
#: The response of a conversation, what of it, and the number of the turn or the tool call.
Place = tuple[int, str, int | None]


def place_of(source: int, turn: int | None, tool_call: int | None) -> Place:
    """Return the place of a published part, as judgments name it."""
    if tool_call is not None:
        return source, Judgment.Target.TOOL_CALL, tool_call
    level = Judgment.Target.RESPONSE if turn is None else Judgment.Target.TURN
    return source, level, turn


_PUBLISHED = prepared.PreparedQuery(
    lambda source: (
        PublishedPart.objects.filter(source=source)
        .order_by("pk")
        .values_list("source", "turn", "tool_call", "response")
    ),
    source=int,
)
_CONVERSATION = prepared.PreparedQuery(
    lambda pk: Conversation.objects.select_related("response").filter(pk=pk), pk=int
)


def readdress(*, sources: Collection[int]) -> None:
    """Write the judgments of published responses that are missing, in the caller's transaction.

    Doing it twice does no harm, and what was judged later is added by doing it again.

    Args:
        sources: responses of conversations.
    """
    places: dict[Place, list[int]] = defaultdict(list)
    for one in sources:
        for source, turn, call, response in _PUBLISHED.all(source=one):
            places[place_of(source, turn, call)].append(response)
    if not places:
        return
    wanted = list(_said_again(places))
    there = set(
        Judgment.objects.filter(
            response__in={one.response_id for one in wanted},
            target_index__isnull=True,
            run__isnull=False,
        ).values_list("run_id", "rater_id", "response_id", "criterion_id")
    )
    keep(
        one
        for one in wanted
        if (one.run_id, one.rater_id, one.response_id, one.criterion_id) not in there
    )


def readdress_all(*, sources: Sequence[int]) -> None:
    """Do it for many conversations, in short transactions."""
    for batch in Batches(start=10, most=100, breath=0.3).batches(sources):
        with transaction.atomic():
            readdress(sources=batch)


def _said_again(places: dict[Place, list[int]]) -> Iterator[Judgment]:
    rows = Judgment.objects.filter(
        response__in={source for source, _level, _index in places},
        target_level__in=_TARGETS,
        run__isnull=False,
        repeat=0,
    )
    for one in rows.order_by("pk"):
        for response in places.get((one.response_id, one.target_level, one.target_index), ()):
            yield Judgment(
                rater_id=one.rater_id,
                response_id=response,
                criterion_id=one.criterion_id,
                run_id=one.run_id,
                step_id=one.step_id,
                outcome=one.outcome,
                reason=one.reason,
                value=one.value,
                label=one.label,
                text=one.text,
                at=one.at,
            )


#: Under this name a step's spec holds the endpoint that is asked.
ENDPOINT: Final = "moderator"
#: Under this one, that a judge is asked about a conversation once more: the how manieth time.
REPEAT: Final = "repeat"
SHORT: Final = 80


def moderators(run: Run) -> Mapping[int, int]:
    """Return the endpoint of each metric that asks one, by its place in the suite."""
    return {int(at): endpoint for at, endpoint in run.config.get("moderators", {}).items()}


def requests(run: Run, task: Task) -> Iterator[tuple[int, int]]:
    """Yield endpoint and tokens of each request about a conversation."""
    for at, endpoint in moderators(run).items():
        for part in catalogue.measured(task.conversation, task.entries[at].level):
            asked = moderation.request(part) if task.conversation.has(part) else None
            if asked is not None:
                yield endpoint, tokens.of_messages(asked.messages)


def plan(run: Run) -> Iterator[StepPlan]:
    """Yield a step for each conversation and endpoint."""
    asked = sorted(set(moderators(run).values()))
    if not asked:
        return
    names = dict(Endpoint.objects.filter(pk__in=asked).values_list("pk", "name"))
    rows = suite_frame.conversations_of(run).values_list(
        "pk", "external_id", "item", "response", "response__release"
    )
    for pk, external_id, item, response, release in rows.iterator():
        for endpoint in asked:
            name = f"{names[endpoint][:40]} / {endpoint}"
            yield StepPlan(
                key=f"{external_id[:SHORT]} / {pk} / moderation / {name}",
                item_id=item,
                release_id=release,
                response_id=response,
                spec={"conversation": pk, ENDPOINT: endpoint},
            )


def prepare(step: Step, suite: SuiteText, row: Conversation) -> Work:
    """Return the work of a step: its result has the layout of functions' values."""
    endpoint = step.spec[ENDPOINT]
    wanted = [at for at, one in moderators(step.run).items() if one == endpoint]
    whole = suite_frame.stored_conversation(row, step.run)
    needed = evaluating.needed(suite.entries, wanted)
    _found, known = evaluating.functions(
        whole, suite.entries, suite_metrics.available(), wanted=needed
    )

    async def ask(model: ChatModel) -> dict[str, Any]:
        rows = await moderation.moderate(model, whole, suite.entries, wanted, known)
        return {"values": [[row.response_id, *one] for one in rows]}

    return Work(ask, {Role.JUDGE: endpoint})


#: Functions of a step: so many messages, or so many conversations, or so much text.
MESSAGES_AT_ONCE: Final = 2_000
AT_ONCE: Final = 200
#: Conversations whose prompts are counted for an estimate; the others are taken to be like them.
LOOKED_AT: Final = 200
A_VERDICT: Final = 150
MOST_LABEL: Final = 120
TARGETS: Final[Mapping[str, str]] = {
    Level.CONVERSATION: Judgment.Target.RESPONSE,
    Level.TURN: Judgment.Target.TURN,
    Level.MESSAGE: Judgment.Target.MESSAGE,
    Level.TOOL_CALL: Judgment.Target.TOOL_CALL,
}
#: Reasons of a judgment that was lost by the machinery, with their troubles.
MACHINERY: Final = {reason: trouble.value for trouble, reason in v1.OF_MACHINERY.items()}
#: A function whose value is a name, and no number.
LABELS: Final = frozenset({"identity", "language"})


class NoConversations(errors.Invalid):
    code = "nothing_to_evaluate"


class Suiting:
    """`run.config` holds the suite's definition, the sets, the last conversation, raters and judges.

    Keys of the config: suite, version, definition, sets, last, raters (rater by the place of a
    function), judges (by the place of a rubric, then by endpoint: judge, rater, criterion), graders;
    and, where there are such, moderators (endpoint by the place of a function that asks one), after
    (the conversation that those it is over came after), only, completions.
    """

    def check(self, run: Run) -> None:
        """Refuse a run over nothing, or one whose judges cannot be asked.

        Raises:
            NoConversations: the sets hold no conversation.
            connections.EndpointRetired: an endpoint is not in use any more.
        """
        if not suite_frame.starts_of(run).exists():
            raise NoConversations(
                _("There is no conversation to evaluate. Choose another set, or bring some in.")
            )
        connections.refuse_retired(self.endpoints(run), _("Name the new one in the suite."))

    def endpoints(self, run: Run) -> Collection[int]:
        made = run.config.get("completions") or ()
        asked = [one[name] for one in made for name in ("endpoint", "user")]
        moderators = run.config.get("moderators", {}).values()
        graders = run.config.get("graders") or ()
        found = [*graders, *moderators, *(one for one in asked if one is not None)]
        return list(dict.fromkeys(int(one) for one in found))

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield the requests about the first conversations, and a sum for those that are like them."""
        suite = suite_frame.suite_of(run)
        completions = run.config.get("completions") or ()
        if completions:
            yield from completing.prompts(run, LOOKED_AT)
        if not suite.judged and not suite.moderated:
            return
        seen: list[Estimated] = []
        rows = suite_frame.starts_of(run)
        n_seen = 0
        for row in rows.select_related("response")[:LOOKED_AT]:
            n_seen += 1
            mine = [
                one
                for talk, times in _expected(run, row)
                for one in _asked(run, _task(suite, talk), times, row.external_id)
            ]
            seen += mine
            yield from mine
        n_left = rows.count() - n_seen
        if n_left > 0 and seen:
            yield from completing.alike(seen, n_left / n_seen)

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield the completions, or what is evaluated where nothing is to be completed."""
        if run.config.get("completions"):
            return completing.plan(run)
        return self._evaluations(run)

    def more(self, run: Run) -> Iterator[StepPlan]:
        """Yield what evaluates the conversations that were completed."""
        if run.config.get("completions"):
            completing.count(run)
            yield from self._evaluations(run)

    def _evaluations(self, run: Run) -> Iterator[StepPlan]:
        """Yield the steps about all conversations there are, but for functions of those that have one."""
        suite = suite_frame.suite_of(run)
        if suite.functions:
            planned = _planned(run)
            done = len(planned)
            for keys in _portions(run, planned):
                yield StepPlan(
                    key=f"conversations {done + 1}–{done + len(keys)}",
                    spec={"conversations": keys},
                )
                done += len(keys)
        yield from plan(run)
        if suite.judged:
            yield from _verdicts(run, suite.repeats)

    def prepare(self, step: Step) -> Work:
        if completing.START in step.spec:
            return completing.prepare(step)
        suite = suite_frame.suite_of(step.run)
        if "conversations" in step.spec:
            read = _read(step)

            async def compute(_model: ChatModel) -> dict[str, Any]:
                return {"values": measure(read, suite)}

            return Work(compute, blocking=True)
        row = _CONVERSATION.first(pk=step.spec["conversation"])
        assert row is not None
        if ENDPOINT in step.spec:
            return prepare(step, suite, row)
        task = _task(suite, suite_frame.stored_conversation(row, step.run))
        fence = untrusted.Fence(step.run.secret, step.key)
        seed = (step.run.seed + step.spec.get(REPEAT, 0)) % (LARGEST_SEED + 1)

        async def judge(model: ChatModel) -> dict[str, Any]:
            return {"verdicts": await v2.judge(model, task, fence=fence, seed=seed)}

        return Work(judge, {Role.JUDGE: step.spec["endpoint"]})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        if completing.START in step.spec:
            return completing.record(step, result, now)
        suite = suite_frame.suite_of(step.run)
        if "values" in result:
            keep(_of_functions(step, suite, result["values"], now))
            readdress(sources={one[0] for one in result["values"]})
            return Step.Outcome.OK
        verdicts = result["verdicts"]
        keep(_of_rubrics(step, suite, verdicts, now))
        assert step.response_id is not None
        readdress(sources=[step.response_id])
        unread = [one for one in verdicts if one["outcome"] == evaluating.UNSCORED]
        if unread:
            lost = [one for one in unread if one["reason"] in MACHINERY]
            reason = (lost or unread)[0]["reason"]
            Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(
                problem=reason[:500], trouble=MACHINERY.get(reason, "")
            )
            return Step.Outcome.NO_READING
        asked = any(one["outcome"] == evaluating.SCORED for one in verdicts)
        return Step.Outcome.OK if asked else Step.Outcome.SKIPPED

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: what a system fails at is part of what came of its completion."""


def _verdicts(run: Run, repeats: int) -> Iterator[StepPlan]:
    """Yield a step for each conversation and judge, as often as the suite repeats them."""
    graders: Sequence[int] = run.config["graders"]
    names = dict(Endpoint.objects.filter(pk__in=graders).values_list("pk", "name"))
    rows = suite_frame.conversations_of(run).values_list(
        "pk", "external_id", "item", "response", "response__release"
    )
    for pk, external_id, item, response, release in rows.iterator():
        for endpoint in graders:
            for repeat in range(repeats):
                again = f" / {repeat + 1}" if repeat else ""
                yield StepPlan(
                    key=f"{external_id[:SHORT]} / {pk} / {names[endpoint][:40]} / {endpoint}{again}",
                    item_id=item,
                    release_id=release,
                    response_id=response,
                    spec={"conversation": pk, "endpoint": endpoint}
                    | ({REPEAT: repeat} if repeat else {}),
                )


def measure(read: Sequence[tuple[int, talks.Conversation]], suite: SuiteText) -> list[list[Any]]:
    """Return what the functions say of each conversation's parts, as plain lists.

    Each is: response, place of the metric, place of the part, name, value, outcome, reason.
    """
    metrics = suite_metrics.available()
    found: list[list[Any]] = []
    for response, one in read:
        findings, _known = evaluating.functions(one, suite.entries, metrics)
        found += [
            [response, each.entry, each.place, each.name, each.value, each.outcome, each.reason]
            for each in findings
        ]
    return found


def _planned(run: Run) -> set[int]:
    """Return the conversations whose functions a step has already; of a run that is new, none."""
    steps = Step.objects.filter(run=run, item=None) if run.config.get("completions") else ()
    return {pk for one in steps for pk in one.spec.get("conversations", ())}


def _portions(run: Run, planned: Collection[int] = ()) -> Iterator[list[int]]:
    keys: list[int] = []
    n = 0
    for pk, n_messages in (
        suite_frame.conversations_of(run).values_list("pk", "n_messages").iterator()
    ):
        if pk in planned:
            continue
        keys.append(pk)
        n += n_messages
        if n >= MESSAGES_AT_ONCE or len(keys) >= AT_ONCE:
            yield keys
            keys, n = [], 0
    if keys:
        yield keys


def _read(step: Step) -> list[tuple[int, talks.Conversation]]:
    keys = step.spec["conversations"]
    rows = Conversation.objects.filter(pk__in=keys).select_related("response").order_by("pk")
    return [
        (row.response_id, suite_frame.stored_conversation(row, step.run))
        for row in rows.defer("text")
    ]


def _expected(run: Run, row: Conversation) -> Iterator[tuple[talks.Conversation, int]]:
    """Yield the conversation that is evaluated and how often: what systems will say is not known yet."""
    completions = run.config.get("completions")
    if not completions:
        yield suite_frame.stored_conversation(row), 1
        return
    for one in completions:
        talk = completing.expected(row, one)
        if talk is not None:
            yield talk, one["n"]


def _asked(run: Run, task: v1.Task, times: int, key: str) -> Iterator[Estimated]:
    """Yield the requests about a conversation that is evaluated so many times."""
    repeats = suite_frame.suite_of(run).repeats
    for asked in v2.requests(task, fence=untrusted.Fence("", ""), seed=0):
        n = tokens.of_messages(asked.messages) + tokens.of_text(str(asked.schema))
        for endpoint in run.config["graders"]:
            yield Estimated(Role.JUDGE, endpoint, n, A_VERDICT, times * repeats, key)
    for endpoint, n in requests(run, task):
        yield Estimated(Role.JUDGE, endpoint, n, 0, times, key)


def _task(suite: SuiteText, one: talks.Conversation) -> v1.Task:
    """Return what a judge is asked about, with the functions that rubrics wait for."""
    wanted = evaluating.needed(suite.entries, [at for at, _entry in suite.judged])
    _found, known = evaluating.functions(
        one, suite.entries, suite_metrics.available(), wanted=wanted
    )
    return v1.Task(one, suite.entries, suite.rubrics, known)


def _of_functions(
    step: Step, suite: SuiteText, values: Sequence[Sequence[Any]], now: datetime
) -> Iterator[Judgment]:
    raters: Mapping[str, int] = step.run.config["raters"]
    names: dict[int, set[str]] = defaultdict(set)
    for _response, at, _place, name, *_rest in values:
        names[at].add(_criterion(suite, at, name))
    own = {
        at: suite_raters.criteria(raters[str(at)], sorted(some), step.run.requested_by, now)
        for at, some in names.items()
    }
    for response, at, place, name, value, outcome, reason in values:
        made = _judgment(step, suite, at, place, now)
        made.rater_id, made.response_id = raters[str(at)], response
        made.criterion_id = own[at][_criterion(suite, at, name)]
        made.value, made.outcome, made.reason = value, outcome, reason
        if suite.entries[at].name in LABELS:
            made.label = name[:MOST_LABEL]
        yield made


def _criterion(suite: SuiteText, at: int, name: str) -> str:
    own = suite.entries[at].name
    return own if own in LABELS else name


def _of_rubrics(
    step: Step, suite: SuiteText, verdicts: Sequence[Mapping[str, Any]], now: datetime
) -> Iterator[Judgment]:
    judges: Mapping[str, Mapping[str, Sequence[int]]] = step.run.config["judges"]
    for one in verdicts:
        _judge, rater, criterion = judges[str(one["entry"])][str(step.spec["endpoint"])]
        made = _judgment(step, suite, one["entry"], one["place"], now)
        made.rater_id, made.criterion_id = rater, criterion
        assert step.response_id is not None
        made.response_id = step.response_id
        made.value, made.outcome, made.reason = one["value"], one["outcome"], one["reason"]
        choice, _line, text = one["text"].partition("\n")
        scored = one["outcome"] == evaluating.SCORED
        made.label = choice[:MOST_LABEL] if scored else ""
        made.repeat = step.spec.get(REPEAT, 0)
        made.text = text if scored else one["text"]
        yield made


def _judgment(step: Step, suite: SuiteText, at: int, place: int, now: datetime) -> Judgment:
    level = suite.entries[at].level
    return Judgment(
        run_id=step.run_id,
        step=step,
        target_level=TARGETS[level],
        target_index=None if level == Level.CONVERSATION else place,
        at=now,
    )


KIND = Suiting()
