"""What metrics are to measure: answers of a round or of an import, with the texts beside each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.common import scales as references
from annotation.common import texts as faces
from annotation.files.models import ImportBatch, ImportKind
from annotation.people.models import Project
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round, RoundResponse
from annotation.systems.models import Item, Response
from scoring.engine.models import Run
from scoring.kinds.metrics.catalogue import MeasuredText, TextMetric

#: Which texts an answer is compared with.
Against = Literal["standard", "texts", "both"]
AGAINST: tuple[Against, ...] = get_args(Against)
#: What is made of several of them.
Many = Literal["mean", "best"]
MANY: tuple[Many, ...] = get_args(Many)
#: The text an answer was made from: what was asked, or a field kept with the question.
QUESTION, FIELD = "question", "field:"

PAGE = 500
#: Questions that are looked at for the names of their fields.
LOOKED_AT = 200
_SAID = {
    "standard": "standard answer",
    "texts": "references",
    "both": "standard answer and references",
}


@dataclass(frozen=True, slots=True)
class MeasurableAnswers:
    """How many answers there are to measure, and how many have what they are compared with."""

    n: int
    n_standard: int
    n_texts: int
    n_releases: int


def responses(project: Project, round_: Round | None, batch: int | None) -> "QuerySet[Response]":
    """Return the answers that a round shows, or that an import brought."""
    here = Response.objects.seen().filter(item__project=project)
    if round_ is not None:
        used = RoundResponse.objects.filter(round_item__round=round_, response=OuterRef("pk"))
        return here.filter(Exists(used))
    return here.filter(batch__project=project, batch__number=batch or 0)


def measured_responses(run: Run) -> "QuerySet[Response]":
    return responses(run.project, run.round, run.config.get("import"))


def pages(run: Run, size: int) -> Iterator[list[int]]:
    """Yield the keys of all answers, those to the same question side by side."""
    rows = measured_responses(run).order_by("item", "pk")
    last = (0, 0)
    while True:
        after = Q(item__gt=last[0]) | Q(item=last[0], pk__gt=last[1])
        found = list(rows.filter(after).values_list("item", "pk")[:size])
        if not found:
            return
        yield [pk for _item, pk in found]
        last = found[-1]


def texts(keys: Sequence[int], config: Mapping[str, Any]) -> Iterator[tuple[int, MeasuredText]]:
    """Yield answers with what they are compared with, in the order of their keys."""
    for start in range(0, len(keys), PAGE):
        some = keys[start : start + PAGE]
        found = Response.objects.select_related("item").in_bulk(some)
        yield from ((pk, text(found[pk], found[pk].item, config)) for pk in some if pk in found)


def text(response: Response, item: Item, config: Mapping[str, Any]) -> MeasuredText:
    """Return one answer with what it is compared with."""
    against = config.get("references", "standard")
    found = [] if against == "texts" else [item.reference]
    if against != "standard":
        found += references.references_of(item.extra)
    return MeasuredText(
        spoken(response.messages),
        tuple(one for one in found if one.strip()),
        source(item, str(config.get("source", ""))),
    )


def spoken(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what the system said: the words of its messages, without what others said between."""
    own = [one for one in messages if one.get("role", "assistant") == "assistant"]
    return "\n\n".join(words for one in own if (words := faces.spoken(one)).strip())


def source(item: Item, where: str) -> str:
    """Return the text that an answer was made from."""
    if where == QUESTION:
        asked = [one for one in item.messages if one.get("role") == "user"] or item.messages
        return "\n\n".join(map(faces.spoken, asked))
    kept = item.extra.get(where.removeprefix(FIELD)) if where.startswith(FIELD) else ""
    parts = kept if isinstance(kept, list) else [kept]
    return "\n\n".join(one for one in parts if isinstance(one, str))


def name(metric: TextMetric, config: Mapping[str, Any]) -> str:
    """Return what a metric is called among raters: what it is, and what it was compared with."""
    if metric.needs == "source":
        where = str(config["source"])
        return f"{metric.name} ({where.removeprefix(FIELD)[:100]})"
    if metric.needs == "references":
        said = _SAID[config["references"]]
        several = metric.joins and config["references"] != "standard"
        return f"{metric.name} ({said}, {config['many']})" if several else f"{metric.name} ({said})"
    return metric.name


def rounds_of(project: Project) -> list[Round]:
    """Return the rounds whose answers stand, the newest first."""
    fixed = rounds.rounds_of(project).exclude(state=Round.State.DRAFT)
    return list(fixed.order_by("-number")[:PAGE])


def imports_of(project: Project) -> list[ImportBatch]:
    """Return the imports that brought answers, the newest first."""
    brought = ImportBatch.objects.filter(
        project=project, kind=ImportKind.ANSWERS, state=ImportBatch.State.APPLIED
    )
    return list(brought.defer("mapping").order_by("-number")[:PAGE])


def fields(project: Project) -> list[str]:
    """Return the names of fields that questions keep, found in the latest of them."""
    latest = Item.objects.seen().filter(project=project).order_by("-pk")
    found: dict[str, None] = {}
    for extra in latest.values_list("extra", flat=True)[:LOOKED_AT]:
        found |= dict.fromkeys(key for key, kept in extra.items() if isinstance(kept, str | list))
    return [one for one in found if one != references.FIELD]


def count(rows: "QuerySet[Response]") -> MeasurableAnswers:
    """Count answers, and those whose question has something to compare them with."""
    return MeasurableAnswers(
        n=rows.count(),
        n_standard=rows.exclude(item__reference="").count(),
        n_texts=rows.filter(item__extra__has_key=references.FIELD).count(),
        n_releases=rows.order_by().values("release").distinct().count(),
    )


ROUND, IMPORT = "round:", "import:"


def over(run: Run) -> str:
    """Return whose answers a run is about, as forms and commands say it."""
    return f"{ROUND}{run.round.number}" if run.round else f"{IMPORT}{run.config['import']}"
