from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Annotated

import pytest
from pydantic import Field

from annotation.common.names import NameKind
from evalsite import kinds, records
from evalsite.kinds import Json, Number, Text, Whole, YesNo
from evalsite.records import Ask, Fault, KeptAs, Record


@dataclass(frozen=True)
class Crate(Record):
    weight: Annotated[Decimal, Number(6, 2), Field(alias="kg"), Ask("Weight")]
    label: Annotated[str, Text(5)] = ""


@dataclass(frozen=True, kw_only=True)
class Ship(Record):
    name: Annotated[str, NameKind(20)]
    home: Annotated[Annotated[str, Text()] | None, KeptAs("port.name")] = None
    built: Annotated[Annotated[date, kinds.Day()] | None, Ask("Built")] = None
    crates: tuple[Crate, ...] = ()


def faults(data: object, *, sent: bool = False) -> list[Fault]:
    with pytest.raises(records.NoSuchRecord) as told:
        records.read(Ship, data, sent=sent)
    return told.value.faults


class TestAKind:
    @pytest.mark.parametrize(
        ("kind", "value", "code"),
        [
            (Text(3), "abcd", "too_long"),
            (Text(), "\ud800", "bad_characters"),
            (Text(), 5, "no_text"),
            (Whole(1), True, "no_number"),
            (Whole(1), "3", "no_number"),
            (NameKind(9), "a\u202eb", "unseen_sign"),
            (NameKind(9), "a\x00b", "bad_characters"),
            (NameKind(9), "", "empty"),
            (NameKind(9), "much too long", "too_long"),
            (kinds.slug(9), "no spaces", "not_like"),
            (Number(4, 2), "100", "no_decimal"),
            (Number(4, 2), "NaN", "no_decimal"),
            (Number(4, 2), 1.5, "no_decimal"),
            (kinds.Moment(), "2026-03-31T09:00:00", "no_moment"),
            (kinds.Day(), "2026-02-30", "no_day"),
            (kinds.Choice(("A", "B")), "C", "no_choice"),
            (kinds.Id(), "x", "no_id"),
            (kinds.ByName(3), {"a": "long"}, "too_long"),
            (Json(list), [float("inf")], "no_number"),
            (YesNo(), 1, "no_flag"),
        ],
    )
    def test_says_what_is_wrong(self, kind: kinds.Kind, value: object, code: str) -> None:
        with pytest.raises(kinds.Wrong) as told:
            kind.read(value, sent=False)

        assert told.value.code == code
        assert "%(" not in records.said(Fault(code, "x", told.value.found, told.value.limit))

    @pytest.mark.parametrize("value", ["a\x00b", "a\ud800b"])
    def test_tells_of_characters_that_no_database_keeps_without_them(self, value: str) -> None:
        with pytest.raises(kinds.Wrong) as told:
            Text().read(value, sent=False)

        assert told.value.found == "a\N{REPLACEMENT CHARACTER}b"

    def test_ends_where_lists_stand_too_deep(self) -> None:
        deep: list[object] = []
        for _ in range(5000):
            deep = [deep]

        with pytest.raises(kinds.Wrong, match="too_deep"):
            Json(list).read(deep, sent=False)

    @pytest.mark.parametrize(
        ("kind", "value", "read"),
        [
            (Text(), "  a ", "a"),
            (Text(), 5, "5"),
            (Whole(1), "3", 3),
            (Number(4, 2), 1.5, Decimal("1.5")),
            (YesNo(), "true", True),
        ],
    )
    def test_takes_what_a_form_would_take_where_it_was_sent(self, kind, value, read) -> None:
        assert kind.read(value, sent=True) == read


class TestARecord:
    def test_is_read_as_files_and_as_the_api_name_its_fields(self) -> None:
        filed = {"name": "Vega", "crates": [{"weight": "2.5"}]}
        sent = {"name": " Vega ", "crates": [{"kg": 2.5}]}

        made = Ship(name="Vega", crates=(Crate(Decimal("2.5")),))

        assert records.read(Ship, filed) == made
        assert records.read(Ship, sent, sent=True) == made

    @pytest.mark.parametrize(
        ("data", "place", "code"),
        [
            ([], "", "no_object"),
            ({}, "name", "missing"),
            ({"name": "A", "sails": 1}, "sails", "unknown_field"),
            ({"name": "A", "crates": 5}, "crates", "no_list"),
            ({"name": "A", "crates": [{"weight": "1"}, {}]}, "crates[1].weight", "missing"),
            (
                {"name": "A", "crates": [{"weight": "1", "x": 1}]},
                "crates[0].x",
                "unknown_field",
            ),
        ],
    )
    def test_says_where_something_is_wrong(self, data: object, place: str, code: str) -> None:
        [fault] = faults(data)

        assert (fault.place, fault.code) == (place, code)

    def test_names_what_it_takes_where_it_is_sent_something_else(self) -> None:
        [fault] = faults({"name": "A", "crates": [{"kg": 1, "lable": ""}]}, sent=True)

        assert fault.path == "crates.0.lable"
        assert records.said(fault) == "Unknown here. This takes: kg, label."

    def test_tells_of_everything_that_is_wrong(self) -> None:
        found = faults({"name": "", "built": "soon"})

        assert {(one.place, one.code) for one in found} == {("name", "empty"), ("built", "no_day")}

    def test_needs_of_a_body_what_the_program_may_leave_out(self) -> None:
        @dataclass(frozen=True)
        class Order(Record):
            needs = frozenset({"n"})

            n: Annotated[int, Whole(1)] = 1

        with pytest.raises(records.NoSuchRecord) as told:
            records.read(Order, {}, sent=True)

        assert [(one.place, one.code) for one in told.value.faults] == [("n", "missing")]
        assert records.read(Order, {}) == Order(1)

    def test_that_the_program_made_is_looked_through_for_what_is_beyond_its_limits(self) -> None:
        made = Ship(name="", crates=(Crate(Decimal("0.001"), "much too long"),))

        assert [one.path for one in records.faults(made)] == [
            "name",
            "crates.0.weight",
            "crates.0.label",
        ]
        assert list(records.faults(Ship(name="Vega"))) == []

    def test_is_what_a_row_says(self) -> None:
        port = SimpleNamespace(name="Bergen")
        crate = SimpleNamespace(weight=Decimal("2.50"), label="x")
        row = SimpleNamespace(name="Vega", port=port, built=date(2026, 1, 2), crates=[crate])

        made = Ship.of(row)

        assert records.plain(made) == {
            "name": "Vega",
            "home": "Bergen",
            "built": "2026-01-02",
            "crates": [{"weight": "2.5", "label": "x"}],
        }
        assert records.told(Ship, row, n=1)["crates"] == [{"kg": "2.50", "label": "x"}]
        row.port = None
        assert Ship.of(row).home is None

    def test_is_written_with_the_moment_as_its_reader_has_it(self) -> None:
        @dataclass(frozen=True)
        class Landing(Record):
            at: Annotated[datetime, kinds.Moment()]

        made = Landing(datetime(2026, 1, 2, 3, tzinfo=UTC))

        assert records.plain(made) == {"at": "2026-01-02T03:00:00+00:00"}
        assert records.plain(made, sent=True) == {"at": "2026-01-02T03:00:00Z"}
