from datetime import timedelta

import pytest

from annotation.models import FailedTry
from annotation.operations import failed_tries
from tests import make

pytestmark = pytest.mark.django_db
HERE, THERE = "192.0.2.1", "192.0.2.2"


def wrong(times, name="lena", address=HERE, now=make.NOW):
    for _n in range(times):
        failed_tries.note_password(name=name, address=address, now=now)


def is_barred(name="lena", address=HERE, now=make.NOW):
    return failed_tries.is_barred(name=name, address=address, now=now)


class TestTokens:
    def test_are_too_many_from_one_address_for_a_while(self):
        for _n in range(failed_tries.TOKENS):
            assert not failed_tries.note_token(address=HERE, now=make.NOW)

        assert failed_tries.note_token(address=HERE, now=make.at(14))
        assert not failed_tries.note_token(address=THERE, now=make.at(14))
        assert not failed_tries.note_token(address=HERE, now=make.at(15))

    def test_stop_being_written_when_they_are_too_many(self):
        for _n in range(failed_tries.TOKENS + 5):
            failed_tries.note_token(address=HERE, now=make.NOW)

        assert FailedTry.objects.count() == failed_tries.TOKENS


class TestPasswords:
    def test_bar_one_name_from_one_address_for_a_while(self):
        wrong(failed_tries.PASSWORDS - 1)
        assert not is_barred()

        wrong(1)

        assert is_barred()
        assert is_barred(" Lena ")
        assert not is_barred("kofi")
        assert not is_barred(address=THERE)
        assert not is_barred(now=make.at(15))

    def test_bar_an_address_that_tries_many_names(self):
        for n in range(failed_tries.PASSWORDS_FROM_ONE):
            wrong(1, name=f"somebody-{n}")

        assert is_barred("kofi")
        assert not is_barred("kofi", address=THERE)

    def test_bar_a_name_that_is_tried_from_everywhere(self):
        for n in range(failed_tries.PASSWORDS_ANYWHERE):
            wrong(1, address=f"198.51.100.{n}")

        assert is_barred(address=HERE)
        assert not is_barred("kofi")

    def test_are_forgiven_where_the_right_one_came(self):
        wrong(failed_tries.PASSWORDS - 1)
        wrong(failed_tries.PASSWORDS - 1, name="kofi")

        failed_tries.forgive(name="lena", address=HERE)
        wrong(1)
        wrong(1, name="kofi")

        assert not is_barred()
        assert is_barred("kofi")

    def test_are_kept_without_names_and_addresses(self):
        wrong(1)

        kept = " ".join(FailedTry.objects.values_list("from_sha", flat=True))
        assert "lena" not in kept
        assert HERE not in kept


class TestForget:
    def test_after_a_day(self):
        failed_tries.note_token(address=HERE, now=make.NOW)

        assert failed_tries.forget(now=make.NOW + timedelta(hours=23)) == 0
        assert failed_tries.forget(now=make.NOW + timedelta(hours=25)) == 1
