"""Measurements of accuracy as their runs read them: questions of multiple choice and their examples.

* How chosen options become accuracy, as an address says it.
* The accuracy of a run as pages and files show it: names in the place of keys.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.common import draws as seeds
from annotation.common import texts
from annotation.files.choices import ANSWER, OPTIONS, SUBJECT
from annotation.systems.models import Item
from scoring.endpoints import queries as connections
from scoring.engine.models import Run
from scoring.kinds.accuracy import v1
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews.prompts_v1 import LANGUAGES
from scoring.llm.base import Settings

PAGE: Final = 500
#: Where examples are looked for, one after the other: the question's subject, its set, all there are.
Place = tuple[str, str]


def question_of(item: Item) -> v1.Question | None:
    """Return an item as a question of multiple choice; None if it is none."""
    options, right = item.extra.get(OPTIONS), str(item.extra.get(ANSWER) or "")
    if not isinstance(options, dict) or len(options) < 2 or right not in options:
        return None
    asked = [one for one in item.messages if one.get("role") == "user"] or item.messages
    return v1.Question(
        key=f"{item.external_id}/{item.pk}",
        text=texts.spoken(asked[-1]) if asked else "",
        options=tuple(str(one) for one in options.values()),
        right=list(options).index(right),
        labels=tuple(str(one) for one in options),
    )


def fits(item: Item) -> bool:
    """Return whether an item has options, and it is known which is right."""
    return question_of(item) is not None


def place_of(item: Item) -> Place:
    """Return data set and subject, by which examples are chosen."""
    return interviews.dataset_of(item), str(item.extra.get(SUBJECT) or "")


def examples_of(items: Iterable[Item], *, shots: int, seed: int) -> list[dict[str, Any]]:
    """Return the examples of each data set and subject, by lot; with few, those there are."""
    known: dict[Place, list[tuple[str, int]]] = defaultdict(list)
    for one in items:
        rank = seeds.rank_key(f"examples {seed}", f"{one.external_id}\n{one.pk}")
        known[place_of(one)].append((rank, one.pk))
    return [
        {"dataset": dataset, "subject": subject, "items": [pk for _r, pk in sorted(rows)[:shots]]}
        for (dataset, subject), rows in sorted(known.items())
    ]


def examples_for(item: Item, config: Mapping[str, Any]) -> list[int]:
    """Return the keys of a question's examples: of its subject, else of its set, else of any."""
    dataset, subject = place_of(item)
    groups: Sequence[Mapping[str, Any]] = config.get("examples") or ()
    of_set = [one for one in groups if one["dataset"] == dataset]
    of_subject = [one for one in groups if subject and one["subject"] == subject]
    both = [one for one in of_subject if one["dataset"] == dataset]
    chosen = both or of_subject or of_set or groups
    flat = [pk for one in chosen for pk in one["items"]]
    return flat[: config.get("shots", 0)]


def shown(item: Item, found: Mapping[int, Item], config: Mapping[str, Any]) -> list[v1.Question]:
    """Return the examples that go before a question; never the question itself under another name."""
    chosen = [found[pk] for pk in examples_for(item, config) if pk in found]
    asked = [question_of(one) for one in chosen if one.prompt_sha != item.prompt_sha]
    return [one for one in asked if one is not None]


def pool(config: Mapping[str, Any]) -> Mapping[int, Item]:
    """Return every example of a run by its key."""
    keys = [pk for one in config.get("examples") or () for pk in one["items"]]
    return Item.objects.select_related("capability").in_bulk(keys)


def config_of(
    config: Mapping[str, Any], item: Item, settings: Mapping[str, Any] | None = None
) -> v1.Config:
    """Return how a question is asked of a candidate with these parameters of its own."""
    manner = connections.manner_of(settings or {})
    own = manner.settings
    language = config["language"]
    return v1.Config(
        orders=config["orders"],
        language=language if language in LANGUAGES else interviews.language_of(item.question),
        system=manner.system_prompt,
        settings=Settings(
            temperature=v1.BRIEF.temperature if own.temperature is None else own.temperature,
            top_p=own.top_p,
            max_tokens=own.max_tokens or v1.BRIEF.max_tokens,
            stop=own.stop,
        ),
    )


def items_of(run: Run) -> Iterator[Item]:
    """Yield the drawn items in their order."""
    return interviews.items_of(run)
