"""The sources that a draft cites, as the rows of its editor."""

from dataclasses import dataclass

from annotation.operations.bank import writing


@dataclass(frozen=True)
class SourceRow:
    """A source that is cited, by the id of its version; a passage of it by its places."""

    version: int
    title: str
    locator: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def passage(self) -> str:
        """The places as the page sends them; empty where none were marked."""
        return "" if self.start is None else f"{self.start}-{self.end}"

    def cited(self) -> writing.Cited:
        return writing.Cited(self.version, self.locator, self.start, self.end)


def places(text: str) -> tuple[int | None, int | None]:
    """Return the two places in "12-48"; none where it does not say so."""
    start, dash, end = text.partition("-")
    if dash and all(one.isascii() and one.isdigit() and len(one) < 10 for one in (start, end)):
        return int(start), int(end)
    return None, None
