"""The report of a round of pairs: who was preferred, in the place of scores."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from annotation.common.sentences import gettext as _
from scoring.figures.models import Figure
from scoring.report import queries
from scoring.report.queries import ReportChoice, ReportParagraph, RoundReport
from scoring.results import agreement, facts, plan
from scoring.results.agreement import AgreementFigure
from scoring.results.facts import ResultFact
from scoring.results.preferred.board import PreferenceBoard
from scoring.results.queries import PREFERENCES
from scoring.shown.sheet import Sheet
from scoring.stats.claims import Claim
from scoring.stats.preferences.said import PreferencesFigure
from scoring.stats.scores.said import PlanFigure


def report_of(choice: ReportChoice, figures: Mapping[str, Figure]) -> RoundReport:
    """Return the report of a round, whichever kind of round it is."""
    make = ReportOfPairs if choice.mine.round.of_pairs else RoundReport
    return make(choice, figures)


class ReportOfPairs(RoundReport):
    """Reads the figures of a round of pairs; all of them are ready."""

    main = PREFERENCES
    is_of_pairs = True

    @cached_property
    def boards(self) -> list[PreferenceBoard]:
        """Return what each criterion came to."""
        data = self.figures[PREFERENCES].data or {}
        found = self.source(PREFERENCES).read(PreferencesFigure)
        keys = [one.criterion for one in found.criteria] or [""]
        return [self._board(data, key) for key in keys]

    @property
    def board(self) -> Any:
        return self.boards[0]

    @property
    def result(self) -> Any:
        return self.boards[0]

    @property
    def raters(self) -> Any:
        return None

    def _board(self, data: Mapping[str, object], key: str) -> PreferenceBoard:
        return PreferenceBoard(self.choice.cut, data, {"criterion": key}, Claim.OTHERS)

    @property
    def title(self) -> str:
        return self.boards[0].title

    @property
    def subtitle(self) -> str:
        return self.boards[0].subtitle

    @property
    def is_empty(self) -> bool:
        return all(one.is_empty for one in self.boards)

    @property
    def facts(self) -> list[ResultFact]:
        first = self.boards[0]
        found = [
            facts.chosen(first.n_questions, first.based_on, ""),
            facts.agreed(self.agreement.overall.alpha),
            facts.disputed(len(self.disputes.questions)),
        ]
        return found + ([facts.share_of(*first.covered)] if first.covered else [])

    @property
    def planned(self) -> tuple[int, int] | None:
        """Return how many of the choices that were planned are missing, and how many were planned."""
        known = [one.covered for one in self.boards if one.covered]
        if not known:
            return None
        wanted = sum(wanted for _n, wanted in known)
        return wanted - sum(n for n, _wanted in known), wanted

    @property
    def is_partial(self) -> bool:
        return bool(self.planned and self.planned[0])

    @cached_property
    def methods(self) -> list[ReportParagraph]:
        found = self.source(PREFERENCES).read(PreferencesFigure)
        said = dict.fromkeys(one.method for one in found.criteria if one.method)
        told = [
            queries.of_round(self.round),
            *(ReportParagraph(_("Preferences"), queries.sentence(one)) for one in said),
            self._agreed(),
            ReportParagraph(
                _("Disputes"),
                _("Annotator in dispute: %(rater)s. Question in dispute: %(question)s.")
                % {
                    "rater": self.disputes.rule_of_raters,
                    "question": self.disputes.rule_of_questions,
                },
            ),
        ]
        return [*told, queries.of_plan(self.source(plan.FIGURE).read(PlanFigure))]

    def _agreed(self) -> ReportParagraph:
        found = self.source(agreement.FIGURE).read(AgreementFigure).overall
        names = [queries.COEFFICIENTS[one.name] for one in found.coefficients]
        said = _("Unit: two answers on a criterion, turned to one side. Coefficients: %(names)s.")
        told = said % {"names": ", ".join(names)}
        return ReportParagraph(_("Agreement"), f"{told} {queries.sentence(found.method)}")

    @property
    def _set(self) -> list[tuple[str, str]]:
        return []

    @property
    def level(self) -> float:
        return self.boards[0].data.level

    @property
    def method_of_result(self) -> str:
        return ""

    @cached_property
    def counts(self) -> list[tuple[str, int]]:
        found = [one.of for one in self.boards if one.of]
        return [
            (_("Choices"), sum(one.n for one in found)),
            (_("Questions"), max((one.n_questions for one in found), default=0)),
            (_("Pairs of answers"), max((one.n_answers for one in found), default=0)),
            (_("Annotators"), max((one.n_raters for one in found), default=0)),
            (_("Systems"), len(self.boards[0].names)),
        ]

    def _headline(self) -> list[Sheet]:
        return []
