import pytest

from scoring.kinds.suites import figure as suite_gates
from scoring.kinds.suites.queries import Frame
from tests.scoring import suites

pytestmark = pytest.mark.django_db


def verdicts(gate, *, baseline=None, number=1, talks=suites.TALKS):
    text = f"{suites.SUITE}gates: [{gate}]\n".replace("Drivers", f"Drivers {number}")
    home = suites.brought(suites.lines(talks), name=f"Talks {number}")
    run = suites.done(suites.requested(suites.saved(text), home, number=number))
    return suite_gates.verdicts(Frame(run), suite_gates.baseline_or_none(baseline)), run


class TestVerdicts:
    @pytest.mark.parametrize(
        ("gate", "passed", "said"),
        [
            ("{metric: string_length, max: 24}", True, ""),
            ("{metric: string_length, max: 20}", False, "23.4 is above 20"),
            ("{metric: string_length, min: 24}", False, "23.4 is below 24"),
            ("{metric: string_length, statistic: p98, max: 37}", False, "37.52 is above 37"),
            ("{metric: string_length, statistic: min, min: 7}", True, ""),
            ("{metric: string_length, statistic: sd, max: 13}", True, ""),
            ("{metric: string_length, role: assistant, min: 30}", True, ""),
            ("{metric: is_role, value: assistant, level: Turn, max: 0.4}", True, ""),
            ("{metric: string_length, level: Message, max: 1}", False, "nothing has a value"),
            ("{metric: string_length, max: 30, confidence: 0.95}", False, "too few conversations"),
            ("{metric: string_length, max_drop: 1}", False, "there is no baseline"),
        ],
    )
    def test_hold_a_statistic_against_its_bounds(self, gate, passed, said):
        (found,), _run = verdicts(gate)

        assert found.passed is passed
        assert said in found.said

    def test_hold_the_end_of_an_interval_from_four_conversations_on(self):
        talks = [{**one, "id": f"{one['id']}-{n}"} for one in suites.TALKS for n in range(2)]

        (found,), _run = verdicts("{metric: string_length, max: 30, confidence: 0.95}", talks=talks)

        assert found.said.startswith("upper limit ")

    def test_compare_with_a_baseline(self):
        shorter = [{**one, "messages": [{"role": "user", "content": "Hi"}]} for one in suites.TALKS]
        _found, before = verdicts("{metric: string_length, max: 99}")

        (found,), _run = verdicts(
            "{metric: string_length, max_drop: 10}", baseline=before, number=2, talks=shorter
        )

        assert not found.passed
        assert found.said == "2 is more than 10 below 23.4 of the baseline"

    def test_say_where_an_interval_needs_more_conversations(self):
        (found,), _run = verdicts(
            "{metric: string_length, max: 99, confidence: 0.95}", talks=suites.TALKS[:1]
        )

        assert not found.passed
        assert "too few conversations" in found.said
