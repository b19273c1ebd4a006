"""A passage that was marked in a source, as the editor of a question cites it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.forms.cites import SourceRow
from annotation.models import SourceVersion
from annotation.rules import passages
from annotation.rules.passages import Place
from evalsite import errors


class NoSuchPassage(errors.Invalid):
    code = "no_such_passage"


def row(version: SourceVersion, start: int, end: int) -> SourceRow:
    """Return a passage as a row of the editor, with its place in words.

    Raises:
        NoSuchPassage: the text does not hold it, or it is too long; says which.
    """
    try:
        start, end = passages.trimmed(version.text, start, end)
    except passages.NoPassage as problem:
        raise NoSuchPassage(_why(str(problem))) from problem
    place = passages.place(version.text, start, end)
    title = f"{version.source.title}, v{version.number}"
    return SourceRow(version.pk, title, words(place, start), start, end)


def words(place: Place, start: int) -> str:
    """Return a place as a person would say it."""
    said = []
    if place.page:
        said.append(_("page %(n)d") % {"n": place.page})
    if place.first:
        one = ngettext(
            "paragraph %(first)d", "paragraphs %(first)d to %(last)d", place.last - place.first + 1
        )
        said.append(one % {"first": place.first, "last": place.last})
    if not place.whole:
        said.append(_("from character %(n)d") % {"n": start + 1})
    return ", ".join(said)


def _why(problem: str) -> str:
    if problem == "long":
        most = {"n": passages.MAX_PASSAGE}
        return (
            _("A passage has at most %(n)d characters. Mark the part the answer rests on.") % most
        )
    return _("The text of this version holds no such passage. Mark it again.")
