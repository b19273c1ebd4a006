import pytest

from scoring.kinds.contamination import queries as contamination_options
from tests import imports, make
from tests.scoring import interviewed, quizzed

pytestmark = pytest.mark.django_db


class TestAxes:
    def test_are_first_answers_runs_of_accuracy_and_figures(self):
        quizzed.questions(2)
        run = quizzed.requested()
        imports.apply(imports.figures())

        keys = [key for key, _name in contamination_options.axes(make.project())]

        assert keys == ["first", f"run:{run.number}", "figure:MT-Bench", "figure:accuracy"]


class TestOfParams:
    @pytest.mark.parametrize(
        ("axis", "found"),
        [
            ("run:3", "run:3"),
            ("figure:MT-Bench", "figure:MT-Bench"),
            ("x", "first"),
            (None, "first"),
        ],
    )
    def test_takes_the_usual_for_what_it_does_not_know(self, axis, found):
        assert contamination_options.of_params({"axis": axis}).axis == found

    def test_keeps_the_profile(self):
        profile = contamination_options.of_params({"scale": "released", "aspect": "logic"}).profile

        assert (profile.profile.scale, profile.aspect) == ("released", "logic")


class TestUsualAxis:
    def test_are_right_first_answers_where_any_is_known(self):
        assert contamination_options.usual_axis(interviewed.held()) == "first"

    def with_figures(self, rows):
        run = interviewed.requested()
        for name in ("Kestrel 4", "Harbour 70B"):
            make.release(name)
        imports.apply(imports.figures("system,figure,dataset,value\n" + rows))
        return run

    def test_is_a_figure_of_all_data_sets_where_no_first_answer_is_known(self):
        run = self.with_figures("Kestrel,dock,Quay,1\nOsprey,exam,,2\n")

        assert contamination_options.usual_axis(run) == "figure:exam"

    def test_is_the_figure_that_most_of_its_systems_have(self):
        rows = "Kestrel,exam,,1\nKestrel,test,,2\nOsprey,test,,3\n"

        assert contamination_options.usual_axis(self.with_figures(rows)) == "figure:test"

    def test_is_no_figure_of_systems_that_were_not_interviewed(self):
        run = self.with_figures("Kestrel 4,exam,,1\nHarbour 70B,exam,,2\n")

        assert contamination_options.usual_axis(run) == "first"

    def test_are_first_answers_where_there_is_nothing_at_all(self):
        assert contamination_options.usual_axis(interviewed.requested()) == "first"


class TestVersion:
    def test_changes_with_figures_and_with_replies(self):
        interviewed.candidates()
        quizzed.questions(1)
        quiz = quizzed.requested()
        axis = f"run:{quiz.number}"
        first = contamination_options.version(quiz, axis)

        interviewed.done(quiz)
        second = contamination_options.version(quiz, axis)
        imports.apply(imports.figures())
        third = contamination_options.version(quiz, axis)

        assert len({first, second, third}) == 3
