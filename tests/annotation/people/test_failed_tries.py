from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from annotation.people import access as failed_tries
from annotation.people.models import FailedTry
from tests import make

pytestmark = pytest.mark.django_db
HERE, THERE = "192.0.2.1", "192.0.2.2"


def begin(name="lena", address=HERE, now=make.NOW, device=""):
    doors = failed_tries.sign_in_doors(name=name, address=address, device=device, now=now)
    return failed_tries.begin(doors=doors, now=now)


def wrong(times, *given, **more):
    for _n in range(times):
        begin(*given, **more)


def is_barred(*given, **more):
    try:
        tried = begin(*given, **more)
    except failed_tries.TooManyTries:
        return True
    FailedTry.objects.filter(pk__in=tried.keys).delete()
    return False


def token(address=HERE, now=make.NOW):
    failed_tries.begin(doors=failed_tries.token_doors(address=address), now=now)


class TestTokens:
    def test_are_too_many_from_one_address_for_a_while(self):
        for _n in range(failed_tries.TOKENS):
            token()

        with pytest.raises(failed_tries.TooManyTries):
            token(now=make.at(14))
        token(THERE, make.at(14))
        token(now=make.at(15))

    def test_stop_being_written_when_they_are_too_many(self):
        for _n in range(failed_tries.TOKENS):
            token()
        with pytest.raises(failed_tries.TooManyTries):
            token()

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
            wrong(1, f"somebody-{n}")

        assert is_barred("kofi")
        assert not is_barred("kofi", address=THERE)

    def test_bar_a_line_of_ipv6_whatever_its_end(self):
        for n in range(failed_tries.PASSWORDS):
            wrong(1, address=f"2001:db8:1:2::{n:x}")

        assert is_barred(address="2001:db8:1:2:ffff::1")
        assert not is_barred(address="2001:db8:1:3::1")

    def test_bar_a_name_in_a_wide_network_that_picks_its_lines(self):
        for n in range(failed_tries.PASSWORDS_FROM_WIDE):
            wrong(1, address=f"2001:db8:1:{n:x}::1")

        assert is_barred(address="2001:db8:1:ffff::1")
        assert not is_barred("kofi", address="2001:db8:1:ffff::1")
        assert not is_barred(address="2001:db8:2::1")

    def test_bar_an_ipv4_address_however_it_is_written(self):
        wrong(failed_tries.PASSWORDS, address="::ffff:192.0.2.1")

        assert is_barred(address=HERE)
        assert not is_barred(address="::ffff:192.0.2.2")

    def test_from_everywhere_leave_a_new_address_some_tries(self):
        for n in range(failed_tries.PASSWORDS_ANYWHERE):
            wrong(1, address=f"198.51.100.{n}")

        wrong(failed_tries.PASSWORDS_UNDER_ATTACK)

        assert is_barred()
        assert not is_barred("kofi")
        assert not is_barred(address=THERE)

    def test_of_others_do_not_bar_a_device_that_is_known(self):
        wrong(failed_tries.PASSWORDS)
        for n in range(failed_tries.PASSWORDS_FROM_ONE - failed_tries.PASSWORDS):
            wrong(1, f"somebody-{n}")
        assert is_barred()

        assert not is_barred(device="a device")
        wrong(failed_tries.PASSWORDS, device="a device")

        assert is_barred(device="a device")
        assert not is_barred(device="another device")

    def test_are_forgiven_where_the_right_one_came(self):
        wrong(failed_tries.PASSWORDS - 1)
        wrong(failed_tries.PASSWORDS - 1, "kofi")

        failed_tries.succeed(begin())
        wrong(1)
        wrong(1, "kofi")

        assert not is_barred()
        assert is_barred("kofi")

    def test_are_kept_without_names_and_addresses(self):
        wrong(1)

        kept = " ".join(FailedTry.objects.values_list("from_sha", flat=True))
        assert "lena" not in kept
        assert HERE not in kept


class TestPrompts:
    def test_bar_somebody_who_is_signed_in_at_one_address_and_at_many(self):
        def ask(address):
            doors = failed_tries.prompt_doors(user_id=1, address=address)
            failed_tries.begin(doors=doors, now=make.NOW)

        for _n in range(failed_tries.PASSWORDS):
            ask(HERE)
        with pytest.raises(failed_tries.TooManyTries):
            ask(HERE)
        for _n in range(failed_tries.TOKENS - failed_tries.PASSWORDS):
            ask(THERE)
        with pytest.raises(failed_tries.TooManyTries):
            ask("192.0.2.3")


@pytest.mark.django_db(transaction=True)
class TestTriesAtOnce:
    def test_are_counted_before_any_of_them_is_looked_at(self):
        def go(_n: int) -> bool:
            try:
                begin()
            except failed_tries.TooManyTries:
                return False
            finally:
                connection.close()
            return True

        with ThreadPoolExecutor(30) as pool:
            through = list(pool.map(go, range(30)))

        assert sum(through) == failed_tries.PASSWORDS


class TestForget:
    def test_after_a_day(self):
        token()

        assert failed_tries.forget(now=make.NOW + timedelta(hours=23)) == 0
        assert failed_tries.forget(now=make.NOW + timedelta(hours=25)) == 1
