"""Forms of records: each field asks for what the record says of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated

from annotation.common.forms import RecordForm, initial_of
from annotation.common.names import NameKind
from evalsite import kinds
from evalsite.records import Ask, Record


@dataclass(frozen=True, kw_only=True)
class Ship(Record):
    name: Annotated[str, NameKind(20), Ask("Name", "As it stands on the bow.")]
    also: Annotated[Sequence[Annotated[str, NameKind(8)]], Ask("Other names", rows=2)] = ()
    weight: Annotated[Decimal, kinds.Number(6, 2, Decimal(0)), Ask("Weight")] = Decimal(1)
    crew: Annotated[int, kinds.Whole(0, 99), Ask("Crew", blank=True)] = 7
    iced: Annotated[Annotated[bool, kinds.YesNo()] | None, Ask("Iced", none="not known")] = None
    built: Annotated[Annotated[date, kinds.Day()] | None, Ask("Built")] = None
    seen: Annotated[Annotated[datetime, kinds.Moment()] | None, Ask("Seen")] = None
    flag: Annotated[str, kinds.Choice(("NO", "IS"), empty=True), Ask("Flag")] = ""


class ShipForm(RecordForm, record=Ship, leave_out=("seen",)):
    """A ship, but for when it was seen."""


GIVEN = {"name": "Vega", "also": "Vg\n\n Star \nVg", "weight": "2.5", "iced": "no", "flag": "NO"}


def sent(**more: str) -> ShipForm:
    return ShipForm({**GIVEN, **more})


class TestAFormOfARecord:
    def test_asks_for_its_fields_in_its_words_and_no_others(self) -> None:
        form = ShipForm()

        assert list(form.fields) == [
            "name", "also", "weight", "crew", "iced", "built", "flag",
        ]  # fmt: skip
        assert (form["name"].label, form["name"].help_text) == ("Name", "As it stands on the bow.")
        assert form["weight"].initial == Decimal(1)

    def test_gives_what_the_record_is_made_of(self) -> None:
        form = sent()

        assert form.is_valid(), form.errors
        made = Ship(**form.cleaned_data)
        assert (made.name, made.also, made.weight) == ("Vega", ["Vg", "Star"], Decimal("2.5"))
        assert (made.crew, made.iced, made.built, made.flag) == (7, False, None, "NO")

    def test_puts_what_is_wrong_at_its_field(self) -> None:
        wrong = {"name": "a\u202eb", "also": "much too long", "weight": "-1", "crew": "100"}

        assert sent(**wrong).errors.keys() == wrong.keys()
        assert sent(name="", flag="XX", built="soon").errors.keys() == {"name", "flag", "built"}

    def test_lets_as_many_lines_be_typed_as_there_are(self) -> None:
        assert "maxlength" not in str(ShipForm()["also"])
        assert 'maxlength="20"' in str(ShipForm()["name"])

    def test_shows_what_is_said_now(self) -> None:
        now = Ship(name="Vega", also=("Vg", "Star"), iced=True, built=date(2026, 1, 2))

        form = ShipForm(initial=initial_of(Ship, now))

        assert "Vg\nStar</textarea>" in str(form["also"])
        assert '<option value="yes" selected>' in str(form["iced"])
        assert 'value="2026-01-02"' in str(form["built"])
