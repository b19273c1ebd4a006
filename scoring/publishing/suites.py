"""What a suite's run is over that people can rate: turns of the assistant, calls of tools, conversations.

* The rubrics of a suite as rubrics for people: the choices are the levels, with the same worth.
* Keep which published responses stand for which turns, with what a suite found of those.
"""

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeVar

from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.common import identity
from annotation.common import parts as cuts
from annotation.common.pace import Batches
from annotation.common.parts import Part, PartLevel
from annotation.people.models import Project, User
from annotation.rounds import publishing as publishing_suites_rounds
from annotation.rounds import queries as rounds
from annotation.rubrics import operations as rubrics
from annotation.rubrics import rules
from annotation.rubrics.models import RubricVersion
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from annotation.systems.models import Response
from annotation.systems.rules import Output, Unit
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import kind as suite_readdressing
from scoring.kinds.suites import labels as suite_labels
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.kind import Place, place_of
from scoring.kinds.suites.models import Conversation, PublishedPart
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol import definition as placeholders
from scoring.kinds.suites.protocol.definition import Rubric
from scoring.kinds.suites.raters import FINEST, MOST_NAME, short
from scoring.publishing.interviews import SpokenPlace, covered, names_of
from scoring.shown import scripts as script_marks

TURNS: Final = "turns"
CALLS: Final = "tool_calls"
WHOLE: Final = "conversations"
#: Among the details of a response that was made of a part: the response it was said in, and which turn or
#: tool call of it.
SOURCE, TURN, CALL = "source", "turn", "tool_call"
PAGE: Final = 200
#: By sort the part it is of.
LEVELS: Final[Mapping[str, PartLevel]] = {
    TURNS: PartLevel.TURN,
    CALLS: PartLevel.TOOL_CALL,
    WHOLE: PartLevel.CONVERSATION,
}


@dataclass(frozen=True)
class _RatedPart:
    """An answer in a conversation: what went before it, and what is rated."""

    row: Conversation
    turn: int | None
    before: Sequence[talks.Message]
    said: Sequence[talks.Message]
    call: talks.ToolCall | None = None

    @property
    def place(self) -> Place:
        if self.call is not None:
            return self.row.response_id, Target.TOOL_CALL, self.call.index
        if self.turn is not None:
            return self.row.response_id, Target.TURN, self.turn
        return self.row.response_id, Target.RESPONSE, None

    @property
    def part(self) -> Part:
        if self.call is not None:
            turn = None if self.turn is None else self.turn + 1
            return Part(PartLevel.TOOL_CALL, turn, self.call.index + 1, self.call.name)
        if self.turn is not None:
            return Part(PartLevel.TURN, self.turn + 1)
        return Part(PartLevel.CONVERSATION)

    @property
    def release(self) -> int:
        return self.row.response.release_id

    @property
    def start(self) -> str:
        """Return the hash of what it answers: equal where people read the same before it."""
        place: list[object] = [self.turn] if self.call is None else [self.turn, self.call.index]
        told = [*place, *([talks.side(one.role), _words(one)] for one in self.before)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Slim:
    """What of a part says which unit it is in."""

    place: Place
    release: int
    start: str


P = TypeVar("P", _RatedPart, _Slim)
Target = Judgment.Target


def counts(run: Run) -> list[tuple[str, int]]:
    """Return every sort that a run has, with how many units; none that is empty."""
    found: list[tuple[str, int]] = []
    for every in LEVELS:
        slim = (_Slim(one.place, one.release, one.start) for one in _parts(run, LEVELS[every]))
        found.append((every, len(_together(slim))))
    return [(key, n) for key, n in found if n]


def units(run: Run, which: str) -> list[Unit]:
    """Return an item for each answer: what went before it is put to people, it is rated.

    What several releases said after the same words stands side by side on one item. What systems are
    called is covered in what goes before, and prompts of systems are left out: a round looks for names in
    responses alone.
    """
    rows = suite_frame.conversations_of(run)
    releases = rows.order_by().values_list("response__release", flat=True).distinct()
    names = names_of(run.project, releases)
    return [_unit(run, some, names) for some in _together(_parts(run, LEVELS[which]))]


def places(run: Run, which: str) -> list[SpokenPlace]:
    """Return where each answer of a sort was said, without keeping what was said."""
    rows = suite_frame.conversations_of(run).order_by()
    names = names_of(run.project, rows.values_list("response__release", flat=True).distinct())
    given: dict[Place, list[int]] = defaultdict(list)
    parts = PublishedPart.objects.filter(source__in=rows.values("response")).order_by("pk")
    for source, turn, call, response in parts.values_list(
        "source", "turn", "tool_call", "response"
    ):
        given[place_of(source, turn, call)].append(response)
    called: dict[Place, str] = {}
    slim: list[_Slim] = []
    for one in _parts(run, LEVELS[which]):
        called[one.place] = one.row.external_id
        slim.append(_Slim(one.place, one.release, one.start))
    found: list[SpokenPlace] = []
    for together in _together(slim):
        group = _name(called[together[0].place], names)  # as the item that is made of them
        for each in together:
            source, level, index = each.place
            published = tuple(given[each.place])
            found.append(SpokenPlace(source, index, each.release, group, None, published, level))
    return found


def _name(external_id: str, names: identity.Lexicon) -> str:
    return covered("", external_id, names)["content"]


def _parts(run: Run, level: PartLevel) -> Iterator[_RatedPart]:
    of = {PartLevel.TURN: _turns, PartLevel.TOOL_CALL: _calls, PartLevel.CONVERSATION: _whole}
    for row, one in _read(run):
        yield from of[level](row, one)


def _together(parts: Iterable[P]) -> list[list[P]]:
    """Return the parts that answer the same, one of each release; of two of a release each goes its own way.

    In the order in which the first of each came.
    """
    found: dict[tuple[str, int], list[P]] = {}
    n_of: Counter[tuple[str, int]] = Counter()
    for one in parts:
        mine = (one.start, one.release)
        found.setdefault((one.start, n_of[mine]), []).append(one)
        n_of[mine] += 1
    return list(found.values())


def _read(run: Run) -> Iterator[tuple[Conversation, talks.Conversation]]:
    """Yield the conversations page by page, so that no cursor stays open; each one once."""
    rows = suite_frame.conversations_of(run).select_related("response").defer("text")
    seen: set[int] = set()
    last = 0
    while found := list(rows.filter(pk__gt=last)[:PAGE]):
        for row in found:
            if row.response_id not in seen:
                seen.add(row.response_id)
                yield row, suite_frame.stored_conversation(row)
        last = found[-1].pk


def _turns(row: Conversation, one: talks.Conversation) -> Iterator[_RatedPart]:
    for turn in one.turns:
        if not turn.counts:  # it was recorded before this release completed the conversation
            continue
        if turn.role == "assistant" and any(_words(each) for each in turn.messages):
            first = turn.messages[0].index
            yield _RatedPart(row, turn.index, one.messages[:first], turn.messages)


def _calls(row: Conversation, one: talks.Conversation) -> Iterator[_RatedPart]:
    """Yield the calls of tools, each with its result; before it stands what was said and called up to then."""
    given = talks.results(one)
    for call in one.tool_calls:
        made = one.messages[call.message]
        if not made.counts:
            continue
        nth = call.index - made.tool_calls[0].index
        said = [replace(made, content="", tool_calls=(call,))]
        if (at := given.get(call.index)) is not None:
            said.append(one.messages[at])
        before = list(one.messages[: call.message])
        if made.content.strip() or nth:
            before.append(replace(made, tool_calls=made.tool_calls[:nth]))
        yield _RatedPart(row, made.turn, before, said, call)


def _whole(row: Conversation, one: talks.Conversation) -> Iterator[_RatedPart]:
    first = next(_turns(row, one), None)
    if first is not None:
        begin = len(first.before)
        yield _RatedPart(row, None, one.messages[:begin], one.messages[begin:])


def labels_of(run: Run) -> list[tuple[str, list[str]]]:
    """Return the labels that conversations came with: names with their values, frequent ones first."""
    known = [one for one in suite_labels.labels(run) if not one.why]
    return [(one.name, [value for value, _n in one.values]) for one in known]


def labelled(run: Run, name: str) -> dict[tuple[int | None, str, int | None], str]:
    """Return the label of this name that each conversation, each turn and each tool call came with."""
    found: dict[tuple[int | None, str, int | None], str] = {}
    for row, one in _read(run):
        pk = row.response_id
        found[pk, Target.RESPONSE, None] = suite_labels.of_part(one, one, name)
        for turn in one.turns:
            found[pk, Target.TURN, turn.index] = suite_labels.of_part(turn, one, name)
        for call in one.tool_calls:
            found[pk, Target.TOOL_CALL, call.index] = suite_labels.of_part(call, one, name)
    return found


def _unit(run: Run, parts: Sequence[_RatedPart], names: identity.Lexicon) -> Unit:
    first = parts[0]
    name = _name(first.row.external_id, names)
    place = "" if first.turn is None else f" / {first.turn + 1}"
    place += "" if first.call is None else f" / call {first.call.index + 1}"
    return Unit(
        # The same words may have been said in another conversation, or to another system before.
        external_id=f"{name[:150]}{place} / {_code(run, parts)}",
        outputs=[_output(run, one) for one in parts],
        messages=[
            cuts.covered(talks.stored(one), lambda text: covered("", text, names)["content"])
            for one in first.before
        ],
        extra=replace(first.part, tool="").as_extra(),
        group=name,
    )


def _output(run: Run, part: _RatedPart) -> Output:
    return Output(
        part.release,
        [talks.stored(one) for one in part.said],
        origin=Response.Origin.RECORDED,
        details=_details(run, part),
        sample_no=run.pk,
        said_in=part.place,
    )


def _details(run: Run, part: _RatedPart) -> dict[str, Any]:
    made: dict[str, Any] = {"run": run.number, SOURCE: part.row.response_id, TURN: part.turn}
    if part.call is not None:
        made[CALL] = part.call.index
    return made | script_marks.of_response(part.row.response)


def _words(one: talks.Message) -> str:
    """Return what people read of a message: its text, and a line for each tool it called."""
    calls = [
        f"[{call.name} {json.dumps(dict(call.arguments), ensure_ascii=False)}]"
        for call in one.tool_calls
    ]
    return "\n\n".join(said for said in (one.content.strip(), *calls) if said)


def _code(run: Run, parts: Sequence[_RatedPart]) -> str:
    """Return what tells items apart and says nothing of whose they are."""
    said = json.dumps([run.secret, *(list(one.place) for one in parts)])
    return hashlib.sha256(said.encode()).hexdigest()[:10]


PRINCIPLE: Final = (
    "Grade what the assistant says last, as an answer to what was said before it. Where a whole "
    "conversation is shown, grade all that the assistant says in it.\n\n"
    "Do not grade the one who asks. Length, politeness and layout count only where the criterion says so."
)
#: What stands for the texts that a prompt is filled with: people see those beside it.
SHOWN: Final[Mapping[str, str]] = {
    "conversation": "[the whole conversation]",
    "input": "[the whole conversation]",
    "context": "[what was said before]",
    "content": "[the answer]",
    "completion": "[the answer]",
    "tool_calls": "[the tools that were called]",
}
#: A scale in more steps than this has none.
MOST_STEPS: Final = 1000


@dataclass(frozen=True)
class RubricOffer:
    """A rubric that people can be given; it is written when it is first used."""

    name: str
    wording: Wording

    @property
    def label(self) -> str:
        (criterion,) = self.wording.criteria
        choices = ", ".join(one.label for one in criterion.levels)
        return _("%(name)s: %(choices)s") % {"name": self.name, "choices": choices[:120]}


def offered(run: Run) -> dict[str, RubricOffer]:
    """Return the rubrics of a run's suite by key; those whose choices are all worth the same are none.

    The key is made of what the rubric says: the same words in a later run are the same rubric.
    """
    suite = suite_frame.suite_of(run)
    found: dict[str, RubricOffer] = {}
    for name in dict.fromkeys(entry.name for _at, entry in suite.judged):
        rubric = suite.rubrics.get(name)
        wording = _wording(name, rubric) if rubric else None
        if rubric and wording and not rules.problems(wording):
            found[_key(name, rubric)] = RubricOffer(short(name, MOST_NAME), wording)
    return found


def met(*, project: Project, run: Run, key: str, by: User, now: datetime) -> RubricVersion:
    """Return the newest version of one of the suite's rubrics, written if the project lacks it.

    Raises:
        KeyError: the suite has no such rubric.
    """
    offer = offered(run)[key]
    found = rounds.versions_of(project).filter(rubric__key=key).first()
    return found or rubrics.create_rubric(
        project=project, key=key, name=offer.name, wording=offer.wording, by=by, now=now
    )


def _key(name: str, rubric: Rubric) -> str:
    said = json.dumps([name, rubric.prompt, sorted(rubric.choices.items())])
    mark = hashlib.sha256(said.encode()).hexdigest()[:8]
    return f"suite-{slugify(name)[:30]}-{mark}".replace("--", "-")


def _wording(name: str, rubric: Rubric) -> Wording | None:
    levels: dict[Decimal, list[str]] = {}
    for choice, worth in rubric.choices.items():
        levels.setdefault(Decimal(repr(worth)).quantize(FINEST), []).append(choice)
    if len(levels) < 2:
        return None
    low, high = min(levels), max(levels)
    criterion = CriterionText(
        slugify(name)[:70] or "choice",
        short(name, MOST_NAME),
        minimum=low,
        maximum=high,
        description=placeholders.fill(rubric.prompt, dict(SHOWN)).strip(),
        step=_step(sorted(levels)),
        levels=tuple(
            LevelText(worth, " / ".join(choices)[:120]) for worth, choices in sorted(levels.items())
        ),
    )
    return Wording(PRINCIPLE, (criterion,))


def _step(worth: list[Decimal]) -> Decimal | None:
    """Return the widest step that meets every value; None where it would take too many."""
    width = math.gcd(*(int((one - worth[0]) / FINEST) for one in worth))
    step = (width * FINEST).normalize()
    return None if (worth[-1] - worth[0]) / step > MOST_STEPS else step


CHUNK = 200


def keep(*, run: Run, written: publishing_suites_rounds.PublishedOutputs) -> None:
    """Write down the turns and conversations that were published; those that are known already stay."""
    of_run = set(suite_frame.conversations_of(run).values_list("response", flat=True))
    responses = [pk for one in written.published.values() for pk in one["responses"]]
    for batch in Batches(start=CHUNK, most=CHUNK, breath=0.3).batches(responses):
        _keep(of_run, batch)


def readdress(*, run: Run, now: datetime) -> None:
    """Write what was found of this run's conversations as judgments of the published responses."""
    rows = PublishedPart.objects.filter(
        source__in=suite_frame.conversations_of(run).order_by().values("response")
    )
    suite_readdressing.readdress_all(
        sources=list(rows.order_by("source").values_list("source", flat=True).distinct())
    )


def _keep(of_run: set[int], responses: Sequence[int]) -> None:
    known = PublishedPart.objects.filter(response__in=responses)
    there = set(known.values_list("response", flat=True))
    rows = Response.objects.filter(pk__in=responses).order_by("pk").values_list("pk", "details")
    PublishedPart.objects.bulk_create(
        [
            PublishedPart(
                source_id=details[SOURCE],
                turn=details[TURN],
                tool_call=details.get(CALL),
                response_id=pk,
            )
            for pk, details in rows
            if pk not in there and details.get(SOURCE) in of_run
        ],
        ignore_conflicts=True,
    )
