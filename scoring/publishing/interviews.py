"""What interviews put out that people can rate: an exchange of each dialogue, every exchange, whole dialogues.

* The rubrics by which people rate interviews: one overall mark, or five aspects and overall.
* Keep which published responses stand for which exchanges, with what machines said of those.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, Prefetch, QuerySet
from django.utils.translation import gettext_lazy

from annotation.common import identity
from annotation.common.pace import Batches
from annotation.common.sentences import gettext as _
from annotation.people import queries as settings
from annotation.people.models import Project, User
from annotation.rounds import publishing as publishing_interviews_rounds
from annotation.rounds import queries as rounds
from annotation.rubrics import operations as rubrics
from annotation.rubrics.models import RubricVersion
from annotation.rubrics.rules import CriterionText, LevelText, Wording
from annotation.systems.models import Response, SystemRelease
from annotation.systems.rules import Output, Unit
from evalsite import errors
from scoring.engine.models import Judgment, Run
from scoring.kinds.interviews import asking_v1
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews import rejudging as readdressing
from scoring.kinds.interviews.models import Dialogue, Exchange, PublishedExchange
from scoring.shown import scripts as script_marks

#: The sort of whole dialogues, and of every exchange; that of one exchange is its number from 0.
WHOLE: Final = "dialogues"
EVERY: Final = "exchanges"
#: Among the details of a response that was made of an exchange: where it was said.
DIALOGUE, EXCHANGE = "dialogue", "exchange"
PAGE = 200


@dataclass(frozen=True, slots=True)
class SpokenPlace:
    """Where something was said that people may be given to rate; `published` are the responses made of it.

    `source` is the response it was said in, `index` the exchange, turn or tool call, None for the whole;
    `level` says which of them.
    """

    source: int
    index: int | None
    release: int
    group: str
    capability: int | None
    published: tuple[int, ...]
    level: str = ""

    def __post_init__(self) -> None:
        if not self.level:
            target = Judgment.Target.RESPONSE if self.index is None else Judgment.Target.TURN
            object.__setattr__(self, "level", target)


class MaskTooSlow(errors.Invalid):
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


def places(run: Run, which: str) -> list[SpokenPlace]:
    """Return where each answer of a sort was said, without keeping what was said."""
    if which == WHOLE:
        rows = Dialogue.objects.filter(pk__in=_answered(run).values("dialogue")).order_by("pk")
        facts = rows.values_list("response_id", "release_id", "item__group", "item__capability_id")
        return [
            SpokenPlace(pk, None, release, group, capability, (pk,))
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
        SpokenPlace(source, k, release, group, capability, (given[pk],) if pk in given else ())
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
        said_in=(dialogue.response_id, Judgment.Target.TURN, one.k),
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
        MaskTooSlow: a pattern of the project's own takes too long on it.
    """
    try:
        spans = [(hit.start, hit.end) for hit in identity.scan(text, names)]
    except identity.UnusablePattern as problem:
        raise MaskTooSlow(
            _("%(problem)s Mend it under Settings, Masks.") % {"problem": problem}
        ) from problem
    return {"role": role, "content": identity.mask(text, spans)}


def _code(run: Run, dialogue: Dialogue) -> str:
    """Return what tells a dialogue's items apart and says nothing of whose it is."""
    said = f"{run.secret}/{dialogue.pk}"
    return hashlib.sha256(said.encode()).hexdigest()[:10]


PRINCIPLE: Final = (
    "Grade what the assistant says last, as an answer to what it was asked last; what went before "
    "shows what it has said already. Where a whole conversation is shown, grade all that the assistant "
    "says in it, the later answers as much as the first.\n\n"
    "The standard answer belongs to the question at the beginning. An answer to a later question may be "
    "right without mentioning it, and is wrong where it contradicts it.\n\n"
    "Do not grade the one who asks. Length, politeness and layout count neither for nor against, but "
    "for conciseness where that is a criterion."
)
LABELS: Final = ("Poor", "Below average", "Above average", "Strong")
OVERALL: Final = (
    "overall",
    "Overall",
    "How well does the assistant know what it speaks of?",
    (
        "It does not know, makes things up, or does not answer.",
        "It knows some of it; an important part is wrong, missing or beside the question.",
        "It knows it; a smaller part is wrong, missing or unclear.",
        "It knows it well, gives sound reasons, and keeps to what was asked.",
    ),
)
ASPECTS: Final = (
    (
        "accuracy",
        "Accuracy",
        "Is what it says true, and does it answer what was asked?",
        (
            "Wrong in what matters, or no answer.",
            "Partly wrong, or it answers only a part.",
            "Right, but for something small.",
            "Right and complete.",
        ),
    ),
    (
        "logic",
        "Logic",
        "Do its reasons hold, and follow from each other?",
        (
            "No reasons where some are due, or they contradict each other.",
            "Reasons with a gap that matters.",
            "Sound reasons with a small gap.",
            "Sound reasons without a gap.",
        ),
    ),
    (
        "relevance",
        "Relevance",
        "Does it stay with the question?",
        (
            "It speaks of something else.",
            "Much of it is beside the question.",
            "A little of it is beside the question.",
            "All of it belongs to the question.",
        ),
    ),
    (
        "coherence",
        "Coherence",
        "Does it fit what it said before, in one line of thought?",
        (
            "It contradicts itself, or cannot be followed.",
            "It is hard to follow, or does not fit all it said before.",
            "It can be followed, and fits but for something small.",
            "It is easy to follow, and fits all it said before.",
        ),
    ),
    (
        "conciseness",
        "Conciseness",
        "Does it say what is needed, and no more?",
        (
            "Most of it is not needed, or it repeats itself.",
            "Much of it is not needed.",
            "A little of it is not needed.",
            "Nothing is too much, and nothing is missing for brevity.",
        ),
    ),
)
#: By key: what a form calls it, what the rubric is called, its criteria.
OFFERED: Final[Mapping[str, tuple[Any, str, tuple[Any, ...]]]] = {
    "interview-overall": (
        gettext_lazy("Interviews: one overall mark from 1 to 4"),
        "Interviews, overall",
        (OVERALL,),
    ),
    "interview-aspects": (
        gettext_lazy("Interviews: five aspects and overall, from 1 to 4"),
        "Interviews, five aspects",
        (*ASPECTS, OVERALL),
    ),
}


def met(*, project: Project, key: str, by: User, now: datetime) -> RubricVersion:
    """Return the newest version of one of the method's rubrics, written if the project lacks it.

    Raises:
        KeyError: the method has no such rubric.
    """
    _label, name, criteria = OFFERED[key]
    found = rounds.versions_of(project).filter(rubric__key=key).first()
    wording = Wording(PRINCIPLE, tuple(_criterion(*one) for one in criteria))
    return found or rubrics.create_rubric(
        project=project, key=key, name=name, wording=wording, by=by, now=now
    )


def _criterion(key: str, name: str, asked: str, levels: tuple[str, ...]) -> CriterionText:
    return CriterionText(
        key,
        name,
        minimum=Decimal(1),
        maximum=Decimal(4),
        description=asked,
        pass_at=Decimal(3),
        levels=tuple(
            LevelText(Decimal(value), label, said)
            for value, (label, said) in enumerate(zip(LABELS, levels, strict=True), start=1)
        ),
    )


CHUNK = 200


def keep(*, run: Run, written: publishing_interviews_rounds.PublishedOutputs) -> None:
    """Write down the exchanges that were published; those that are known already stay."""
    responses = [pk for one in written.published.values() for pk in one["responses"]]
    for batch in Batches(start=CHUNK, most=CHUNK, breath=0.3).batches(responses):
        _keep(run, batch)


def readdress(*, run: Run, now: datetime) -> None:
    """Write what machines said of this run's exchanges as judgments of the published responses."""
    dialogues = Dialogue.objects.filter(run=run).order_by("pk").values_list("pk", flat=True)
    readdressing.readdress_all(dialogues=list(dialogues), now=now)


def _keep(run: Run, responses: Sequence[int]) -> None:
    places = {
        pk: (details[DIALOGUE], details[EXCHANGE])
        for pk, details in Response.objects.filter(pk__in=responses).values_list("pk", "details")
        if DIALOGUE in details and EXCHANGE in details
    }
    known = PublishedExchange.objects.filter(response__in=places)
    for pk in known.values_list("response", flat=True):
        del places[pk]
    rows = Exchange.objects.filter(
        dialogue__run=run, dialogue__in={one for one, _k in places.values()}
    )
    exchanges = {(dialogue, k): pk for pk, dialogue, k in rows.values_list("pk", "dialogue", "k")}
    PublishedExchange.objects.bulk_create(
        [
            PublishedExchange(exchange_id=exchanges[place], response_id=pk)
            for pk, place in places.items()
        ],
        ignore_conflicts=True,
    )
