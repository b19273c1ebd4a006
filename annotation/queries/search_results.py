"""The texts that were found, as lines of a page: what each is, and where it has what was sought."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import (
    Item,
    QuestionVersion,
    Response,
    SearchText,
    SourceVersion,
)
from annotation.queries.text_search import Hit
from annotation.rules import searching as rules
from annotation.rules.searching import Piece, Sought

Kind = SearchText.Kind


@dataclass(frozen=True)
class Line:
    """One thing that was found, or one part of it.

    Attributes:
        key: of the question, item or source; of the item for a response.
        title: with what was sought marked.
        part: of a long text, from 2 on; 0 for a text that is one, and for the first.
        facts: a few words each.
    """

    kind: str
    key: int
    title: tuple[Piece, ...]
    pieces: tuple[Piece, ...]
    facts: tuple[str, ...] = ()
    part: int = 0


def lines(hits: Sequence[Hit], sought: Sought) -> list[Line]:
    """Return what was found as lines, in its order; what has gone meanwhile is left out.

    One look at the database for each kind, however many were found.
    """
    things = {kind: read(_of(hits, kind)) for kind, read in _READ.items() if _of(hits, kind)}
    found = []
    for hit in hits:
        thing = things[hit.kind].get(hit.of)
        if thing is not None:
            found.append(_line(hit, thing, sought))
    return found


@dataclass(frozen=True)
class _Thing:
    key: int
    title: str
    #: As they are indexed, and how many of the first ones the title tells.
    texts: Sequence[str]
    n_told: int
    facts: tuple[str, ...]


def _line(row: Hit, thing: _Thing, sought: Sought) -> Line:
    whole = "\n".join(thing.texts if row.part else thing.texts[thing.n_told :])
    parts = rules.cuts(whole)
    text = parts[min(row.part, len(parts) - 1)]
    return Line(
        row.kind,
        thing.key,
        rules.marked(thing.title, sought.marks),
        rules.snippet(text, sought.marks),
        tuple(one for one in thing.facts if one),
        row.part + 1 if row.part else 0,
    )


def _of(hits: Sequence[Hit], kind: str) -> list[int]:
    return [one.of for one in hits if one.kind == kind]


def _questions(pks: Sequence[int]) -> dict[int, _Thing]:
    rows = QuestionVersion.objects.newest().filter(question__in=pks)
    return {
        one.question_id: _Thing(
            one.question_id,
            one.question.external_id,
            rules.of_question(one.question.external_id, one.turns, one.answer, one.key_points),
            1,
            (str(one.get_state_display()), *_placed(one)),
        )
        for one in rows.select_related("question", "capability", "domain")
    }


def _items(pks: Sequence[int]) -> dict[int, _Thing]:
    rows = Item.objects.filter(pk__in=pks).select_related("capability", "domain")
    return {
        one.pk: _Thing(
            one.pk,
            one.external_id,
            rules.of_question(one.external_id, one.messages, one.reference, one.key_points),
            1,
            _placed(one),
        )
        for one in rows
    }


def _placed(one: QuestionVersion | Item) -> tuple[str, ...]:
    return tuple(node.name for node in (one.capability, one.domain) if node is not None)


def _sources(pks: Sequence[int]) -> dict[int, _Thing]:
    found: dict[int, _Thing] = {}
    rows = SourceVersion.objects.filter(source__in=pks).select_related("source__collection")
    for one in rows.order_by("source", "number"):  # the newest one comes last, and stays
        of = one.source
        texts = rules.of_source(of.title, of.publisher, of.address, one.note, one.text)
        facts = (of.publisher, of.collection.name if of.collection else "")
        found[of.pk] = _Thing(of.pk, of.title, texts, 1, facts)
    return found


def _responses(pks: Sequence[int]) -> dict[int, _Thing]:
    rows = Response.objects.filter(pk__in=pks).select_related("item", "release__system")
    return {
        one.pk: _Thing(
            one.item_id,
            f"{one.release.system.name} · {one.release.label}",
            rules.said(one.messages),
            0,
            (one.item.external_id,),
        )
        for one in rows
    }


_READ: Mapping[str, Any] = {
    Kind.QUESTION: _questions,
    Kind.ITEM: _items,
    Kind.SOURCE: _sources,
    Kind.RESPONSE: _responses,
}
