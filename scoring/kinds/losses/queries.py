"""Losses as their runs read them: the text of an item, and which of the two kinds it is of.

* Losses of a run as pages and files show them: names in the place of keys.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.http import Http404
from django.utils.translation import gettext as _

from annotation.common import texts as sheets
from annotation.people.permissions import Scope
from annotation.systems.models import Item, SystemRelease
from evalsite.templatetags import ui
from scoring.engine import queries as run_reading
from scoring.engine.models import Run
from scoring.engine.queries import Reading
from scoring.kinds.accuracy import queries as quizzes
from scoring.kinds.contamination.queries import said
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.wording import why

TRAIN, TEST = "train", "test"
SPLITS: Final = (TRAIN, TEST)


def text_of(item: Item) -> str:
    """Return an item as a text that may have been learnt: question, options, and the right answer."""
    question = quizzes.question_of(item)
    if question is None:
        return "\n".join(filter(None, (item.question, item.reference.strip())))
    options = [
        f"{label}. {text}" for label, text in zip(question.labels, question.options, strict=False)
    ]
    return "\n".join([question.text, *options, f"Answer: {question.labels[question.right]}"])


def fits(item: Item) -> bool:
    """Return whether an item has a text of more than one word."""
    return len(text_of(item).split()) > 1


def split_of(config: Mapping[str, Any]) -> dict[int, str]:
    """Return which kind each item of a run is of."""
    return {pk: name for name in SPLITS for pk in config[name]}


FIGURE = "losses"
#: Percent of a text's tokens, the least likely ones, that Min-K% averages; the first is the usual one.
SHARES: Final = (20, 10, 30, 40, 50)
COLUMNS = (
    "system",
    "train_loss",
    "test_loss",
    "difference",
    "low",
    "high",
    "n_train",
    "n_test",
    "min_k_percent",
    "area",
    "area_low",
    "area_high",
    "n_failed",
    "reason",
    "note",
)
Data = Mapping[str, Any]


def share_of(params: Mapping[str, Any]) -> int:
    """Return the percentage that an address or a figure asks for, or the usual one."""
    named = str(params.get("share") or "")
    return int(named) if named in map(str, SHARES) else SHARES[0]


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of losses.

    Raises:
        Http404: there is no such run.
        errors.Refusal: it may not be read now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.LOSSES:
        raise Http404(_("This run measures no losses."))
    return found


@dataclass(frozen=True)
class Board:
    """Losses and Min-K% of every system."""

    data: Data
    reading: Reading

    @cached_property
    def _releases(self) -> Mapping[int, SystemRelease]:
        keys = [one["release"] for one in self.data["systems"]]
        return SystemRelease.objects.select_related("system").in_bulk(keys)

    @property
    def is_empty(self) -> bool:
        found = [one["losses"] for one in self.data["systems"]]
        return not any(one["n_train"] or one["n_test"] for one in found)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Return a row of a table for each system."""
        made = []
        for one in self.data["systems"]:
            found, area = one["losses"], one["area"]
            release = self._releases.get(one["release"])
            made.append(
                {
                    "name": self.reading.name_of(release),
                    "colour": release.system.colour if release else 0,
                    "train": said(found["train"], 3),
                    "test": said(found["test"], 3),
                    "difference": said(found["difference"], 3),
                    "interval": _interval(found),
                    "area": said(area["value"], 3),
                    "area_interval": _interval(area),
                    "n_train": found["n_train"],
                    "n_test": found["n_test"],
                    "n_failed": one["n_failed"],
                    "why": why(found["reason"] or found["interval_reason"]),
                }
            )
        return made

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one plain row for every system."""
        note = banner.of_run(self.reading.run)
        for one in self.data["systems"]:
            found, area = one["losses"], one["area"]
            row = (
                self.reading.name_of(self._releases.get(one["release"])),
                *(found[key] for key in ("train", "test", "difference", "low", "high")),
                found["n_train"],
                found["n_test"],
                self.data["share"],
                *(area[key] for key in ("value", "low", "high")),
                one["n_failed"],
                why(found["reason"] or found["interval_reason"]),
                note,
            )
            yield dict(zip(COLUMNS, row, strict=True))

    def csv_lines(self) -> Iterator[str]:
        yield shown_sheet.as_csv([COLUMNS])
        for one in self.records():
            cells = [sheets.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


def _interval(found: Data) -> str:
    if found["low"] is None or found["high"] is None:
        return ""
    return ui.interval(found["low"], found["high"], 2)
