import zipfile

import pytest

from annotation.bankfile import exporting
from annotation.bankfile import importing as working
from annotation.bankfile import operations as files
from annotation.bankfile.models import BankFile
from annotation.common import beats
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
        file, told = asked(), []

        def clock():
            told.append(file)
            if len(told) == 2:  # the first worker is at it when the second one comes
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


class TestBegin:
    def ends(self, file: BankFile) -> None:
        """Begin as a worker does that ends over it."""
        assert files.begin(BankFile.objects.get(pk=file.pk), make.at(1))

    def test_gives_a_file_up_over_which_three_workers_ended(self):
        file = asked()
        for _worker in range(beats.TRIES):
            self.ends(file)

        working.work(file=BankFile.objects.get(pk=file.pk), clock=lambda: make.at(9))

        file.refresh_from_db()
        assert (file.state, file.finished_at) == ("FAILED", make.at(9))
        assert "ended three times" in file.said
        assert files.ring_again(make.at(60)) == 0

    def test_lets_the_third_worker_finish(self):
        file = asked()
        for _worker in range(beats.TRIES - 1):
            self.ends(file)

        working.work(file=BankFile.objects.get(pk=file.pk), clock=lambda: make.at(9))

        file.refresh_from_db()
        assert file.state == "READY"

    def test_counts_anew_where_a_file_is_confirmed(self):
        file = asked()
        BankFile.objects.filter(pk=file.pk).update(way="IN", state="READY", tries=beats.TRIES)

        files.confirm(file=file, keep_own=True, by=file.by, now=make.at(2))

        self.ends(file)
