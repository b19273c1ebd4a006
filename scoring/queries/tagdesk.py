"""The desk where people say which questions and responses stayed the same: pairs with what differs."""

from dataclasses import dataclass

from annotation.models import Item, Response
from annotation.queries import sameness
from annotation.queries.sameness import Sameness
from annotation.rules import diffs, faces
from annotation.rules.diffs import Change
from scoring.queries.movement import Chosen

SIZE = 20


@dataclass(frozen=True, slots=True)
class Side:
    """Question or response of a pair: what was decided and by whom, and what changed."""

    kind: str
    left: int
    right: int
    decided: Sameness
    change: Change
    likeness: int


@dataclass(frozen=True, slots=True)
class Line:
    title: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Page:
    lines: tuple[Line, ...]
    n_open: int
    n_pairs: int
    after: str


def page(chosen: Chosen, *, after: str = "", everything: bool = False) -> Page:
    """Return pairs whose contents differ, by question, from after `after` on.

    Args:
        chosen: the rounds and the system.
        after: the question that the page before ended with.
        everything: those that were decided as well.
    """
    moved = sameness.movement(chosen.before, chosen.after, chosen.system.pk)
    differ = [
        one
        for one in moved.pairs
        if "content" not in {one.question.by, one.response.by} or one.question.by != one.response.by
    ]
    wanted = [
        one
        for one in differ
        if one.group > after and (everything or one.question.is_open or one.response.is_open)
    ]
    shown = wanted[:SIZE]
    items = Item.objects.in_bulk([pk for one in shown for pk in (one.before, one.after)])
    responses = Response.objects.in_bulk(
        [pk for one in shown for pk in (one.response_before, one.response_after)]
    )
    lines = []
    for one in shown:
        sides = []
        if one.question.by != "content":
            texts = [_asked(items[pk]) for pk in (one.before, one.after)]
            sides.append(_side("QUESTION", one.before, one.after, one.question, texts))
        if one.response.by != "content":
            pks = (one.response_before, one.response_after)
            texts = [_answered(responses[pk]) for pk in pks]
            sides.append(_side("RESPONSE", *pks, one.response, texts))
        lines.append(Line(items[one.after].question or one.group, tuple(sides)))
    last = shown[-1].group if len(wanted) > SIZE else ""
    return Page(tuple(lines), moved.n_open, len(differ), last)


def _side(kind: str, left: int, right: int, decided: Sameness, texts: list[str]) -> Side:
    runs = diffs.between(texts[0], texts[1])
    same = sum(len(run.text) for run in runs if run.kind == diffs.Kind.SAME)
    whole = sum(len(run.text) * (2 if run.kind == diffs.Kind.SAME else 1) for run in runs)
    likeness = round(100 * 2 * same / whole) if whole else 100
    return Side(kind, left, right, decided, Change(kind, runs), likeness)


def _asked(item: Item) -> str:
    return "\n\n".join([*map(faces.spoken, item.messages), item.reference])


def _answered(response: Response) -> str:
    return "\n\n".join(map(faces.spoken, response.messages))
