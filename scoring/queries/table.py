"""The four-dimensional table as its page shows it, some questions at a time."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import Round, RoundItem
from evalsite import keyset
from scoring.queries.exports import WideRow
from scoring.queries.names import Name

ITEMS = 20


@dataclass(frozen=True, slots=True)
class Line:
    """A wide row; `question` is empty where it is the question of the line above."""

    question: str
    row: WideRow
    cells: tuple[str, ...]


def page(round_: Round, *, after: str = "") -> keyset.Page[RoundItem]:
    """Return a page of the round's questions."""
    places = round_.items.only("pk", "ordinal", "item_id", "round_id")
    return keyset.page(places, by=("ordinal",), after=after, size=ITEMS)


def lines(rows: Iterable[WideRow], names: Mapping[int, Name]) -> Iterator[Line]:
    """Yield the rows with a cell for each release; a mark that could not be given says so."""
    before = None
    for row in rows:
        cells = (row.cells.get(release, "") for release in names)
        yield Line(
            row.item.external_id if row.item.pk != before else "",
            row,
            tuple(_("cannot grade") if cell == "CANNOT_GRADE" else cell for cell in cells),
        )
        before = row.item.pk
