import pytest

from annotation.systems.models import Response
from evalsite.db import rows
from tests import make

pytestmark = pytest.mark.django_db

NAMES = (
    "item_id",
    "release_id",
    "sample_no",
    "content_sha",
    "messages",
    "origin",
    "details",
    "created_at",
)


def row(item, release, number):
    said = [{"role": "assistant", "content": f"Ünder the {number} %s “quay”"}]
    return item.pk, release.pk, number, f"{number:064d}", said, "IMPORTED", {"n": number}, make.NOW


def test_are_read_back_as_they_were_given():
    item, release = make.item(), make.release()

    n = rows.insert(Response, NAMES, [row(item, release, 1)])

    found = Response.objects.get()
    assert n == 1
    assert found.messages == [{"role": "assistant", "content": "Ünder the 1 %s “quay”"}]
    assert (found.details, found.created_at, found.batch) == ({"n": 1}, make.NOW, None)


def test_are_written_some_at_a_time(monkeypatch):
    monkeypatch.setattr(rows, "MOST_VALUES", 2 * len(NAMES))
    item, release = make.item(), make.release()

    assert rows.insert(Response, NAMES, (row(item, release, n) for n in range(1, 6))) == 5

    assert list(Response.objects.order_by("sample_no").values_list("sample_no", flat=True)) == [
        *range(1, 6)
    ]


def test_may_be_none():
    assert rows.insert(Response, NAMES, []) == 0


def test_give_their_keys_in_their_order(monkeypatch):
    monkeypatch.setattr(rows, "MOST_VALUES", 2 * len(NAMES))
    item, release = make.item(), make.release()

    keys = rows.insert_with_keys(Response, NAMES, [row(item, release, n) for n in (5, 3, 9)])

    assert [Response.objects.get(pk=key).sample_no for key in keys] == [5, 3, 9]
