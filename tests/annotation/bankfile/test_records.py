from dataclasses import replace

from annotation.bankfile import records
from tests import make

VERSION = records.VersionRecord(
    number=1,
    state="DRAFT",
    author="x",
    turns=(),
    capability=None,
    domain=None,
    replies={},
    rev=0,
    created_at=make.NOW,
    saved_at=make.NOW,
    submitted_at=None,
    decided_at=None,
    citations=(),
    machine_drafts=(),
    inspections=(),
)


class TestFingerprints:
    def test_do_not_depend_on_who_decided(self) -> None:
        other = replace(VERSION, state="ACCEPTED", decided_at=make.NOW)

        assert records.version_sha(VERSION) == records.version_sha(other)

    def test_depend_on_what_is_said(self) -> None:
        assert records.version_sha(VERSION) != records.version_sha(replace(VERSION, answer="x"))

    def test_of_a_bank_do_not_depend_on_the_order_of_its_files(self) -> None:
        assert records.bank_sha({"a": "1", "b": "2"}) == records.bank_sha({"b": "2", "a": "1"})
