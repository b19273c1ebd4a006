import numpy as np
import pytest

from scoring.kinds.fusion import figure as combined
from scoring.kinds.fusion import queries as reads
from scoring.stats.machines import aggregation
from tests import make
from tests.scoring import fused, machines, rounds

pytestmark = pytest.mark.django_db


class TestCombine:
    def test_is_the_statistic_over_the_shares_of_declared_ranges(self):
        batch = fused.scored()
        run = fused.combined(
            fused.mixed(fused.version("overlap", "entailment"), ("AVG",), batch=batch)
        )

        found = combined.combine(run, "AVG", "clear")

        overlap, entailment = np.array([0.9, 0.2, 0.7, 0.1]), np.array([0.1, 0.8, np.nan, 0.95])
        expected = aggregation.average({"overlap": overlap, "entailment": entailment}).values
        assert found.values == pytest.approx(
            [None if np.isnan(one) else one for one in expected], nan_ok=True
        )
        assert (found.reason, found.left_out) == ("", ())

    def test_leaves_an_evaluator_of_an_open_range_out_by_name(self):
        batch = fused.scored()
        declared = machines.Machine("words")
        machines.brought("item,system,words\nQ1,Kestrel,4\n", declared=(declared,))
        known = {one.label: one.helper for one in reads.assistants(make.project())}
        helpers = (*fused.helpers("overlap"), known["words"])
        run = fused.combined(fused.mixed(fused.version(helpers=helpers), ("AVG",), batch=batch))

        found = combined.combine(run, "AVG", "clear")

        assert found.left_out == ("words",)
        assert None not in found.values

    def test_says_that_there_is_nothing_to_weigh_by(self):
        round_ = rounds.graded(n_items=1)
        machines.scored(round_)
        wish = fused.mixed(fused.version("overlap"), ("CORRW",), round=round_, people=round_)

        found = combined.combine(fused.combined(wish), "CORRW", "clear")

        assert set(found.values) == {None}
        assert found.reason.startswith("Weights from other questions")
