"""The report of a round: everything its page, its file and its JSON say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils.formats import date_format
from django.utils.translation import gettext as _

import evalsite
from annotation.models import Round, RoundItem
from scoring.models import Figure
from scoring.queries import (
    agreement,
    disputes,
    facts,
    methods,
    movement_told,
    pictures,
    plans,
    raters,
    results,
)
from scoring.queries.agreement import Agreement
from scoring.queries.disputes import Disputes
from scoring.queries.methods import Paragraph
from scoring.queries.movement import Shown
from scoring.queries.pictures import Picture
from scoring.queries.plans import Plan
from scoring.queries.raters import Raters
from scoring.queries.reporting import MOVEMENT, Choice
from scoring.queries.results import Result
from scoring.queries.sheet import Sheet
from scoring.queries.sheets import SHEETS, melted
from scoring.queries.sources import Source

RESAMPLES = re.compile(r"(\d+) resamples")
#: Tables that say something of single annotators.
OF_PEOPLE = {"pairs", "without", "disputes", "places", "severity", "steady", "pace", "tempo"}
#: Plots that do.
PICTURES_OF_PEOPLE = {"pairs", "disputes", "severity", "pace", "tempo"}


@dataclass(frozen=True)
class Moved:
    """Why a system's score moved since the earlier round."""

    system: str
    shown: Shown
    told: list[str]
    picture: Picture | None


class Report:
    """Reads the figures that were collected; all of them are ready."""

    def __init__(self, choice: Choice, figures: Mapping[str, Figure]) -> None:
        self.choice = choice
        self.round: Round = choice.mine.round
        self.figures = figures
        self.labels = choice.labels

    def source(self, figure: str) -> Source:
        """Return a figure with the names of this report."""
        data = self.figures[figure].data or {}
        return Source(self.round, data, self.labels, self.choice.mine.names)

    @cached_property
    def result(self) -> Result:
        return self.choice.cut.result(self.figures[results.FIGURE].data or {})

    @property
    def facts(self) -> list[dict[str, str]]:
        return facts.facts(self.result)

    @cached_property
    def agreement(self) -> Agreement:
        return Agreement(self.source(agreement.FIGURE).data, self.labels)

    @cached_property
    def disputes(self) -> Disputes:
        return Disputes(self.source(disputes.FIGURE).data, self.labels)

    @cached_property
    def raters(self) -> Raters:
        return Raters(self.source(raters.FIGURE).data, self.labels, self.choice.mine.names)

    @cached_property
    def plan(self) -> Plan:
        return Plan(self.source(plans.FIGURE).data, self.choice.mine.names)

    @cached_property
    def moved(self) -> list[Moved]:
        """Return the movement of every system of both rounds, by its score."""
        made = []
        for chosen in self.choice.moved:
            data = self.figures[f"{MOVEMENT} {chosen.system.pk}"].data or {}
            shown = Shown(data, "score", None)
            drawn = None if shown.problem else pictures.picture(shown.drawing)
            told = [] if shown.problem else movement_told.sentences(shown)
            made.append(Moved(chosen.system.name, shown, told, drawn))
        return made

    @cached_property
    def pictures(self) -> dict[str, Picture | None]:
        """Return the plots by name; those of single annotators only where they are wanted."""
        wanted = {
            name: kind
            for name, kind in pictures.PICTURES.items()
            if self.choice.with_people or name not in PICTURES_OF_PEOPLE
        }
        return {name: pictures.of(name, self.source(kind.figure)) for name, kind in wanted.items()}

    @property
    def is_partial(self) -> bool:
        """Whether grades that were wanted are missing, or a score leaves a part out."""
        total = self.result.coverage[-1]
        lines = self.result.headline
        return bool(total.missing) or any(line.overall.missing for line in lines)

    @property
    def is_final(self) -> bool:
        return self.round.state == Round.State.FINAL

    @property
    def as_of(self) -> datetime | None:
        """Return when the oldest of its figures was computed."""
        times = [one.ready_at for one in self.figures.values() if one.ready_at]
        return min(times, default=None)

    @cached_property
    def methods(self) -> list[Paragraph]:
        made = [
            methods.of_round(self.round),
            *methods.of_scores(self.source(results.FIGURE).data),
            methods.of_agreement(self.source(agreement.FIGURE).data),
            methods.of_disputes(self.source(disputes.FIGURE).data),
        ]
        if self.choice.with_people:
            made.append(methods.of_raters(self.source(raters.FIGURE).data))
        made.append(methods.of_plan(self.source(plans.FIGURE).data))
        return [*made, methods.of_movement()] if self.choice.before else made

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        """Return what was set, in words: weights, filters, level, seed, whom it is compared with."""
        weights = ", ".join(f"{title} {weight}" for title, weight in self.result.weights)
        changed = self.choice.cut.said()
        filters = "; ".join(f"{title}: {said}" for title, said in changed)
        people = {
            "numbers": _("by number"),
            "names": _("by name"),
            "none": _("left out"),
        }[self.choice.people]
        made = [
            (_("Weights of the capabilities"), weights or "–"),
            (_("Changed for the scores of this report"), filters or _("nothing")),
            (_("Level of the intervals"), f"{self.result.level:.0%}"),
            (_("Seed of the round"), self.round.seed),
            (_("Resamples"), self._resamples()),
            (_("Annotators"), people),
        ]
        if self.choice.before:
            earlier = self.choice.before.round
            made.append((_("Compared with"), f"{earlier.number} · {earlier.name}"))
        return made

    def _resamples(self) -> str:
        """Return how often was resampled, as the methods of the figures say it."""
        methods = {
            _("scores"): self.result.method_of_scores,
            _("agreement"): self.agreement.overall.method,
        }
        found = {title: RESAMPLES.search(said) for title, said in methods.items()}
        return ", ".join(f"{title} {one[1]}" for title, one in found.items() if one) or "–"

    @cached_property
    def counts(self) -> list[tuple[str, int]]:
        found = self.result.counts
        return [
            (_("Grades"), found["grades"]),
            (_("Questions"), found["questions"]),
            (_("Responses"), found["responses"]),
            (_("Annotators"), found["raters"]),
            (_("Systems"), len(self.result.names)),
        ]

    @cached_property
    def versions(self) -> list[tuple[str, str]]:
        """Return what would have to be the same for the same report to come out."""
        made = [
            ("evalsite", evalsite.VERSION),
            (_("Rubrics"), ", ".join(_rubrics(self.round)) or "–"),
            (_("Revision of the results"), str(self.round.revision)),
            (_("Fingerprint of the grades"), self.figures[results.FIGURE].ratings_sha),
            (_("Fingerprint of what was frozen"), self.round.manifest.get("sha") or "–"),
        ]
        dates = (
            (_("Opened"), self.round.opened_at),
            (_("Closed to grading"), self.round.review_at),
            (_("Final"), self.round.final_at),
            (_("Figures computed"), self.as_of),
        )
        return made + [(title, f"{date_format(at, 'j F Y, H:i')} UTC") for title, at in dates if at]

    def sheet(self) -> Sheet:
        """Return every table of the report as one."""
        wanted = [
            kind.make(self.source(kind.figure))
            for name, kind in SHEETS.items()
            if self.choice.with_people or name not in OF_PEOPLE
        ]
        return melted([*self._own(), *wanted])

    def _own(self) -> list[Sheet]:
        """Return the tables of scores, settings and versions."""
        rows = [
            (
                line.name.text,
                line.overall.value,
                line.overall.low,
                line.overall.high,
                line.overall.n_grades,
                line.overall.n_questions,
                line.standing.ranks,
            )
            for line in self.result.headline
        ]
        columns = ("system", "overall", "low", "high", "grades", "questions", "ranks")
        return [
            Sheet("headline", columns, rows, self.result.method_of_scores),
            Sheet("settings", ("setting", "value"), self.settings, ""),
            Sheet("versions", ("of", "value"), self.versions, ""),
        ]


def _rubrics(round_: Round) -> list[str]:
    rows = RoundItem.objects.filter(round=round_, rubric_version__isnull=False).order_by()
    found = rows.values_list("rubric_version__rubric__name", "rubric_version__number").distinct()
    return [f"{name} v{number}" for name, number in sorted(found)]
