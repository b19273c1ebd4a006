"""What is asked with every grade must not take longer the more somebody has graded."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.grading import faces
from annotation.grading import operations as grading
from tests import make

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans by what is there."),
]


def plans(asked: CaptureQueriesContext, table: str) -> list[list[str]]:
    """Return how SQLite answers each of the questions that were asked about a table."""
    found = []
    with connection.cursor() as cursor:
        for query in asked.captured_queries:
            if query["sql"].startswith("SELECT") and f'"{table}"' in query["sql"]:
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
                found.append([line[-1] for line in cursor.fetchall()])
    return found


class TestASeat:
    @pytest.mark.parametrize("lock", [False, True])
    def test_is_found_by_its_token_not_among_all_claims_of_its_holder(self, lock):
        seat = make.claim(make.open_round())

        with CaptureQueriesContext(connection) as asked:
            grading.find(token=seat.token, rater=make.holder(seat), lock=lock)

        [plan] = plans(asked, "annotation_claimevent")
        assert plan[0].endswith("(token=?)")

    def test_shows_the_one_submitted_before_without_a_look_at_the_others(self):
        round_ = make.open_round()
        make.submit(make.claim(round_), {"A": 2, "B": 0})
        seat = make.claim(round_)

        with CaptureQueriesContext(connection) as asked:
            assert faces.seat(seat, token=seat.token, lost=False, now=make.NOW).earlier

        orders = [query["sql"] for query in asked.captured_queries if "DESC" in query["sql"]]
        assert any('"submitted_at" DESC' in one for one in orders)
        assert not any(
            "TEMP B-TREE" in line for plan in plans(asked, "annotation_assignment") for line in plan
        )


class TestASubmit:
    def test_looks_for_earlier_remarks_on_the_seat_alone(self):
        seat = make.claim(make.open_round())

        with CaptureQueriesContext(connection) as asked:
            make.submit(seat, {"A": 2, "B": 0})

        [plan] = plans(asked, "annotation_remark")
        assert any(line.endswith("(slot_id=?)") for line in plan)
