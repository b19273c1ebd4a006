import pytest

from annotation.files.models import ImportBatch
from annotation.imports import operations as importing
from annotation.imports import undoing
from annotation.search import operations as searching
from annotation.search import similarity
from annotation.search.models import SearchText
from tests import imports, make

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return imports.apply(imports.answers())


def found():
    return SearchText.objects.filter(words__contains=" pallet ").count()


class TestWordsOfAnImport:
    def test_are_kept_after_it_is_applied(self, batch):
        assert (found(), batch.words_kept) == (0, False)

        assert searching.keep_imported(project=batch.project)

        batch.refresh_from_db()
        assert (found(), batch.words_kept) == (1, True)
        assert SearchText.objects.count() == 6  # two questions, four answers

    def test_are_kept_once_however_often_it_is_read(self, batch):
        searching.keep_imported(project=batch.project)
        ImportBatch.objects.update(words_kept=False)

        searching.keep_imported(project=batch.project)

        assert SearchText.objects.count() == 6

    def test_are_kept_later_where_others_wait(self, batch):
        assert not searching.keep_imported(project=batch.project, is_over=lambda: True)
        assert not ImportBatch.objects.get().words_kept

        assert searching.keep_imported(project=batch.project)
        assert SearchText.objects.count() == 6

    def test_are_asked_for_again_where_nobody_read_it(self, batch, monkeypatch):
        rung = []
        monkeypatch.setattr(similarity, "ring", rung.append)

        importing.ring_for_applying(make.NOW + 2 * undoing.QUIET)

        assert rung == [batch.project_id]

    def test_go_with_it_when_it_is_undone(self, batch):
        searching.keep_imported(project=batch.project)

        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert SearchText.objects.count() == 0
