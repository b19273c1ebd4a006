"""How much a project keeps of files that were handed in or written: all projects share one disk."""

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation.bankfile.models import BankFile
from annotation.files.models import Upload, UploadChunk
from annotation.people.models import Project
from evalsite import panels

MB = 1024 * 1024


def kept(project: Project) -> int:
    """Return the bytes of the files of a project; of those under way, what has arrived."""
    uploads = Upload.objects.filter(project=project)
    whole = uploads.aggregate(n=Sum("size"))["n"] or 0
    banks = BankFile.objects.filter(project=project).aggregate(n=Sum("size"))["n"] or 0
    begun = UploadChunk.objects.filter(upload__in=uploads.filter(sha="")).count() * MB
    others: int = sum(count(project) for count in panels.supplied("files_kept").values())
    return int(whole + banks + begun + others)


def trouble(project: Project) -> str:
    """Say that a project may keep no more files, and what to do; empty while it may."""
    most = settings.PROJECT_FILES * MB
    if not most or kept(project) < most:
        return ""
    return _(
        "The files of this project take %(most)d MB, as much as they may. Throw away files under "
        "Imports and Whole bank, or have them kept for a shorter time (Settings, Retention). The "
        "operator can allow more (EVALSITE_PROJECT_FILES)."
    ) % {"most": settings.PROJECT_FILES}
