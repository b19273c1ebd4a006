from types import SimpleNamespace

from scoring.figures.labels import Labels
from scoring.watching.queries import Signals, percent

QUIET = {"n": 30, "alarm": False, "false_alarm": 0.01, "se": 0.001}
LOUD = {**QUIET, "alarm": True}


def read(looks=None, **rows):
    """Return the signals of raters 1, 2, …, each a word of which are raised."""
    data = {
        "raters": [
            {
                "rater": n,
                "gold": LOUD if "gold" in raised else QUIET,
                "drift": None,
                "retest": None,
                "pace": LOUD if "pace" in raised else QUIET,
            }
            for n, raised in enumerate(rows.values(), start=1)
        ]
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
