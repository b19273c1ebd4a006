"""What interviews put out that people can rate: an exchange of each dialogue, every exchange, whole dialogues."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.db.models import Count, Prefetch, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Project, Response, SystemRelease
from annotation.queries import settings
from annotation.rules import identity
from annotation.rules.outputs import Output, Unit
from evalsite import errors
from scoring.models import Dialogue, Exchange, PublishedExchange, Run
from scoring.protocols.kieval import asking_v1
from scoring.queries import interviews, script_marks

#: The sort of whole dialogues, and of every exchange; that of one exchange is its number from 0.
WHOLE: Final = "dialogues"
EVERY: Final = "exchanges"
#: Among the details of a response that was made of an exchange: where it was said.
DIALOGUE, EXCHANGE = "dialogue", "exchange"
PAGE = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was said that people may be given to rate; `published` are the responses made of it.

    `source` is the response it was said in, `index` the exchange or turn, None for the whole.
    """

    source: int
    index: int | None
    release: int
    group: str
    capability: int | None
    published: tuple[int, ...]


class PatternTooSlow(errors.Invalid):
    code = "pattern_too_slow"


def counts(run: Run) -> list[tuple[str, int]]:
    """Return every sort that a run has, with how many units: single exchanges, all of them, dialogues."""
    rows = _answered(run).values("k").annotate(n=Count("pk")).order_by("k")
    by_k = list(rows.values_list("k", "n"))
    if not by_k:
        return []
    whole = _answered(run).values("dialogue__item").distinct().count()
    single = [(str(k), n) for k, n in by_k]
    return [*single, (EVERY, sum(n for _k, n in by_k)), (WHOLE, whole)]


def exchanges(run: Run, which: str) -> list[Unit]:
    """Return an item for each answer that was given: what went before it is put to people, it is rated.

    Args:
        run: of interviews.
        which: the number of an exchange from 0, or EVERY.
    """
    releases = Dialogue.objects.filter(run=run).values_list("release", flat=True)
    names = names_of(run.project, releases)
    return [
        _unit(run, dialogue, said, place, names)
        for dialogue in _paged(run)
        for said in [list(dialogue.exchanges.all())]
        for place, one in enumerate(said)
        if one.answer and which in {EVERY, str(one.k)}
    ]


def whole(run: Run, _which: str = WHOLE) -> list[Unit]:
    """Return the questions with the dialogues of every candidate about them, side by side."""
    names: dict[int, str] = {}
    given: dict[int, list[Output]] = defaultdict(list)
    rows = Dialogue.objects.filter(pk__in=_answered(run).values("dialogue")).order_by("pk")
    for item, name, release, response in rows.values_list(
        "item_id", "item__external_id", "release_id", "response_id"
    ):
        names[item] = name
        given[item].append(Output(release, response_id=response))
    return [Unit(names[item], found, item_id=item) for item, found in given.items()]


def places(run: Run, which: str) -> list[Place]:
    """Return where each answer of a sort was said, without keeping what was said."""
    if which == WHOLE:
        rows = Dialogue.objects.filter(pk__in=_answered(run).values("dialogue")).order_by("pk")
        facts = rows.values_list("response_id", "release_id", "item__group", "item__capability_id")
        return [
            Place(pk, None, release, group, capability, (pk,))
            for pk, release, group, capability in facts
        ]
    said = _answered(run) if which == EVERY else _answered(run).filter(k=int(which))
    given = dict(
        PublishedExchange.objects.filter(exchange__in=said).values_list("exchange", "response")
    )
    found = said.order_by("pk").values_list(
        "pk",
        "dialogue__response_id",
        "k",
        "dialogue__release_id",
        "dialogue__item__group",
        "dialogue__item__capability_id",
    )
    return [
        Place(source, k, release, group, capability, (given[pk],) if pk in given else ())
        for pk, source, k, release, group, capability in found
    ]


def _answered(run: Run) -> "QuerySet[Exchange]":
    return Exchange.objects.filter(dialogue__run=run).exclude(answer="")


def _paged(run: Run) -> Iterator[Dialogue]:
    """Yield the dialogues page by page, so that no cursor stays open."""
    rows = Dialogue.objects.filter(run=run).select_related("item__capability", "response")
    whole = rows.prefetch_related(Prefetch("exchanges", Exchange.objects.order_by("k")))
    last = 0
    while found := list(whole.filter(pk__gt=last).order_by("pk")[:PAGE]):
        yield from found
        last = found[-1].pk


def names_of(project: Project, keys: Iterable[int]) -> identity.Lexicon:
    """Return what gives releases away, to be looked for in what goes before an answer."""
    releases = SystemRelease.objects.filter(pk__in=set(keys)).select_related("system")
    terms = {
        term
        for one in releases
        for term in (one.system.name, *one.system.aliases, one.label if len(one.label) > 3 else "")
        if term.strip()
    }
    return settings.lexicon(project, sorted(terms))


def _unit(
    run: Run, dialogue: Dialogue, said: list[Exchange], place: int, names: identity.Lexicon
) -> Unit:
    item, one = dialogue.item, said[place]
    problem = interviews.problem_of(item, language=run.config.get("language", "auto"))
    messages = [asdict(each) for each in asking_v1.asked(problem)]
    # A round looks for names in responses alone, and this is said by a system as well: always covered.
    messages.append(covered("assistant", dialogue.answer, names))
    for before in said[:place]:
        messages.append(covered("user", before.question, names))
        messages.append(covered("assistant", before.answer, names))
    output = Output(
        dialogue.release_id,
        [{"role": "assistant", "content": one.answer}],
        origin=Response.Origin.DIALOGUE,
        details=_details(run, dialogue, one),
        sample_no=run.pk,
    )
    return Unit(
        # Two systems may have said the same; each has an item of its own all the same.
        external_id=f"{item.external_id[:150]} / {one.k + 1} / {_code(run, dialogue)}",
        outputs=[output],
        messages=[*messages, covered("user", one.question, names)],
        reference=problem.correct,
        group=item.group,
        capability_id=item.capability_id,
        domain_id=item.domain_id,
        difficulty=item.difficulty,
    )


def _details(run: Run, dialogue: Dialogue, one: Exchange) -> dict[str, Any]:
    made: dict[str, Any] = {"run": run.number, DIALOGUE: dialogue.pk, EXCHANGE: one.k}
    return made | script_marks.of_response(dialogue.response)


def covered(role: str, text: str, names: identity.Lexicon) -> dict[str, str]:
    """Return a message in which names of systems are covered; the dialogue keeps them.

    Raises:
        PatternTooSlow: a pattern of the project's own takes too long on it.
    """
    try:
        spans = [(hit.start, hit.end) for hit in identity.scan(text, names)]
    except identity.BadPattern as problem:
        raise PatternTooSlow(
            _("%(problem)s Mend it under Settings, Masks.") % {"problem": problem}
        ) from problem
    return {"role": role, "content": identity.mask(text, spans)}


def _code(run: Run, dialogue: Dialogue) -> str:
    """Return what tells a dialogue's items apart and says nothing of whose it is."""
    said = f"{run.secret}/{dialogue.pk}"
    return hashlib.sha256(said.encode()).hexdigest()[:10]
