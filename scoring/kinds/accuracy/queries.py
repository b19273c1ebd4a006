"""Measurements of accuracy as their runs read them: questions of multiple choice and their examples.

* How chosen options become accuracy, as an address says it.
* The accuracy of a run as pages and files show it: names in the place of keys.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common import draws as seeds
from annotation.common import texts
from annotation.files.choices import ANSWER, OPTIONS, SUBJECT
from annotation.people.permissions import Scope
from annotation.systems.models import Item, SystemRelease
from scoring.charts import forest
from scoring.charts.forest import Axis, Row
from scoring.charts.svg import Drawing
from scoring.endpoints import queries as connections
from scoring.engine import queries as run_reading
from scoring.engine.models import Run
from scoring.engine.queries import Reading
from scoring.kinds.accuracy import v1
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews.prompts_v1 import LANGUAGES
from scoring.kinds.interviews.results import Pair, Value, value_of
from scoring.llm.base import Settings
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw

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


Words = str | Promise
MEAN, STRICT, VOTE, OWN = "mean", "strict", "vote", "own"
WRONG, LEFT_OUT = "wrong", "left_out"
RULES: Final[Mapping[str, Words]] = {
    MEAN: _("mean over the orders"),
    STRICT: _("right in every order"),
    VOTE: _("the option chosen most often"),
    OWN: _("the question’s own order alone"),
}
UNREAD: Final[Mapping[str, Words]] = {
    WRONG: _("replies without an option count as wrong"),
    LEFT_OUT: _("replies without an option are left out"),
}
#: What stands in an address, with its usual value first among its choices.
AXES: Final[Mapping[str, Mapping[str, Words]]] = {"rule": RULES, "unread": UNREAD}


@dataclass(frozen=True)
class Options:
    rule: str = MEAN
    unread: str = WRONG

    @property
    def params(self) -> dict[str, str]:
        """Return the axes as an address says them."""
        return {"rule": self.rule, "unread": self.unread}


def of_params(params: Mapping[str, Any]) -> Options:
    """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
    return Options(
        **{
            axis: params[axis] if params.get(axis) in choices else next(iter(choices))
            for axis, choices in AXES.items()
        }
    )


FIGURE = "accuracy"
COLUMNS = (
    "system",
    "dataset",
    "order",
    "accuracy",
    "low",
    "high",
    "n",
    "n_asked",
    "reason",
    "rule",
    "unread",
    "note",
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Data = Mapping[str, Any]


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of accuracy.

    Raises:
        Http404: there is no such run.
        errors.Refusal: it may not be read now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.QUIZ:
        raise Http404(gettext("This run measures no accuracy."))
    return found


@dataclass(frozen=True)
class Board:
    """The accuracy of every system under a rule."""

    data: Data
    options: Options
    reading: Reading

    @cached_property
    def _releases(self) -> Mapping[int, SystemRelease]:
        rows = SystemRelease.objects.select_related("system")
        return rows.in_bulk(self.data["candidates"])

    @cached_property
    def names(self) -> list[str]:
        return [self.reading.name_of(self._releases.get(pk)) for pk in self.data["candidates"]]

    @cached_property
    def marks(self) -> list[int]:
        found = [self._releases.get(pk) for pk in self.data["candidates"]]
        return [one.system.colour if one else 0 for one in found]

    @property
    def is_empty(self) -> bool:
        return not any(one["n"] for one in self.data["facts"])

    @property
    def rule_name(self) -> str:
        return str(RULES[self.options.rule])

    @property
    def unread_name(self) -> str:
        return str(UNREAD[self.options.unread])

    @property
    def n_unread(self) -> int:
        return sum(one["n_unread"] for one in self.data["facts"])

    @property
    def overall(self) -> list[Value]:
        return [value_of(one["overall"]) for one in self.data["accuracy"]]

    @property
    def by_dataset(self) -> list[tuple[str, list[Value]]]:
        """Return each data set, and the mean over them, with the accuracy of every system."""
        sets = [
            (
                name or gettext("No set or capability"),
                [value_of(one["datasets"][place]) for one in self.data["accuracy"]],
            )
            for place, name in enumerate(self.data["datasets"])
        ]
        return [*sets, (gettext("Mean over data sets"), self.overall)] if len(sets) > 1 else sets

    @property
    def by_order(self) -> list[tuple[str, list[Value]]]:
        """Return each order of the options with the accuracy of every system; nothing with one."""
        return [
            (
                gettext("own order") if not place else str(place + 1),
                [value_of(one) for one in values],
            )
            for place, values in enumerate(self.data["orders"])
        ]

    @property
    def pairs(self) -> list[Pair]:
        return [
            Pair(
                self.names[one["left"]],
                self.names[one["right"]],
                value_of(one),
                one["p"],
                one["p_holm"],
            )
            for one in self.data["pairs"]
        ]

    @property
    def facts(self) -> list[dict[str, Any]]:
        return [
            {
                **one,
                "name": name,
                "letters": [(LETTERS[place], n) for place, n in enumerate(one["places"])],
            }
            for name, one in zip(self.names, self.data["facts"], strict=True)
        ]

    def draw(self, narrow: bool) -> Drawing:
        """Draw the accuracy over all data sets, then in each."""
        if self.is_empty:
            raise NothingToDraw
        parts = self.by_dataset[:-1] if len(self.data["datasets"]) > 1 else []
        rows = [
            row for head, values in [("", self.overall), *parts] for row in self._rows(head, values)
        ]
        axis = Axis(0, 100, gettext("Accuracy in percent, 95 % intervals"))
        return forest.forest(rows, axis, label=gettext("Accuracy"), narrow=narrow)

    def _rows(self, head: str, values: list[Value]) -> Iterator[Row]:
        for place, one in enumerate(values):
            yield Row(
                self.names[place],
                one.value,
                one.low,
                one.high,
                note=one.why if one.value is None else f"n {one.n}",
                ordinal=self.marks[place],
                head="" if place else head,
            )

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one plain row for every system × data set, over all data sets, and for every order."""
        named = zip(self.names, self.data["accuracy"], strict=True)
        for name, one in named:
            sets = zip(self.data["datasets"], one["datasets"], strict=True)
            for dataset, found in [("", one["overall"]), *sets]:
                yield self._record(name, dataset, "", value_of(found))
        for place, values in enumerate(self.data["orders"]):
            for name, found in zip(self.names, values, strict=True):
                yield self._record(name, "", str(place + 1), value_of(found))

    def _record(self, name: str, dataset: str, order: str, value: Value) -> dict[str, Any]:
        numbers = (value.value, value.low, value.high, value.n, value.n_held)
        said = (value.why, self.options.rule, self.options.unread)
        note = banner.of_run(self.reading.run)
        return dict(zip(COLUMNS, (name, dataset, order, *numbers, *said, note), strict=True))

    def csv_lines(self) -> Iterator[str]:
        yield shown_sheet.as_csv([COLUMNS])
        for one in self.records():
            cells = [texts.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])
