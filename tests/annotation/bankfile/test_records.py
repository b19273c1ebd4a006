from annotation.bankfile import rules as records

VERSION = dict.fromkeys(records._LASTING)


class TestFingerprints:
    def test_do_not_depend_on_who_decided(self) -> None:
        one, other = {**VERSION, "state": "DRAFT"}, {**VERSION, "state": "ACCEPTED"}

        assert records.version_sha(one) == records.version_sha(other)

    def test_depend_on_what_is_said(self) -> None:
        assert records.version_sha(VERSION) != records.version_sha({**VERSION, "answer": "x"})

    def test_of_a_bank_do_not_depend_on_the_order_of_its_files(self) -> None:
        assert records.bank_sha({"a": "1", "b": "2"}) == records.bank_sha({"b": "2", "a": "1"})
