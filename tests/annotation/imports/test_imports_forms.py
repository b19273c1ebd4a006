import pytest

from annotation.files import columns as targets
from annotation.files import guessing
from annotation.files.columns import Target
from annotation.files.look.layouts import FileColumn
from annotation.imports import forms as imports
from annotation.imports import kind_forms

#: What no single heading can stand for: a column of each system, rater, judge or option.
SEVERAL = {Target.IGNORE, Target.ANSWER, Target.GRADE, Target.SCORE, Target.OPTION}
KINDS = {
    "answers": (imports.LABELS, targets.ANSWERS, guessing.suggest_answers),
    "grades": (imports.LABELS, targets.GRADES, guessing.suggest_grades),
    "questions": (
        kind_forms.QUESTION_LABELS,
        targets.QUESTIONS,
        guessing.suggest_questions,
    ),
    "scores": (kind_forms.SCORE_LABELS, targets.SCORES, guessing.suggest_scores),
    "choices": (kind_forms.LABELS, targets.CHOICES, guessing.suggest_choices),
    "figures": (kind_forms.FIGURE_LABELS, targets.FIGURES, guessing.suggest_figures),
}


class TestLabels:
    @pytest.mark.parametrize("kind", KINDS)
    def test_are_known_as_headings_of_a_file(self, kind):
        labels, offered, suggest = KINDS[kind]
        wanted = [one for one in offered if one not in SEVERAL]

        guesses = suggest([FileColumn(str(labels[one])) for one in wanted])

        assert [guess.target for guess in guesses] == wanted

    @pytest.mark.parametrize("suggest", [guessing.suggest_answers, guessing.suggest_questions])
    def test_are_known_in_any_case(self, suggest):
        [guess] = suggest([FileColumn("subject area")])

        assert guess.target == Target.DOMAIN
