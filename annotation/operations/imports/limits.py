"""How much may wait at a time: of one person, and in one project."""

from typing import Final

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotation.models import ImportBatch, Project, Upload, User
from evalsite import errors

#: Large files that a worker has yet to read or to bring in.
FILES: Final = 4
#: Bytes of files that were handed in and not brought in: of one person so many of the largest.
HELD: Final = 4


class TooManyImports(errors.Refusal):
    """Others have to have their turn as well."""

    code = "too_many_imports"
    status = 429


def refuse_more_files(*, project: Project, by: User) -> None:
    """Refuse a further file where too much waits that was not brought in.

    Raises:
        TooManyImports: there is too much.
    """
    used = ImportBatch.objects.filter(upload=OuterRef("pk"))
    mine = Upload.objects.filter(~Exists(used), created_by=by)
    held = mine.aggregate(held=Coalesce(Sum("size"), 0))["held"]
    if held > HELD * settings.FILE_MOST:
        raise TooManyImports(
            _(
                "Your files that were not brought in hold %(held)d MB. Bring some of them in, or remove "
                "them under Imports, and try again."
            )
            % {"held": held // 1024**2}
        )


def refuse_more_work(*, upload: Upload) -> None:
    """Refuse to have a further large file read while too many wait.

    Raises:
        TooManyImports: there are too many of this person, or in this project.
    """
    if not upload.is_large:
        return
    waiting = _waiting().exclude(pk=upload.pk)
    if waiting.filter(created_by=upload.created_by_id).count() >= FILES:
        raise TooManyImports(
            _(
                "%(n)d large files of yours are being checked or brought in. Wait until one of them is "
                "done, and try again."
            )
            % {"n": FILES}
        )
    if waiting.filter(project=upload.project_id).count() >= FILES:
        raise TooManyImports(
            _(
                "%(n)d large files of this project are being checked or brought in. Wait until one of "
                "them is done, and try again."
            )
            % {"n": FILES}
        )


def _waiting() -> QuerySet[Upload]:
    """Return the large files that a worker has yet to deal with."""
    coming = ImportBatch.objects.filter(
        upload=OuterRef("pk"), state=ImportBatch.State.STAGED, stopped=""
    )
    large = Q(unpacked__isnull=True) | Q(unpacked__gt=Upload.SMALL)
    return Upload.objects.filter(large).filter(
        Q(report__running=True) | Q(wish=Upload.Wish.APPLY, report__ok=True) | Exists(coming)
    )
