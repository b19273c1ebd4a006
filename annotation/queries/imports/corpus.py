"""The sources that rows of a file cite against those of the project."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Citation, Project, SourceVersion
from annotation.rules import passages
from annotation.rules.tabular.citations import Cited

#: So many texts of sources are kept at hand while a file is read.
MOST_TEXTS = 20


@dataclass(slots=True)
class Placed:
    """A citation with the version of the source it goes to; None while that is to be made.

    `start` and `end` are of the passage in that version's text, None where it holds none.
    """

    source_version: int | None
    cited: Cited
    start: int | None = None
    end: int | None = None

    @classmethod
    def of(cls, one: Citation) -> "Placed":
        """Return a citation as the bank has it."""
        return cls(one.source_version_id, Cited(locator=one.locator), one.start, one.end)


class Corpus:
    """The sources of a project by title and by address; those that a file adds come to them."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_title: dict[str, str] = {}
        self._by_address: dict[str, str] = {}
        self._versions: dict[str, dict[int, int]] = {}
        self.missing: dict[str, Cited] = {}
        self._texts: dict[int, str] = {}
        self.look_again()

    def look_again(self) -> None:
        """Read the sources of the project afresh."""
        rows = SourceVersion.objects.filter(source__project=self._project).order_by("number")
        for pk, number, title, address in rows.values_list(
            "pk", "number", "source__title", "source__address"
        ):
            self._by_title[fold(title)] = title
            self._by_address.setdefault(address, title)
            self._versions.setdefault(title, {})[number] = pk
        self._by_address.pop("", None)

    def title_of(self, cited: Cited) -> str:
        """Return what the project calls a source; empty where it has none like it."""
        if found := self._by_title.get(fold(cited.title)):
            return found
        named_by_address = cited.address and cited.title == cited.address
        return self._by_address.get(cited.address, "") if named_by_address else ""

    def titles(self, placed: Sequence["Placed"]) -> list[str]:
        """Return what each source is called here, or in the file if it is new."""
        return [self.title_of(one.cited) or one.cited.title for one in placed]

    def version_of(self, cited: Cited) -> int | None:
        """Return the version that is named, or the newest one; None where there is none."""
        versions = self._versions.get(self.title_of(cited), {})
        newest = max(versions) if versions else 0
        return versions.get(cited.version or newest, versions.get(newest))

    def placed(self, cited: Cited, version: int | None) -> Placed:
        """Return a citation with its passage, where the text of that version holds it.

        Where other words stand at its characters, the passage is where its words stand, if they
        stand there once. A source that came by a file has no text yet: its citations have a place.
        """
        if version is None or cited.start is None or cited.end is None:
            return Placed(version, cited)
        text = self._text_of(version)
        start, end, said = cited.start, cited.end, cited.quote
        if said and text[start:end] != said:
            start = text.find(said)
            end = start + len(said)
            if start < 0 or said in text[start + 1 :]:
                return Placed(version, cited)
        try:
            return Placed(version, cited, *passages.trimmed(text, start, end))
        except passages.NoPassage:
            return Placed(version, cited)

    def _text_of(self, version: int) -> str:
        if version not in self._texts:
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            rows = SourceVersion.objects.filter(pk=version)
            self._texts[version] = rows.values_list("text", flat=True)[0]
        return self._texts[version]


def cites_the_same(
    placed: Sequence[Placed], titles: Sequence[str], cited: Sequence[Citation]
) -> bool:
    """Compare places by title; the version counts where the file names one that there is."""
    there = {(_title_of(one), " ".join(one.locator.split())): one for one in cited}
    here = {(title, one.cited.locator): one for title, one in zip(titles, placed, strict=True)}
    return here.keys() == there.keys() and all(_fits(one, there[key]) for key, one in here.items())


def _fits(placed: Placed, cited: Citation) -> bool:
    """Compare version and passage, as far as the file names them and this project has them."""
    if placed.cited.version and placed.source_version != cited.source_version_id:
        return False
    return placed.start is None or (placed.start, placed.end) == (cited.start, cited.end)


def keep_versions(
    placed: Sequence[Placed], titles: Sequence[str], cited: Sequence[Citation]
) -> None:
    """Go on citing the version of a source and the passage that are cited, where the file names none."""
    there = {_title_of(one): one.source_version_id for one in cited}
    places = {
        (one.source_version_id, " ".join(one.locator.split())): (one.start, one.end)
        for one in cited
    }
    for title, one in zip(titles, placed, strict=True):
        if one.cited.version is None and one.start is None:
            one.source_version = there.get(title, one.source_version)
        if one.cited.start is None:
            key = one.source_version or 0, one.cited.locator
            one.start, one.end = places.get(key, (None, None))


def _title_of(one: Citation) -> str:
    return one.source_version.source.title


def fold(name: str) -> str:
    """Return a title as it is compared: capitals and spaces do not count."""
    return " ".join(name.split()).casefold()
