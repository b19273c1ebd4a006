from functools import cache
from pathlib import Path

from tests import timed

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_timed.TestLong" name="test_a[x 1]" time="9"/>
<testcase classname="tests.test_timed" name="test_b" time="0.5"/>
</testsuite></testsuites>"""


class TestNoted:
    def test_names_tests_that_there_are(self):
        gone = [
            name
            for name in timed.noted()
            if (test := name.partition("[")[0].split("::")[-1])
            and f"def {test}(" not in text_of(name.partition("::")[0])
        ]

        assert not gone, f"Note anew what takes long (make timed): {gone[:5]}"


@cache
def text_of(module: str) -> str:
    path = timed.HERE.parent / module
    return path.read_text() if path.exists() else ""


class TestLong:
    def test_are_those_above_four_times_the_mean_but_for_what_is_always_tried(self):
        quick = [(f"tests/test_x.py::test_{n}", 0.1) for n in range(20)]
        slow = [("tests/test_x.py::test_long", 3.0), ("tests/test_who_may.py::test_all", 9.0)]

        assert timed.long(quick + slow) == ["tests/test_x.py::test_long"]

    def test_of_nothing_are_none(self):
        assert timed.long([]) == []


class TestRead:
    def test_names_tests_as_pytest_does(self, tmp_path: Path):
        report = tmp_path / "report.xml"
        report.write_text(REPORT)

        assert list(timed.read(report)) == [
            ("tests/test_timed.py::TestLong::test_a[x 1]", 9.0),
            ("tests/test_timed.py::test_b", 0.5),
        ]


class TestSiteOf:
    def test_is_one_for_the_tests_that_use_it(self):
        names = [
            "tests/load/test_once.py::TestSubmit::test_counts_once[postgres]",
            "tests/load/test_once.py::TestOpening::test_deals_every_seat_once[postgres]",
            "tests/load/test_once.py::TestOpening::test_deals_every_seat_once[sqlite]",
            "tests/load/test_one_visitor.py::TestSlowVisitors::test_leave_the_page",
        ]

        assert list(map(timed.site_of, names)) == [
            "tests/load/test_once.py[postgres]",
            "tests/load/test_once.py[postgres]",
            "tests/load/test_once.py[sqlite]",
            "tests/load/test_one_visitor.py[sqlite]",
        ]


class TestClassOf:
    def test_is_one_for_the_tests_that_belong_together(self):
        names = [f"tests/e2e/test_desk.py::TestKeys::test_{one}" for one in ("a", "b[x::y]")]

        assert set(map(timed.class_of, names)) == {"tests/e2e/test_desk.py::TestKeys"}


class TestShares:
    def test_hold_every_test_once(self):
        names = [f"test_{n}" for n in range(200)]
        shares = [{one for one in names if timed.is_of_share(one, f"{n}/4")} for n in range(4)]

        assert all(shares)
        assert sum(map(len, shares)) == len(set().union(*shares)) == len(names)
