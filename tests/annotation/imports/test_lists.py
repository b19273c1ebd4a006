import pytest

from annotation.files.models import ImportBatch
from annotation.imports import lists
from tests import make

pytestmark = pytest.mark.django_db


def batch(number, **fields):
    home = make.project()
    return ImportBatch.objects.create(
        project=home,
        number=number,
        kind="ANSWERS",
        file_name="a.csv",
        file_sha=str(number),
        mapping={},
        mapping_sha="m",
        created_by=make.user(f"{home.slug}-owner"),
        created_at=make.NOW,
        **{"state": "APPLIED", "touched_at": make.NOW, **fields},
    )


class TestListBatches:
    def test_pages_by_number(self, django_assert_num_queries):
        for number in range(1, 66):
            batch(number)
        home = make.project()

        with django_assert_num_queries(1):
            first = lists.list_batches(home)
            assert all(one.created_by.display_name for one in first.batches)
        second = lists.list_batches(make.project(), first.older)
        third = lists.list_batches(make.project(), second.older)

        numbers = [one.number for page in (first, second, third) for one in page.batches]
        assert numbers == list(range(65, 0, -1))
        assert third.older is None


class TestProgress:
    def test_tells_rate_and_time_left(self):
        made = batch(1, state="STAGED", cursor=500, n_rows=1500, touched_at=make.at(1 / 6))

        progress = lists.progress(made, make.at(0.5))

        assert (progress.rate, progress.seconds_left, progress.moving) == (50, 20, True)

    def test_tells_when_nothing_moves(self):
        made = batch(1, state="STAGED")

        assert not lists.progress(made, make.at(2)).moving
        assert lists.progress(made, make.at(0.5)).moving
