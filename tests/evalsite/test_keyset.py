import pytest
from django.http import QueryDict

from annotation import models
from evalsite.web import keyset
from tests import make


def walk(size: int, by: tuple[str, ...]) -> list[str]:
    """Return the ids of all items, page by page."""
    found, after = [], ""
    while True:
        page = keyset.page(models.Item.objects.all(), by=by, after=after, size=size)
        found += [item.external_id for item in page.rows]
        if page.after is None:
            return found
        after = page.after


@pytest.mark.django_db
class TestPage:
    @pytest.fixture(autouse=True)
    def some_items(self):
        for external_id in ("b", "a", "é", "a", "c"):
            make.item(external_id, question=f"{external_id} {models.Item.objects.count()}")

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
    def test_shows_every_row_once_whatever_the_size(self, size):
        assert walk(size, ("external_id", "pk")) == ["a", "a", "b", "c", "é"]

    def test_goes_down_as_well(self):
        assert walk(2, ("-external_id", "-pk")) == ["é", "c", "b", "a", "a"]

    @pytest.mark.parametrize("key", ["", "nonsense", "W10", "WyJhIl0", "é", "WzEsMl0="])
    def test_begins_at_the_start_with_a_key_that_cannot_be_read(self, key):
        page = keyset.page(
            models.Item.objects.all(), by=("external_id", "pk", "group"), after=key, size=2
        )

        assert page.first
        assert [item.external_id for item in page.rows] == ["a", "a"]

    def test_survives_numbers_that_no_database_holds(self):
        key = keyset.write(["a", 10**30])

        page = keyset.page(models.Item.objects.all(), by=("external_id", "pk"), after=key)

        assert page.first


class TestUrls:
    def test_keep_the_filters(self):
        page = keyset.Page(rows=[], after="abc", first=False)
        query = QueryDict("text=pallet&after=old")

        assert keyset.next_url(query, page) == "?text=pallet&after=abc"
        assert keyset.first_url(query, page) == "?text=pallet"

    def test_are_none_at_the_ends(self):
        page = keyset.Page(rows=[], after=None, first=True)

        assert keyset.next_url(QueryDict(), page) is None
        assert keyset.first_url(QueryDict(), page) is None
