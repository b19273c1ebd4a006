from annotation.bankfile.references import Ledger


def area(*path: str) -> dict[str, object]:
    return {"path": list(path)}


class TestALedger:
    def test_misses_what_was_not_read_before(self) -> None:
        assert [one.code for one in Ledger().faults("domains", area("A", "B"))] == ["nowhere"]

    def test_takes_what_stands_below_something_it_has_read(self) -> None:
        ledger = Ledger()

        assert not [*ledger.faults("domains", area("A")), *ledger.faults("domains", area("A", "B"))]

    def test_finds_what_is_said_twice(self) -> None:
        ledger = Ledger()
        list(ledger.faults("people", {"id": "x"}))

        assert [one.code for one in ledger.faults("people", {"id": "x"})] == ["twice"]
