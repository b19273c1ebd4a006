"""Plans: which assistants for which criterion, and steps. Written by a model or a person, once per task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from scoring.llm.base import ChatModel, Request, Role, Settings
from scoring.protocols import hearing, reading
from scoring.protocols import task_asking_v1 as asking
from scoring.protocols.task_asking_v1 import Design

PLANNER: Final = Settings(temperature=0.0, max_tokens=3000)
MOST_TEXT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan's words, and its alignment: criterion key → keys of the assistants named for it.

    `unknown` are keys that the plan names and the task does not have; `problem` says why there is no
    alignment, where there is none.
    """

    text: str
    alignment: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...] = ()
    problem: str = ""

    def plain(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "alignment": {key: list(named) for key, named in self.alignment.items()},
            "unknown": list(self.unknown),
            "problem": self.problem,
        }


def request(design: Design, settings: Settings = PLANNER) -> Request:
    return Request(Role.PLANNER, asking.planning(design), settings, part="plan")


async def write(model: ChatModel, design: Design, settings: Settings = PLANNER) -> Plan:
    """Let a model write the plan; one without an alignment is asked for that once more.

    Raises:
        Failed: there is no reply.
    """
    first = request(design, settings)
    made = await hearing.tries(
        model,
        hearing.Said(first, await hearing.ask_for_words(model, first)),
        lambda reply: read(reply.text, design),
        fails=lambda plan: bool(plan.problem),
        tell=lambda _plan: design.words.plan_form,
        most=MOST_TEXT,
    )
    return replace(made[-1].found, text=made[0].found.text)


def read(text: str, design: Design) -> Plan:
    """Return the plan in a reply: its words without the closing object, and the alignment in that."""
    said = [one for one in reading.objects(text) if isinstance(one.get("alignment"), Mapping)]
    if not said:
        return Plan(
            text.strip()[:MOST_TEXT], {}, problem="The plan names no assistants in its form."
        )
    if any(one["alignment"] != said[0]["alignment"] for one in said):
        problem = "The plan names assistants in several ways."
        return Plan(_words(text), {}, problem=problem)
    criteria = {reading.normalised(one.key): one.key for one in design.criteria}
    assistants = {reading.normalised(one.key): one.key for one in design.assistants}
    assistants |= {reading.normalised(one.name): one.key for one in design.assistants}
    alignment: dict[str, tuple[str, ...]] = {one.key: () for one in design.criteria}
    unknown: list[str] = []
    for name, named in said[-1]["alignment"].items():
        key = criteria.get(reading.normalised(str(name)))
        listed: Sequence[Any] = named if isinstance(named, list) else [named]
        words = [str(one) for one in listed if one not in (None, "")]
        if key is None:
            unknown.append(str(name))
            continue
        known = [assistants.get(reading.normalised(one)) for one in words]
        unknown += [one for one, found in zip(words, known, strict=True) if found is None]
        alignment[key] = tuple(dict.fromkeys(one for one in known if one is not None))
    return Plan(_words(text), alignment, tuple(dict.fromkeys(unknown)))


def _words(text: str) -> str:
    """Return what stands before the last object that holds the alignment."""
    place = text.rfind('"alignment"')
    start = text.rfind("{", 0, place)
    return text[:start].strip().removesuffix("```json").removesuffix("```").strip()[:MOST_TEXT]
