import pytest

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.engine import queries as run_reading
from scoring.kinds.fusion import results as fusion_results
from scoring.kinds.fusion.v1 import Variant
from tests import make
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


@pytest.fixture
def scope():
    return Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))


def board(scope, run):
    return fusion_results.board(run_reading.reading_of(scope, run.number))


class TestBoard:
    def test_has_means_spread_and_what_an_answer_took(self, scope):
        by = connected.endpoint(prompt_price=1000, completion_price=0)
        wish = fused.wish(fused.version(), by=by, batch=fused.scored(), predictions=3)
        run = fused.ran(wish)

        (line,) = board(scope, run).lines

        values = [value for key, value in fused.means(run, Variant.DE).items() if key[2] == "Clear"]
        assert line.whole[0].mean == pytest.approx(sum(values) / 4)
        assert (line.whole[0].n, line.n_samples, line.n_invalid) == (4, 4 * 3 * 2, 0)
        assert (line.spent.n, line.spent.calls) == (4, 3)
        # A thousand for a million tokens.
        assert line.spent.cost == pytest.approx(line.spent.prompt_tokens / 1000)
        assert [name for name, _cells in line.releases] == ["Harbour · 1", "Kestrel · 1"]

    def test_counts_what_could_not_be_read_and_says_why(self, scope):
        by = connected.endpoint(script={"refused": 1.0})
        run = fused.ran(fused.wish(fused.version(), by=by, batch=fused.scored()))

        found = board(scope, run)

        (line,) = found.lines
        assert (line.whole[0].mean, line.whole[0].n, line.whole[0].n_without) == (None, 0, 4)
        assert line.n_invalid == line.n_samples
        assert found.reasons == [("The judge declined.", 8)]

    def test_has_no_cost_where_a_price_is_not_known(self, scope):
        run = fused.ran(fused.wish(fused.version(), batch=fused.scored()))

        assert board(scope, run).lines[0].spent.cost is None
