from types import SimpleNamespace

from scoring.figures.labels import Labels
from scoring.watching.queries import Signals, percent
from tests.scoring.signals import CHANCES, SETTINGS

GOLD = {"n": 30, "n_right": 20, "at": None, **CHANCES}
PACE = {"n": 30, "n_hits": 3, "expected": 3.0, "chance": 0.4, "false_alarm": 0.01}


def read(looks=None, **rows):
    """Return the signals of raters 1, 2, …, each a word of which are raised."""
    data = {
        "raters": [
            {
                "rater": n,
                "gold": {**GOLD, "alarm": "gold" in raised},
                "drift": None,
                "retest": None,
                "pace": {**PACE, "alarm": "pace" in raised},
            }
            for n, raised in enumerate(rows.values(), start=1)
        ],
        **SETTINGS,
    }
    return Signals(data, Labels({}, {}, {"1": "Annotator 1", "2": "Annotator 2"}), looks or {})


class TestSignals:
    def test_put_those_first_who_need_a_look(self):
        found = read(first="", second="gold pace")

        assert [one.rater for one in found.lines] == [2, 1]
        assert found.n_to_look_at == 1
        assert found.lines[0].because == "gold:30,pace:30"

    def test_let_go_whom_somebody_looked_into_until_another_signal_is_raised(self):
        seen = {2: SimpleNamespace(because={"gold": 20})}

        assert read(seen, first="", second="gold").n_to_look_at == 0
        assert read(seen, first="", second="gold pace").n_to_look_at == 1

    def test_say_chances_in_percent(self):
        assert read(first="").lines[0].shown["gold"]["false_alarm"] == percent(0.01) == "1.0 %"
