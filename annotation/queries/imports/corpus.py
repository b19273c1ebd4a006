"""The sources that rows of a file cite against those of the project."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Citation, Project, SourceVersion
from annotation.rules.tabular.citations import Cited


@dataclass(slots=True)
class Placed:
    """A citation with the version of the source it goes to; None while that is to be made."""

    source_version: int | None
    cited: Cited

    @classmethod
    def of(cls, one: Citation) -> "Placed":
        """Return a citation as the bank has it."""
        return cls(one.source_version_id, Cited(locator=one.locator))


class Corpus:
    """The sources of a project by title and by address; those that a file adds come to them."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_title: dict[str, str] = {}
        self._by_address: dict[str, str] = {}
        self._versions: dict[str, dict[int, int]] = {}
        self.missing: dict[str, Cited] = {}
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


def cites_the_same(
    placed: Sequence[Placed], titles: Sequence[str], cited: Sequence[Citation]
) -> bool:
    """Compare places by title; the version counts where the file names one that there is."""
    there = {
        (_title_of(one), " ".join(one.locator.split())): one.source_version_id for one in cited
    }
    here = {
        (title, one.cited.locator): one.source_version if one.cited.version else None
        for title, one in zip(titles, placed, strict=True)
    }
    return here.keys() == there.keys() and all(
        version in {None, there[key]} for key, version in here.items()
    )


def keep_versions(
    placed: Sequence[Placed], titles: Sequence[str], cited: Sequence[Citation]
) -> None:
    """Go on citing the version of a source that is cited, where the file names none."""
    there = {_title_of(one): one.source_version_id for one in cited}
    for title, one in zip(titles, placed, strict=True):
        if one.cited.version is None:
            one.source_version = there.get(title, one.source_version)


def _title_of(one: Citation) -> str:
    return one.source_version.source.title


def fold(name: str) -> str:
    """Return a title as it is compared: capitals and spaces do not count."""
    return " ".join(name.split()).casefold()
