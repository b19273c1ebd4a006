"""A passage that was marked in a source, as the editor of a question cites it."""

from django.utils.translation import gettext as _

from annotation.forms.cites import SourceRow
from annotation.models import SourceVersion
from annotation.queries import sources as reads
from annotation.rules import passages
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
    title = f"{version.source.title}, v{version.number}"
    return SourceRow(version.pk, title, reads.place_of(version.text, start, end), start, end)


def _why(problem: str) -> str:
    if problem == "long":
        most = {"n": passages.MAX_PASSAGE}
        return (
            _("A passage has at most %(n)d characters. Mark the part the answer rests on.") % most
        )
    return _("The text of this version holds no such passage. Mark it again.")
