from fractions import Fraction

from annotation.rounds.models import Round
from scoring.report import queries as methods
from scoring.stats.claims import Claim, ClaimCoverage, CoverageRow, RankedView, ScoresFigure
from scoring.stats.people.said import AgreementTogether, DisputeRules, MeanCoefficient

RULES = DisputeRules("median", "share", 2, 0.4, 2, Fraction(1, 2), Fraction(0))
NONE = (None,) * 5


class TestParagraphs:
    def test_say_how_many_graded_and_what_was_flattened(self):
        said = methods.of_round(Round(n_seats=3, uniform_rendering=True)).text

        assert "for 3 annotators, blind" in said
        assert "flattened" in said

    def test_say_that_imported_grades_are_of_unknown_making(self):
        assert "Imported" in methods.of_round(Round(kind="IMPORTED")).text

    def test_repeat_what_the_figures_followed(self):
        nothing = CoverageRow(None, None, None, 0, 0, 0, 0, None)
        found = ScoresFigure(
            level=0.95,
            claim=Claim.THESE,
            margin=0.05,
            counts={},
            methods={"score.overall": "sum over sum"},
            method_of_ranks="holm",
            capabilities=(),
            usual=RankedView((), (), (), {}),
            views={},
            pieces=(),
            widest=None,
            coverage=ClaimCoverage((), nothing),
        )

        score, ranks = methods.of_scores(found)  # nothing is said of accuracy, so it has no line

        assert (score.title, score.text) == ("Score", "Sum over sum.")
        assert ranks.text.endswith(" Holm.")

    def test_name_the_coefficients_there_are(self):
        names = [MeanCoefficient(name, *NONE, 0, 0) for name in ("ac1", "new")]

        said = methods.of_agreement(AgreementTogether(0, 0, 0, 0, 0, 0, tuple(names), "m")).text

        assert "Gwet’s AC1 (2008), new;" in said

    def test_name_the_rules_that_were_used(self):
        said = methods.of_disputes(RULES).text

        assert "far from the median of the others" in said
        assert "by 1/2 and grades that stand alone by 0" in said
