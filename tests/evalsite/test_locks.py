import threading

import pytest
from django.db import connection, transaction

from evalsite.db import locks


@pytest.mark.django_db(transaction=True)
class TestTake:
    def test_lets_one_transaction_after_the_other_count_and_write(self):
        seen: list[str] = []
        begun = threading.Event()

        def second() -> None:
            begun.set()
            with transaction.atomic():
                locks.take(["other", "name"])
                seen.append("second")
            connection.close()

        with transaction.atomic():
            locks.take(["name"])
            thread = threading.Thread(target=second)
            thread.start()
            begun.wait(5)
            thread.join(timeout=0.3)
            seen.append("first")
        thread.join(timeout=10)

        assert seen == ["first", "second"]

    def test_is_of_no_use_outside_of_a_transaction(self):
        with pytest.raises(AssertionError, match="Outside a transaction"):
            locks.take(["name"])
