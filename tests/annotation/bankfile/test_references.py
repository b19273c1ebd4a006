from annotation.bankfile import records as filed
from annotation.bankfile.references import Ledger


def area(*path: str) -> filed.AreaRecord:
    return filed.AreaRecord(path=path, position=0)


class TestALedger:
    def test_misses_what_was_not_read_before(self) -> None:
        assert [one.code for one in Ledger().faults("domains", area("A", "B"))] == ["nowhere"]

    def test_takes_what_stands_below_something_it_has_read(self) -> None:
        ledger = Ledger()

        assert not [*ledger.faults("domains", area("A")), *ledger.faults("domains", area("A", "B"))]

    def test_finds_what_is_said_twice(self) -> None:
        ledger = Ledger()
        list(ledger.faults("people", filed.PersonRecord(id="x", name="")))

        assert [
            one.code for one in ledger.faults("people", filed.PersonRecord(id="x", name=""))
        ] == ["twice"]
