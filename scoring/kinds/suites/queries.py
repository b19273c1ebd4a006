"""The function metrics as a page shows them: what each does, takes, and gives for an example.

* What a suite's run found, as rows with the role and turn of the part each speaks of.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.rubrics.models import Criterion
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.suites import keeping
from scoring.kinds.suites.models import Conversation, PublishedPart
from scoring.kinds.suites.protocol import catalogue, conversations, definition, evaluating
from scoring.kinds.suites.protocol.catalogue import FunctionMetric, Level, MetricExample
from scoring.kinds.suites.protocol.conversations import Part
from scoring.kinds.suites.protocol.definition import RUBRIC, Entry, SuiteText
from scoring.kinds.suites.protocol.writing import EXAMPLES

#: What metrics are about, and which are; one that is in none stands at the end of the first.
GROUPS: Final[Sequence[tuple[Promise, frozenset[str]]]] = (
    (
        _("Length and ease of reading"),
        frozenset({"string_length", "count_messages", "count_turns", "count_messages_per_role",
                   "flesch_reading_ease", "flesch_kincaid_grade", "count_emojis"}),
    ),
    (
        _("What is said"),
        frozenset({"lexical_overlap", "language", "is_in_language", "message_matches_regex",
                   "count_of_parts_matching_regex", "identity"}),
    ),
    (
        _("Safety and privacy"),
        frozenset({"is_refusal", "names_itself", "count_toxic_words", "count_private_data",
                   "moderation"}),
    ),
    (
        _("Tools"),
        frozenset({"tool_was_called", "count_tool_calls", "count_tool_calls_by_name",
                   "count_numeric_tool_call_params_by_name", "value_counts_by_tool_name"}),
    ),
    (
        _("Cost, speed and errors"),
        frozenset({"count_llm_models", "count_tokens", "count_errors", "latency"}),
    ),
    (
        _("Whose part, and where"),
        frozenset({"is_role", "index_in_thread", "is_last_turn_in_thread", "is_langgraph_type",
                   "constant"}),
    ),
)  # fmt: skip
OWN: Final = _("Of your organisation")


@dataclass(frozen=True, slots=True)
class FunctionLine:
    metric: FunctionMetric
    example: MetricExample | None
    is_own: bool

    @property
    def levels(self) -> list[str]:
        return sorted(one.value for one in self.metric.levels)

    @property
    def parameters(self) -> list[str]:
        """Return what it takes; those without a usual value first."""
        return [
            name if one.default is one.empty else f"{name} = {one.default!r}"
            for name, one in self.metric.parameters.items()
        ]

    @property
    def given(self) -> str:
        """Return the text of the part of the example that it is computed of."""
        if self.example is None:
            return ""
        part = _part(self.example)
        if isinstance(part, conversations.ToolCall):
            return f"{part.name} {dict(part.arguments)}"
        return conversations.text_of(part)

    @property
    def arguments(self) -> str:
        if self.example is None:
            return ""
        return ", ".join(f"{name}: {value!r}" for name, value in self.example.kwargs.items())

    @property
    def values(self) -> Mapping[str, Any]:
        return self.example.value if self.example else {}

    @property
    def yaml(self) -> str:
        """Return the line of a suite that asks for it."""
        kwargs = f", kwargs: {{{self.arguments}}}" if self.arguments else ""
        level = self.example.level.value if self.example else self.levels[0]
        return f"- {{name: {self.metric.name}{kwargs}, metric_level: {level}}}"


def lines() -> list[FunctionLine]:
    """Return every function metric, the built-in ones first."""
    own = keeping.own()
    found = keeping.available()
    ordered = sorted(found, key=lambda name: (name in own, name))
    return [FunctionLine(found[name], EXAMPLES.get(name), name in own) for name in ordered]


def grouped() -> list[tuple[str, list[FunctionLine]]]:
    """Return every function metric by what it is about, an organisation's own at the end."""
    known = lines()
    placed = frozenset[str]().union(*(names for _title, names in GROUPS))
    made = [
        (str(title), [one for one in known if one.metric.name in names and not one.is_own])
        for title, names in GROUPS
    ]
    made[0][1].extend(one for one in known if one.metric.name not in placed and not one.is_own)
    return [*made, *([(str(OWN), own)] if (own := [one for one in known if one.is_own]) else [])]


def _part(example: MetricExample) -> Part:
    talk = conversations.read(example.conversation)
    return list(catalogue.parts(talk, example.level))[example.place]


#: Changes with what a figure holds, so that one that was computed before is not shown as a new one.
SHAPE: Final = 4
#: A key of a run's config: what systems completed counts from its start on.
SINCE_START: Final = "since_start"
#: The outcome of a part that was to be judged and was not, for its step failed or was never done.
FAILED: Final = "FAILED"
NOT_DONE: Final = "It was not done."
LEVELS: Final[Mapping[str, Level]] = {
    Judgment.Target.RESPONSE: Level.CONVERSATION,
    Judgment.Target.TURN: Level.TURN,
    Judgment.Target.MESSAGE: Level.MESSAGE,
    Judgment.Target.TOOL_CALL: Level.TOOL_CALL,
}


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """One named value of a metric at a level; of a rubric, by one judge."""

    rater: int
    name: str
    level: Level


class PartPlace(NamedTuple):
    """Role and turn of a part, and whether it counts: what was recorded before a completion does not."""

    role: str
    turn: int | None
    counts: bool = True


#: Of each part, by response and level.
Places = Mapping[int, Mapping[str, Sequence[PartPlace]]]


@dataclass(frozen=True, slots=True)
class FindingRow:
    """What was found of one part; `item` is the conversation's opening, the same for all releases."""

    series: MetricSeries
    release: int
    item: int
    response: int
    place: int
    role: str
    turn: int | None
    value: float | None
    outcome: str
    reason: str
    label: str
    #: Which of several judgments of the same part, from 0.
    repeat: int = 0


def suite_of(run: Run) -> SuiteText:
    return definition.from_dict(run.config["definition"])


def version(run: Run) -> str:
    """Return what changes whenever the figures of the run do."""
    n_undone = Step.objects.filter(run=run).exclude(state=Step.State.DONE).count()
    n = judgments_of(run).count()
    return f", {n} judgments, {n_undone} steps not done, shape {SHAPE}"


def conversations_of(run: Run) -> Any:
    """Return the conversations that a run evaluates: those it is over, or those it had completed."""
    if run.config.get("completions"):
        rows = Conversation.objects.seen().filter(set__project=run.project_id)
        return rows.filter(batch__key=completions_key(run)).order_by("pk")
    return starts_of(run)


def starts_of(run: Run) -> Any:
    """Return the stored conversations that a run is over."""
    config = run.config
    return keeping.conversations_in(
        config["sets"],
        after=config.get("after", 0),
        up_to=config["last"],
        only=config.get("only") or config.get("drawn"),
        late=config.get("late", ()),
        without=config.get("staged", ()),
    )


def completions_key(run: Run) -> str:
    """Return the key of the batch in which the conversations are that a run had completed."""
    return hashlib.sha256(f"completions of run {run.pk}".encode()).hexdigest()


def stored_conversation(row: Conversation, run: Run | None = None) -> conversations.Conversation:
    """Return a stored conversation as metrics see it; with a run, as the run's metrics did.

    Older runs took what was recorded before a conversation was completed for the system's own.
    """
    response = row.response
    given = {**response.details, "messages": response.messages, "id": row.external_id}
    as_whole = run is not None and not run.config.get(SINCE_START)
    return conversations.read(given, n_before=0 if as_whole else row.n_before)


def judgments_of(run: Run) -> "QuerySet[Judgment]":
    """Return what the run found of conversations, without what was said again of published responses."""
    published = PublishedPart.objects.filter(response=OuterRef("response"))
    return Judgment.objects.filter(~Exists(published), run=run)


@dataclass(frozen=True)
class Frame:
    """The judgments of a run, read once."""

    run: Run

    @cached_property
    def suite(self) -> SuiteText:
        return suite_of(self.run)

    @cached_property
    def entries(self) -> Mapping[int, Entry]:
        """Return the suite's metric that each rater of the run speaks for; of two the first."""
        found: dict[int, Entry] = {}
        for at, rater in self.run.config["raters"].items():
            found.setdefault(rater, self.suite.entries[int(at)])
        for at, by_endpoint in self.run.config["judges"].items():
            for _judge, rater, _criterion in by_endpoint.values():
                found.setdefault(rater, self.suite.entries[int(at)])
        return found

    @cached_property
    def judges(self) -> Mapping[int, str]:
        """Return the name of the endpoint behind each judge's rater."""
        names = dict(
            Endpoint.objects.filter(pk__in=self.run.config["graders"]).values_list("pk", "name")
        )
        return {
            rater: names.get(int(endpoint), "")
            for by_endpoint in self.run.config["judges"].values()
            for endpoint, (_judge, rater, _criterion) in by_endpoint.items()
        }

    def named(self, series: MetricSeries) -> str:
        """Return what a series is called: its metric, the name of its value, its judge."""
        entry = self.entries[series.rater]
        parts = [entry.key]
        if series.name not in {entry.name, entry.key} and entry.kind != RUBRIC:
            parts.append(series.name)
        if entry.kind == RUBRIC and len(set(self.judges.values())) > 1:
            parts.append(self.judges[series.rater])
        return " · ".join(parts)

    @cached_property
    def places(self) -> Places:
        """Return role and turn of every part of each conversation, by response and level."""
        found: dict[int, Mapping[str, Sequence[PartPlace]]] = {}
        rows = conversations_of(self.run).select_related("response").defer("text")
        for row in rows.iterator(chunk_size=200):
            if row.response_id not in found:
                found[row.response_id] = places_of(stored_conversation(row))
        return found

    def rows(self) -> Iterator[FindingRow]:
        """Yield every judgment, conversation by conversation, and then what failed and has none."""
        seen: dict[int, dict[MetricSeries, None]] = defaultdict(dict)
        for one in self._judgments():
            seen[one.series.rater][one.series] = None
            yield one
        yield from self.missing(seen)

    def missing(self, seen: Mapping[int, Mapping[MetricSeries, None]]) -> Iterator[FindingRow]:
        """Yield a row without a value for every part that was to be judged, and whose step brought nothing.

        Args:
            seen: what was found elsewhere, by rater.
        """
        for step in self._undone():
            yield from self._missing(step, seen)

    def _undone(self) -> "QuerySet[Step]":
        """Return the steps that failed, or were not done."""
        return Step.objects.filter(run=self.run).exclude(state=Step.State.DONE).order_by("ordinal")

    def _missing(
        self, step: Step, seen: Mapping[int, Mapping[MetricSeries, None]]
    ) -> Iterator[FindingRow]:
        """Yield a row without a value for every part that a step was to judge."""
        reason = step.problem or NOT_DONE
        for release, item, response in self._of_step(step):
            places = self.places.get(response, {})
            left_out = self._left_out.get(response, {})
            for series in self._series_of(step, seen):
                found = places.get(TARGETS[series.level], ()) if response else [PartPlace("", None)]
                for place, one in enumerate(found):
                    if not one.counts or place in left_out.get(series.rater, ()):
                        continue
                    where = (release, item, response, place, one.role, one.turn)
                    again = step.spec.get("repeat", 0)
                    yield FindingRow(series, *where, None, FAILED, reason, "", again)

    @cached_property
    def _left_out(self) -> Mapping[int, Mapping[int, set[int]]]:
        """Return which parts functions leave out of rubrics, by response and rater, where a step was not done."""
        entries, metrics = self.suite.entries, keeping.available()
        waiting = {
            int(at): [rater for _judge, rater, _criterion in by_endpoint.values()]
            for at, by_endpoint in self.run.config["judges"].items()
            if entries[int(at)].depends_on
        }
        if not waiting:
            return {}
        wanted = evaluating.needed(entries, waiting)
        found: dict[int, Mapping[int, set[int]]] = {}
        undone = self._undone().exclude(response=None).values("response")
        rows = conversations_of(self.run).filter(response__in=undone).select_related("response")
        for row in rows.iterator(chunk_size=200):
            one = stored_conversation(row, self.run)
            _found, known = evaluating.functions(one, entries, metrics, wanted=wanted)
            found[row.response_id] = {
                rater: evaluating.left_out_by_functions(one, entries[at], entries, known)
                for at, raters in waiting.items()
                for rater in raters
            }
        return found

    def _of_step(self, step: Step) -> Iterator[tuple[int, int, int]]:
        """Yield release, item and response of each conversation of a step; one that never came has no response."""
        if "conversations" in step.spec:
            rows = Conversation.objects.filter(pk__in=step.spec["conversations"]).order_by("pk")
            yield from rows.values_list("response__release", "item", "response")
        elif step.release_id is not None and step.item_id is not None:
            yield step.release_id, step.item_id, step.response_id or 0

    def _series_of(
        self, step: Step, seen: Mapping[int, Mapping[MetricSeries, None]]
    ) -> list[MetricSeries]:
        """Return what a step was to find; of a function the values that it found elsewhere."""
        found: list[MetricSeries] = []
        for rater, endpoint in self._asked(step):
            entry = self.entries[rater]
            name = self._criteria.get(rater, entry.name) if endpoint else entry.name
            found += list(seen.get(rater, ())) or [MetricSeries(rater, name, entry.level)]
        return found

    def _asked(self, step: Step) -> Iterator[tuple[int, int | None]]:
        """Yield the raters that a step speaks for, with the endpoint of a judge."""
        spec, config = step.spec, self.run.config
        moderated = config.get("moderators", {})
        whole = "start" in spec
        for at, rater in config["raters"].items():
            asks = moderated.get(at)
            if (
                whole
                or (asks is None and "conversations" in spec)
                or (asks is not None and asks == spec.get("moderator"))
            ):
                yield rater, None
        for by_endpoint in config["judges"].values():
            for endpoint, (_judge, rater, _criterion) in by_endpoint.items():
                if whole or int(endpoint) == spec.get("endpoint"):
                    yield rater, int(endpoint)

    @cached_property
    def _criteria(self) -> Mapping[int, str]:
        """Return the name of each judge's criterion, by rater."""
        own = {
            criterion: rater
            for by_endpoint in self.run.config["judges"].values()
            for _judge, rater, criterion in by_endpoint.values()
        }
        names = Criterion.objects.in_bulk(own)
        return {own[pk]: one.name for pk, one in names.items()}

    def _judgments(self) -> Iterator[FindingRow]:
        places = self.places
        fields = (
            "rater_id", "criterion__name", "target_level", "target_index", "response_id",
            "response__release", "response__item", "value", "outcome", "reason", "label",
        )  # fmt: skip
        rows = judgments_of(self.run).order_by("response_id", "pk")
        for rater, name, level, index, response, release, item, *said in rows.values_list(
            *fields
        ).iterator(chunk_size=2000):
            place = index or 0
            role, turn, counts = place_in(places, response, level, place)
            if not counts:
                continue
            series = MetricSeries(rater, name, LEVELS[level])
            yield FindingRow(series, release, item, response, place, role, turn, *said)


TARGETS: Final = {level: target for target, level in LEVELS.items()}


def place_in(places: Places, response: int, level: str, place: int) -> PartPlace:
    """Return what is known of a part of a conversation; of one that is not there any more, nothing."""
    parts = places.get(response, {}).get(level, ())
    return parts[place] if place < len(parts) else PartPlace("", None)


def places_of(one: conversations.Conversation) -> dict[str, list[PartPlace]]:
    """Return role and turn of every part of a conversation, by level, and whether it counts."""
    made: dict[str, list[PartPlace]] = {}
    for target, level in LEVELS.items():
        made[target] = [
            PartPlace(
                role_of(part),
                None if level == Level.CONVERSATION else evaluating.place_of(one, part, Level.TURN),
                one.has(part),
            )
            for part in catalogue.parts(one, level)
        ]
    return made


def role_of(part: conversations.Part) -> str:
    """Return whose part it is; a conversation is nobody's, a tool call the assistant's."""
    if isinstance(part, conversations.Conversation):
        return ""
    return "assistant" if isinstance(part, conversations.ToolCall) else part.role
