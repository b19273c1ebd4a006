from typing import Any

import pytest

from scoring.kinds.suites import figure
from tests import make
from tests.scoring import suites

pytestmark = pytest.mark.django_db


def series_of(run) -> list[Any]:
    found: Any = figure.compute(run)
    return list(found["series"])


def series(run: Any) -> list[dict[str, Any]]:
    made: Any = figure.compute(run)
    return list(made["series"])


class TestCompute:
    def test_describes_every_metric_by_release_role_and_turn(self):
        run = suites.done(suites.requested())

        length, role = series_of(run)

        assert (length["metric"], length["level"]) == ("string_length", "Turn")
        (release,) = length["releases"]
        assert (release["n"], release["n_without"]) == (5, 0)
        assert release["distribution"]["mean"] == 23.4
        assert [(one["of"], one["n"]) for one in length["roles"]] == [("assistant", 2), ("user", 3)]
        assert [(one["of"], one["n"]) for one in length["turns"]] == [(0, 2), (1, 2), (2, 1)]
        assert role["name"] == "assistant"

    def test_counts_labels_and_what_has_no_value(self):
        text = "metrics: {function: [{name: identity, metric_level: Turn}, {name: latency}]}"
        run = suites.done(suites.requested(suites.saved(text)))

        label, latency = series_of(run)

        assert ["Thanks!", 1] in label["labels"]
        assert latency["releases"][0]["distribution"] is None
        assert latency["releases"][0]["reasons"] == [
            {"outcome": "UNSCORED", "reason": "There is nothing to measure.", "n": 5}
        ]

    def test_pairs_releases_by_conversation(self):
        home = suites.brought()
        longer = suites.lines(
            {**one, "messages": [*one["messages"], {"role": "user", "content": "And so on."}]}
            for one in suites.TALKS
        )
        suites.brought(longer, release="2")
        run = suites.done(suites.requested(suites.saved(), home))

        (pair,) = series_of(run)[0]["pairs"]

        assert pair["less"]["n"] == 2
        assert pair["less"]["value"] is not None


class TestBaselineOf:
    def test_refuses_a_run_that_is_not_there(self):
        with pytest.raises(ValueError, match="no run 9"):
            figure.baseline_of(make.project(), 9)


class TestLines:
    def test_say_why_there_is_no_value(self):
        text = "metrics: {function: [{name: latency}]}"
        run = suites.done(suites.requested(suites.saved(text)))

        assert "no value: There is nothing to measure." in list(figure.lines(run))[1]
