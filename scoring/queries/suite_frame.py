"""What a suite's run found, as rows with the role and turn of the part each speaks of."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from scoring.models import Conversation, Endpoint, Judgment, PublishedPart, Run
from scoring.protocols.suite import catalogue, definition, evaluating
from scoring.protocols.suite import conversations as talks
from scoring.protocols.suite.catalogue import Level
from scoring.protocols.suite.definition import RUBRIC, Entry, Suite
from scoring.queries import suites

#: A key of a run's config: what systems completed counts from its start on.
SINCE_START: Final = "since_start"
LEVELS: Final[Mapping[str, Level]] = {
    Judgment.Target.RESPONSE: Level.CONVERSATION,
    Judgment.Target.TURN: Level.TURN,
    Judgment.Target.MESSAGE: Level.MESSAGE,
    Judgment.Target.TOOL_CALL: Level.TOOL_CALL,
}


@dataclass(frozen=True, slots=True)
class Series:
    """One named value of a metric at a level; of a rubric, by one judge."""

    rater: int
    name: str
    level: Level


class Place(NamedTuple):
    """Role and turn of a part, and whether it counts: what was recorded before a completion does not."""

    role: str
    turn: int | None
    counts: bool = True


#: Of each part, by response and level.
Places = Mapping[int, Mapping[str, Sequence[Place]]]


@dataclass(frozen=True, slots=True)
class Row:
    """What was found of one part; `item` is the conversation's opening, the same for all releases."""

    series: Series
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


def suite_of(run: Run) -> Suite:
    return definition.from_dict(run.config["definition"])


def conversations_of(run: Run) -> Any:
    """Return the conversations that a run evaluates: those it is over, or those it had completed."""
    if run.config.get("completions"):
        rows = Conversation.objects.seen().filter(set__project=run.project_id)
        return rows.filter(batch__key=completions_key(run)).order_by("pk")
    return starts_of(run)


def starts_of(run: Run) -> Any:
    """Return the stored conversations that a run is over."""
    config = run.config
    return suites.conversations_in(
        config["sets"],
        after=config.get("after", 0),
        up_to=config["last"],
        only=config.get("only"),
        late=config.get("late", ()),
        without=config.get("staged", ()),
    )


def completions_key(run: Run) -> str:
    """Return the key of the batch in which the conversations are that a run had completed."""
    return hashlib.sha256(f"completions of run {run.pk}".encode()).hexdigest()


def read(row: Conversation, run: Run | None = None) -> talks.Conversation:
    """Return a stored conversation as metrics see it; with a run, as the run's metrics did.

    Older runs took what was recorded before a conversation was completed for the system's own.
    """
    response = row.response
    given = {**response.details, "messages": response.messages, "id": row.external_id}
    as_whole = run is not None and not run.config.get(SINCE_START)
    return talks.read(given, n_before=0 if as_whole else row.n_before)


def judgments_of(run: Run) -> "QuerySet[Judgment]":
    """Return what the run found of conversations, without what was said again of published responses."""
    published = PublishedPart.objects.filter(response=OuterRef("response"))
    return Judgment.objects.filter(~Exists(published), run=run)


@dataclass(frozen=True)
class Frame:
    """The judgments of a run, read once."""

    run: Run

    @cached_property
    def suite(self) -> Suite:
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

    def named(self, series: Series) -> str:
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
        found: dict[int, Mapping[str, Sequence[Place]]] = {}
        rows = conversations_of(self.run).select_related("response").defer("text")
        for row in rows.iterator(chunk_size=200):
            if row.response_id not in found:
                found[row.response_id] = places_of(read(row))
        return found

    def rows(self) -> Iterator[Row]:
        """Yield every judgment, conversation by conversation."""
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
            series = Series(rater, name, LEVELS[level])
            yield Row(series, release, item, response, place, role, turn, *said)


def place_in(places: Places, response: int, level: str, place: int) -> Place:
    """Return what is known of a part of a conversation; of one that is not there any more, nothing."""
    parts = places.get(response, {}).get(level, ())
    return parts[place] if place < len(parts) else Place("", None)


def places_of(one: talks.Conversation) -> dict[str, list[Place]]:
    """Return role and turn of every part of a conversation, by level, and whether it counts."""
    made: dict[str, list[Place]] = {}
    for target, level in LEVELS.items():
        made[target] = [
            Place(
                role_of(part),
                None if level == Level.CONVERSATION else evaluating.place_of(one, part, Level.TURN),
                one.has(part),
            )
            for part in catalogue.parts(one, level)
        ]
    return made


def role_of(part: talks.Part) -> str:
    """Return whose part it is; a conversation is nobody's, a tool call the assistant's."""
    if isinstance(part, talks.Conversation):
        return ""
    return "assistant" if isinstance(part, talks.ToolCall) else part.role
