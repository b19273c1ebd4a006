import threading

import pytest

from evalsite.web import heavy

LARGE = heavy.SMALL + 1


class TestReading:
    def test_is_for_one_at_a_time(self):
        with (
            heavy.reading(LARGE),
            pytest.raises(heavy.Busy, match="Try again"),
            heavy.reading(LARGE, patience=0.01),
        ):
            pass

    def test_waits_for_whoever_reads(self):
        done = []

        def read():
            with heavy.reading(LARGE):
                done.append(1)

        with heavy.reading(LARGE):
            other = threading.Thread(target=read)
            other.start()
            assert done == []
        other.join(5)

        assert done == [1]

    def test_of_small_files_waits_for_nobody(self):
        with heavy.reading(LARGE), heavy.reading(heavy.SMALL):
            pass

    def test_lets_the_next_in_after_a_failure(self):
        with pytest.raises(ZeroDivisionError), heavy.reading(LARGE):
            raise ZeroDivisionError
        with heavy.reading(LARGE, patience=0.01):
            pass
