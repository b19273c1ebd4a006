"""What workers do for annotation. A job takes ids, calls one operation, and may come twice."""

import time
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation.bank import bulk
from annotation.bankfile import importing as working
from annotation.bankfile.models import BankFile
from annotation.files.models import Upload
from annotation.home import operations as home
from annotation.imports import operations as imports
from annotation.imports import wholes
from annotation.people import access as passwords
from annotation.people.models import Project
from annotation.rounds import drawing, opening
from annotation.rounds.models import Round
from annotation.running import discarding
from annotation.search import operations as searching
from annotation.search import similarity
from evalsite import queue


def apply_import(batch_id: int, **_: Any) -> None:
    """Bring in, or take away, the rows of an import until it is finished."""
    imports.carry_on(batch_id=batch_id, clock=timezone.now, **_turn())


def check_import(upload_id: int, **_: Any) -> None:
    """Try out a large file."""
    upload = Upload.objects.select_related("project").filter(pk=upload_id).first()
    if upload is not None:
        imports.check_waiting(upload=upload, clock=timezone.now, is_stopping=queue.is_stopping)
        imports.go_on(upload=upload, now=timezone.now())


def read_whole(upload_id: int, **_: Any) -> None:
    """Read a large file of conversations or dialogues."""
    wholes.read_whole(upload_id=upload_id, clock=timezone.now)


def prepare_round(round_id: int, **_: Any) -> None:
    """Draw the items of a draft and look for names in its responses."""
    found = Round.objects.filter(pk=round_id).first()
    if found is None or "preparing" not in found.draw:
        return
    drawing.prepare_waiting(round_=found, clock=timezone.now)


def open_round(round_id: int, **_: Any) -> None:
    """Carry out an opening that was asked for."""
    found = Round.objects.filter(pk=round_id).first()
    if found is not None:
        opening.open_round(round_=found, now=timezone.now())


def clear_round(round_id: int, **_: Any) -> None:
    """Take away what stood in a round that was discarded."""
    found = Round.everything.filter(pk=round_id, discarded_at__isnull=False).first()
    if found is not None:
        discarding.clear(round_=found)


def index_similar(project_id: int, **_: Any) -> None:
    """Read what of a project is not yet found by its words, or as a near-duplicate."""
    found = Project.objects.filter(pk=project_id).first()
    if found is not None:
        began, turn = time.monotonic(), _turn()

        def is_over() -> bool:
            return time.monotonic() - began > turn["seconds"] and bool(turn["others_wait"]())

        if searching.keep_imported(project=found, is_over=is_over):
            similarity.index_rest(project=found, is_over=is_over)
        else:
            similarity.ring(project_id)


def edit_in_bulk(edit_id: int, **_: Any) -> None:
    """Carry out a bulk edit that was confirmed, until every question of it is settled."""
    bulk.carry_on(edit_id=edit_id, clock=timezone.now, **_turn())


def bank_file(file_id: int, **_: Any) -> None:
    """Write a whole bank into a file, read one through, or bring one in."""
    found = BankFile.objects.select_related("project", "by").filter(pk=file_id).first()
    if found is not None:
        working.work(file=found, clock=timezone.now)


def send_mails(**_: Any) -> None:
    """Send the daily mails that are due."""
    home.send_due(timezone.now())


def keep_for_a_time(**_: Any) -> None:
    """Remove what projects keep for a time only."""
    home.sweep(now=timezone.now())


def send_password_links(given: str, address: str, **_: Any) -> None:
    """Send a link to a new password to whoever is meant, if that is anybody."""
    passwords.send_links(given=given, address=address, now=timezone.now())


def tell_of_change(user_id: int, to: str, what: str, **_: Any) -> None:
    """Tell somebody by mail that their password or address was changed."""
    passwords.tell(user_id=user_id, to=to, what=what)


def _turn() -> dict[str, Any]:
    """Return how long a job may take until others that wait have their turn."""

    def others_wait() -> bool:
        return queue.is_stopping() or queue.others_wait("bulk", "large")

    return {"seconds": float(settings.BULK_SLICE), "others_wait": others_wait}
