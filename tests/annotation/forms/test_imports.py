import pytest

from annotation.forms import (
    choice_imports,
    figure_imports,
    imports,
    question_imports,
    score_imports,
)
from annotation.rules.tabular import targets
from annotation.rules.tabular.layouts import Column
from annotation.rules.tabular.targets import Target

#: What no single heading can stand for: a column of each system, rater, judge or option.
SEVERAL = {Target.IGNORE, Target.ANSWER, Target.GRADE, Target.SCORE, Target.OPTION}
KINDS = {
    "answers": (imports.LABELS, targets.ANSWERS, targets.suggest_answers),
    "grades": (imports.LABELS, targets.GRADES, targets.suggest_grades),
    "questions": (question_imports.LABELS, targets.QUESTIONS, targets.suggest_questions),
    "scores": (score_imports.LABELS, targets.SCORES, targets.suggest_scores),
    "choices": (choice_imports.LABELS, targets.CHOICES, targets.suggest_choices),
    "figures": (figure_imports.LABELS, targets.FIGURES, targets.suggest_figures),
}


class TestLabels:
    @pytest.mark.parametrize("kind", KINDS)
    def test_are_known_as_headings_of_a_file(self, kind):
        labels, offered, suggest = KINDS[kind]
        wanted = [one for one in offered if one not in SEVERAL]

        guesses = suggest([Column(str(labels[one])) for one in wanted])

        assert [guess.target for guess in guesses] == wanted

    @pytest.mark.parametrize("suggest", [targets.suggest_answers, targets.suggest_questions])
    def test_are_known_in_any_case(self, suggest):
        [guess] = suggest([Column("subject area")])

        assert guess.target == Target.DOMAIN
