import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.people.models import User
from tests import make

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="about SQLite"),
]


class TestATransaction:
    def test_lets_those_who_wait_pass_in_the_order_they_came(self):
        came: list[int] = []
        turns: list[int] = []

        def write(number: int) -> None:
            time.sleep(0.1 * number)
            came.append(number)
            with transaction.atomic():
                turns.append(number)
            connection.close()

        with ThreadPoolExecutor(8) as pool:
            with transaction.atomic():
                waiting = [pool.submit(write, number) for number in range(8)]
                while len(came) < 8:
                    time.sleep(0.05)
                time.sleep(0.2)
                assert turns == []
            for one in waiting:
                one.result()

        assert turns == came

    @pytest.mark.parametrize("ending", ["commit", "rollback", "close"])
    def test_gives_its_turn_back_however_it_ends(self, ending):
        class Stop(Exception):
            pass

        try:
            with transaction.atomic():
                make.user("somebody")
                if ending == "rollback":
                    raise Stop
                if ending == "close":
                    connection.close()
                    raise Stop
        except Stop:
            pass

        thread = threading.Thread(target=self.write)
        thread.start()
        thread.join(timeout=5)
        assert not thread.is_alive()

    def test_keeps_its_turn_through_savepoints(self):
        with transaction.atomic():
            with transaction.atomic():
                make.user("somebody")
            thread = threading.Thread(target=self.write)
            thread.start()
            thread.join(timeout=0.2)
            assert thread.is_alive()

        thread.join(timeout=5)
        assert not thread.is_alive()

    def write(self) -> None:
        with transaction.atomic():
            make.user("somebody else")
        connection.close()


class TestAStatement:
    def test_outside_a_transaction_has_its_turn_in_the_order_they_came(self):
        user = make.user("somebody")
        came: list[int] = []
        turns: list[int] = []

        def write(number: int) -> None:
            time.sleep(0.1 * number)
            came.append(number)
            if number == 0:
                User.objects.filter(pk=user.pk).update(is_active=False)
                turns.append(number)
            else:
                with transaction.atomic():
                    time.sleep(0.2)  # whoever only looks now and then finds it taken again
                    turns.append(number)
            connection.close()

        with ThreadPoolExecutor(4) as pool:
            with transaction.atomic():
                waiting = [pool.submit(write, number) for number in range(4)]
                while len(came) < 4:
                    time.sleep(0.05)
                time.sleep(0.2)
                assert turns == []
            for one in waiting:
                one.result()

        assert turns == came

    def test_gives_its_turn_back(self):
        user = make.user("somebody")
        User.objects.filter(pk=user.pk).update(is_active=False)
        with pytest.raises(IntegrityError):
            User.objects.filter(pk=user.pk).update(username=None)

        thread = threading.Thread(target=TestATransaction().write)
        thread.start()
        thread.join(timeout=5)
        assert not thread.is_alive()


class TestACursor:
    def test_puts_values_into_a_statement_whatever_signs_it_has(self):
        def asked(statement: str, *values: object) -> tuple[object, ...]:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return cursor.fetchone()

        for values in [(1, "%s"), (2, "?")]:
            assert asked("SELECT %s, '100%%', %s", *values) == (values[0], "100%", values[1])
        long = f"SELECT '{'x' * 9_000}%%', %s"
        assert asked(long, 3) == ("x" * 9_000 + "%", 3)
        with connection.cursor() as cursor:
            cursor.execute("SELECT %(one)s", {"one": 4})
            assert cursor.fetchone() == (4,)
