import pytest

from scoring.engine import calls_read as run_compare
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def key(response, criterion="accuracy"):
    return (response, criterion, "RESPONSE", None)


class TestAgreement:
    def test_counts_what_both_have(self):
        a = {key(1): 4.0, key(2): 2.0, key(3): 1.0}
        b = {key(1): 4.0, key(2): 3.0, key(4): 5.0}

        [line] = run_compare.agreement(a, b)

        assert (line.n, line.n_same, line.n_only_a, line.n_only_b) == (2, 1, 1, 1)
        assert (line.mean_difference, line.mean_distance) == (0.5, 0.5)
        assert line.share_same == 50

    def test_has_a_line_for_all_before_those_of_each_criterion(self):
        a = {key(1): 4.0, key(1, "style"): 2.0}
        b = {key(1): 3.0, key(1, "style"): 3.0}

        lines = run_compare.agreement(a, b)

        assert [(one.criterion, one.mean_difference) for one in lines] == [
            ("", 0.0),
            ("accuracy", -1.0),
            ("style", 1.0),
        ]

    def test_has_nothing_to_say_where_one_run_has_no_values(self):
        assert run_compare.agreement({key(1): 1.0}, {}) == []

    def test_says_of_no_common_response_that_nothing_is_known(self):
        [line] = run_compare.agreement({key(1): 1.0}, {key(2): 1.0})

        assert line.n == 0
        assert line.mean_difference is line.share_same is None


class TestCompare:
    def test_hides_judgments_until_the_round_is_final(self):
        a, b = run_rows.run(round=make.open_round()), run_rows.run()

        found = run_compare.compare(a, b, make.NOW)

        assert found.is_hidden
        assert found.agreement == []

    def test_finds_nothing_different_between_equals(self):
        found = run_compare.compare(run_rows.run(), run_rows.run(), make.NOW)

        assert list(found.differences) == []
        assert found.n_same > 3
