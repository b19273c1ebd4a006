import pytest
from django.http import QueryDict

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.beside import asked as judge_asked
from scoring.beside import figures as judge_apart
from scoring.beside import pictures as judge_gaps
from tests import make
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


@pytest.fixture(name="data")
def _data():
    round_ = beside_people.world()
    params = beside_people.choice("guess", criterion="coh").params()
    return judge_apart.apart_of(round_, params)


def gaps(data, query=""):
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    wanted = QueryDict(query)
    options = judge_asked.options("judge_apart", scope, wanted, beside_people.judge("guess"))
    return judge_gaps.Gaps(data, options)


class TestGaps:
    def test_are_turned_page_by_page_without_losing_any(self, data):
        seen, after = [], ""
        while True:
            page = gaps(data, f"after={after}").page(size=7)
            assert page.first == (after == "")
            seen += [line.response for line in page.rows]
            if page.after is None:
                break
            after = page.after

        assert seen == [row["response"] for row in data["rows"]]

    def test_are_narrowed_by_direction_and_size(self, data):
        found = gaps(data, "direction=harsher&least=0.5").fitting

        assert found
        assert all(row.gap <= -0.5 for row in found)

    def test_are_narrowed_by_system(self, data):
        found = gaps(data, "system=1")
        names = {line.system for line in found.page().rows}

        assert names == {found.systems[0][1]}
        assert len(found.fitting) == 24
        assert gaps(data, "system=9").fitting == []

    def test_begin_anew_where_the_key_cannot_be_read(self, data):
        assert len(gaps(data, "after=nonsense").page().rows) == 50


class TestApart:
    def test_has_a_row_for_every_response_that_fits(self, data):
        found = gaps(data, "direction=kinder")
        rows = list(found.all_lines)

        assert len(rows) == len(found.fitting)
        assert all(row.gap > 0 for row in rows)
