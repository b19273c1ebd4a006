import zipfile

import pytest

from annotation.bankfile import exporting
from annotation.bankfile import importing as working
from annotation.bankfile import operations as files
from annotation.bankfile.models import BankFile
from tests import make
from tests.annotation.bankfile import stocked

pytestmark = pytest.mark.django_db


def asked() -> BankFile:
    home = stocked.bank()
    owner = make.user(f"{home.slug}-owner")
    return files.ask_export(project=home, named=False, by=owner, now=make.NOW)


def read(file: BankFile) -> bytes:
    with files.opened(file) as kept:
        assert zipfile.ZipFile(kept).testzip() is None
        kept.seek(0)
        return kept.read()


class TestExport:
    @pytest.mark.parametrize("page", [1, 1000], ids=["while it reads", "at the end"])
    def test_is_written_whole_where_two_workers_come_to_it(self, monkeypatch, page):
        file, began = asked(), []

        def clock():
            if not began:  # the first worker is at it when the second one comes
                began.append(file)
                working.work(file=BankFile.objects.get(pk=file.pk), clock=lambda: make.at(1))
            return make.at(2)

        monkeypatch.setattr(files, "CHUNK", 1000)  # many pieces
        monkeypatch.setattr(exporting, "PAGE", page)
        working.work(file=BankFile.objects.get(pk=file.pk), clock=clock)

        file.refresh_from_db()
        assert (file.state, file.turn, file.finished_at) == ("READY", 2, make.at(1))
        assert len(read(file)) == file.size

    def test_is_left_to_whoever_took_the_turn_first(self):
        file = asked()
        stale = BankFile.objects.get(pk=file.pk)
        BankFile.objects.filter(pk=file.pk).update(turn=1)

        working.work(file=stale, clock=lambda: make.at(1))

        file.refresh_from_db()
        assert (file.state, file.turn, file.pieces.count()) == ("ASKED", 1, 0)

    def test_takes_no_more_pieces_of_a_worker_that_was_overtaken(self):
        file = asked()
        BankFile.objects.filter(pk=file.pk).update(turn=1)

        with pytest.raises(files.Overtaken):
            files.store(file, [b"late"])

        assert file.pieces.count() == 0
