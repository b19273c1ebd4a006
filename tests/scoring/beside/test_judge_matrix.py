import pytest

from scoring.beside.board import JudgeMatrix
from tests.scoring import beside_people
from tests.scoring.beside.test_judge_board import made

pytestmark = pytest.mark.django_db


@pytest.fixture(name="found")
def _found():
    beside_people.world()
    return made("judge_pairs")


class TestMatrix:
    def test_sets_every_judge_against_every_other_one(self, found):
        matrix = JudgeMatrix(*found)

        assert (matrix.sign, matrix.criterion) == ("r", "coh")
        assert matrix.names == ["good", "guess", "rouge"]
        values = [[one and one.value for one in figures] for _name, figures in matrix.rows]
        assert [values[n][n] for n in range(3)] == [None] * 3
        assert values[0][2] == values[2][0] > 0.5

    def test_names_the_surest_difference_first(self, found):
        matrix = JudgeMatrix(*found)
        ps = [one.p_holm or 0 for one in matrix.tests]

        assert len(matrix.tests) == 3
        assert ps == sorted(ps)
        assert "guess" in (matrix.tests[0].left_name, matrix.tests[0].right_name)
        assert len(matrix.methods) == 2

    def test_says_why_a_test_cannot_be_made(self, found):
        data, options = found
        for one in data["compared"]:
            one["permutation"] |= {"p": None, "p_holm": None, "reason": "few_pairs"}

        assert {one.why for one in JudgeMatrix(data, options).tests} == {"Too few common values."}

    def test_has_no_tests_of_a_single_judge(self, found):
        one = made("judge_pairs", f"judge={beside_people.judge('good')}")

        assert (JudgeMatrix(*one).tests, JudgeMatrix(*one).methods) == ([], [])


class TestTables:
    def test_have_a_row_for_every_two_judges(self, found):
        assert len(list(JudgeMatrix(*found).pairs)) == 3 * 4
        assert len(JudgeMatrix(*found).tests) == 3
