"""What a suite's run came to, as its page and the API show it; and the parts behind a figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.db.models import F, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import SystemRelease
from annotation.permissions import Scope
from evalsite import keyset
from scoring.models import Conversation, Judgment, Run
from scoring.queries import run_reading, suite_frame
from scoring.queries.run_reading import Reading
from scoring.queries.suite_frame import Frame

FIGURE: Final = "suite"
SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a conversation behind a figure."""

    judgment: Judgment
    conversation: Conversation | None
    release: str
    role: str
    turn: int | None

    @property
    def shown(self) -> str:
        if self.judgment.value is None:
            return self.judgment.reason
        return f"{self.judgment.value:.6g}"


@dataclass(frozen=True)
class Board:
    """A run's figures with the names of its releases."""

    data: Mapping[str, Any]
    run: Run

    @cached_property
    def names(self) -> Mapping[int, str]:
        keys = {each["release"] for one in self.data["series"] for each in one["releases"]}
        rows = SystemRelease.objects.filter(pk__in=keys).select_related("system")
        return {one.pk: str(one) for one in rows}

    @property
    def series(self) -> list[dict[str, Any]]:
        return [self._shown(one) for one in self.data["series"]]

    @property
    def gates(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.data["gates"]
        return found

    @property
    def percentiles(self) -> list[str]:
        """Return the heads of the columns of percentiles, in the order of scoring.stats.distributions."""
        return [_("%(n)d %%") % {"n": one} for one in (5, 25, 50, 75, 95, 98)]

    @property
    def silent(self) -> list[str]:
        """Return the metrics of a finished run that measured nothing anywhere, with their levels.

        They have no line of their own: a count of tokens, say, where no message came with its tokens.
        """
        if self.run.state != Run.State.DONE or self.data["n_left_out"]:
            return []
        heard = {(one["rater"], one["level"]) for one in self.data["series"]}
        return [
            f"{one.key} ({one.level.value})"
            for rater, one in Frame(self.run).entries.items()
            if (rater, one.level.value) not in heard
        ]

    @property
    def n_failed(self) -> int:
        return sum(not one["passed"] for one in self.gates)

    def _shown(self, one: Mapping[str, Any]) -> dict[str, Any]:
        found = [each["distribution"] for each in one["releases"] if each["distribution"]]
        low = min((each["minimum"] for each in found), default=0)
        high = max((each["maximum"] for each in found), default=1)
        return {
            **one,
            "start": low,
            "end": high if high > low else low + 1,
            "releases": [self._named(each) for each in one["releases"]],
            "roles": [self._named(each) for each in one["roles"]],
            "turns": self._turns(one["turns"]),
            "turn_releases": [self.names.get(key, "") for key in _releases(one["turns"])],
            "pairs": [
                each
                | {
                    "left": self.names.get(each["left"], ""),
                    "right": self.names.get(each["right"], ""),
                }
                for each in one["pairs"]
            ],
            "before": [self._named(each) for each in one["before"]],
        }

    def _named(self, each: Mapping[str, Any]) -> dict[str, Any]:
        return {**each, "name": self.names.get(each["release"], "")}

    def _turns(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return a line for each turn number, a cell for each release."""
        releases = _releases(rows)
        cells = {(row["of"], row["release"]): row for row in rows}
        return [
            {"number": turn + 1, "cells": [cells.get((turn, one)) for one in releases]}
            for turn in sorted({row["of"] for row in rows})
        ]


def _releases(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    return sorted({row["release"] for row in rows})


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of a suite.

    Raises:
        Http404: there is no such run, or it is of another kind.
        errors.Refusal: this person may not read it now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.SUITE:
        raise Http404(_("This run evaluates no suite."))
    return found


def version(run: Run) -> str:
    """Return what changes whenever the figures of the run do."""
    return f", {suite_frame.judgments_of(run).count()} judgments"


def baselines(run: Run) -> "QuerySet[Run]":
    """Return the finished runs of suites that the run can be compared with, newest first."""
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.SUITE, state=Run.State.DONE)
    return rows.exclude(pk=run.pk).order_by("-number")


def baseline(run: Run, given: str) -> Run | None:
    """Return the run whose number was given, if the run can be compared with it."""
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    return baselines(run).filter(number=int(given)).first()


def judgments(run: Run, *, rater: int, name: str, release: int | None, only: str) -> Any:
    """Return the judgments behind a figure; `only` is "without" for those without a value."""
    rows = suite_frame.judgments_of(run).filter(rater=rater, criterion__name=name)
    if release is not None:
        rows = rows.filter(response__release=release)
    return rows.filter(value__isnull=True) if only == "without" else rows


def page(rows: Any, *, after: str, down: bool) -> "keyset.Page[Judgment]":
    """Return a page of judgments by value; those without one by their order."""
    rows = rows.select_related("criterion")
    if not rows.filter(value__isnull=False).exists():
        return keyset.page(rows, by=["pk"], after=after, size=SIZE)
    scored = rows.filter(value__isnull=False)
    return _by_value(scored, after=after, down=down)


def _by_value(rows: Any, *, after: str, down: bool) -> "keyset.Page[Judgment]":
    """Return a page by value and key: values are binary numbers, which a key writes as text."""
    last = keyset.read(after, 2)
    step = "lt" if down else "gt"
    if last is not None:
        try:
            value = float(last[0])
        except ValueError:
            last = None
        else:
            beyond = rows.filter(**{f"value__{step}": value})
            rows = beyond | rows.filter(value=value, **{f"pk__{step}": last[1]})
    order = (F("value").desc(), "-pk") if down else (F("value").asc(), "pk")
    found = list(rows.order_by(*order)[: SIZE + 1])
    shown = found[:SIZE]
    key = None
    if len(found) > SIZE:
        key = keyset.write([repr(shown[-1].value), shown[-1].pk])
    return keyset.Page(rows=shown, after=key, first=last is None)


def parts(run: Run, found: Sequence[Judgment]) -> list[Part]:
    """Return the judgments of a page with their conversations, roles and turns."""
    responses = {one.response_id for one in found}
    rows = Conversation.objects.filter(response__in=responses, set__in=run.config["sets"])
    by_response = {
        row.response_id: row
        for row in rows.select_related("response__release__system").defer("text")
    }
    places = {
        response: suite_frame.places_of(suite_frame.read(row))
        for response, row in by_response.items()
    }
    return [_part(one, by_response.get(one.response_id), places) for one in found]


def _part(one: Judgment, row: Conversation | None, places: Mapping[int, Any]) -> Part:
    known = places.get(one.response_id, {}).get(one.target_level, [])
    place = one.target_index or 0
    role, turn = known[place] if place < len(known) else ("", None)
    release = str(row.response.release) if row is not None else ""
    return Part(one, row, release, role, turn)


def named(run: Run, rater: int) -> str:
    """Return what a rater of the run is called.

    Raises:
        Http404: it is none of the run's.
    """
    frame = Frame(run)
    if rater not in frame.entries:
        raise Http404(_("This run has no such metric."))
    judge = frame.judges.get(rater, "")
    return f"{frame.entries[rater].key} · {judge}" if judge else frame.entries[rater].key


def records(board: Board) -> Iterator[dict[str, Any]]:
    """Yield a plain row for every metric, level and release."""
    for one in board.series:
        for each in one["releases"]:
            found = each["distribution"]
            yield {
                "metric": one["metric"],
                "name": one["name"],
                "level": one["level"],
                "release": each["name"],
                "n": found["n"] if found else 0,
                "without_value": each["n_without"],
                "mean": found["mean"] if found else None,
                "low": found["low"] if found else None,
                "high": found["high"] if found else None,
                "percentiles": found["percentiles"] if found else None,
            }
