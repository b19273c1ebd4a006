"""What a suite's run is over that people can rate: turns of the assistant, or whole conversations.

All of them, or those on which two judges of the run disagree by the same rubric.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, Max, Min

from annotation.models import Response
from annotation.rules import identity
from annotation.rules.outputs import Output, Unit
from scoring.models import Conversation, Judgment, Run
from scoring.protocols.suite import conversations as talks
from scoring.protocols.suite.catalogue import Level
from scoring.queries import suite_frame
from scoring.queries.interview_outputs import covered, names_of

TURNS: Final = "turns"
TURNS_APART: Final = "turns_apart"
WHOLE: Final = "conversations"
WHOLE_APART: Final = "conversations_apart"
#: Among the details of a response that was made of a turn: the response it was said in, and which turn.
SOURCE, TURN = "source", "turn"
PAGE: Final = 200

#: The key of a conversation's response, and the number of a turn; None is the whole.
Place = tuple[int, int | None]


@dataclass(frozen=True)
class _Part:
    """An answer in a conversation: what went before it, and what is rated."""

    row: Conversation
    turn: int | None
    before: Sequence[talks.Message]
    said: Sequence[talks.Message]

    @property
    def place(self) -> Place:
        return self.row.response_id, self.turn


def counts(run: Run) -> list[tuple[str, int]]:
    """Return every sort that a run has, with how many units; none that is empty."""
    n_turns = n_whole = n_turns_apart = n_whole_apart = 0
    apart = _apart(run)
    for row, one in _read(run):
        n_turns += len(turns := [each.place for each in _turns(row, one)])
        n_turns_apart += sum(place in apart for place in turns)
        n_whole += bool(turns)
        n_whole_apart += bool(turns) and (row.response_id, None) in apart
    found = (
        (TURNS, n_turns),
        (TURNS_APART, n_turns_apart),
        (WHOLE, n_whole),
        (WHOLE_APART, n_whole_apart),
    )
    return [(key, n) for key, n in found if n]


def units(run: Run, which: str) -> list[Unit]:
    """Return an item for each answer: what went before it is put to people, it is rated.

    What systems are called is covered in what goes before, and prompts of systems are left out: a round
    looks for names in responses alone.

    Args:
        run: of a suite.
        which: a sort.
    """
    of_turns = which in {TURNS, TURNS_APART}
    wanted = _apart(run) if which in {TURNS_APART, WHOLE_APART} else None
    rows = suite_frame.conversations_of(run)
    releases = rows.order_by().values_list("response__release", flat=True).distinct()
    names = names_of(run.project, releases)
    return [
        _unit(run, part, names)
        for row, one in _read(run)
        for part in (_turns(row, one) if of_turns else _whole(row, one))
        if wanted is None or part.place in wanted
    ]


def _read(run: Run) -> Iterator[tuple[Conversation, talks.Conversation]]:
    """Yield the conversations page by page, so that no cursor stays open; each one once."""
    rows = suite_frame.conversations_of(run).select_related("response").defer("text")
    seen: set[int] = set()
    last = 0
    while found := list(rows.filter(pk__gt=last)[:PAGE]):
        for row in found:
            if row.response_id not in seen:
                seen.add(row.response_id)
                yield row, suite_frame.read(row)
        last = found[-1].pk


def _turns(row: Conversation, one: talks.Conversation) -> Iterator[_Part]:
    for turn in one.turns:
        if turn.role == "assistant" and any(_words(each) for each in turn.messages):
            first = turn.messages[0].index
            yield _Part(row, turn.index, one.messages[:first], turn.messages)


def _whole(row: Conversation, one: talks.Conversation) -> Iterator[_Part]:
    first = next(_turns(row, one), None)
    if first is not None:
        begin = len(first.before)
        yield _Part(row, None, one.messages[:begin], one.messages[begin:])


def _apart(run: Run) -> set[Place]:
    """Return the parts that two judges gave different values by the same rubric."""
    found: set[Place] = set()
    suite = suite_frame.suite_of(run)
    targets = {Level.TURN: Judgment.Target.TURN, Level.CONVERSATION: Judgment.Target.RESPONSE}
    judges: Mapping[str, Mapping[str, Sequence[int]]] = run.config["judges"]
    for at, by_endpoint in judges.items():
        level = suite.entries[int(at)].level
        if level not in targets or len(by_endpoint) < 2:
            continue
        rows = suite_frame.judgments_of(run).filter(
            rater__in=[rater for _judge, rater, _criterion in by_endpoint.values()],
            target_level=targets[level],
            value__isnull=False,
        )
        ends = rows.order_by().values("response", "target_index")
        ends = ends.annotate(low=Min("value"), high=Max("value")).filter(low__lt=F("high"))
        found.update(ends.values_list("response", "target_index"))
    return found


def _unit(run: Run, part: _Part, names: identity.Lexicon) -> Unit:
    row = part.row
    name = covered("", row.external_id, names)["content"]
    place = "" if part.turn is None else f" / {part.turn + 1}"
    output = Output(
        row.response.release_id,
        [{"role": _role(one), "content": _words(one)} for one in part.said],
        origin=Response.Origin.RECORDED,
        details=_details(run, part),
        sample_no=run.pk,
    )
    return Unit(
        # Two systems may have said the same; each has an item of its own all the same.
        external_id=f"{name[:150]}{place} / {_code(run, part)}",
        outputs=[output],
        messages=[covered(_role(one), _words(one), names) for one in part.before],
        group=name,
    )


def _details(run: Run, part: _Part) -> dict[str, Any]:
    made: dict[str, Any] = {"run": run.number, SOURCE: part.row.response_id, TURN: part.turn}
    return made | ({"scripted": True} if run.scripted else {})


def _role(one: talks.Message) -> str:
    if one.role in talks.ASSISTANTS:
        return "tool" if one.role in {"tool", "function"} else "assistant"
    return one.role


def _words(one: talks.Message) -> str:
    """Return what people read of a message: its text, and a line for each tool it called."""
    calls = [
        f"[{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False)}]"
        for call in one.tool_calls
    ]
    return "\n\n".join(said for said in (one.content.strip(), *calls) if said)


def _code(run: Run, part: _Part) -> str:
    """Return what tells items apart and says nothing of whose they are."""
    said = f"{run.secret}/{part.row.response_id}/{part.turn}"
    return hashlib.sha256(said.encode()).hexdigest()[:10]
