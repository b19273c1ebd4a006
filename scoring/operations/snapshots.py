"""Write the ratings of a final round once as columns: figures then read those."""

from datetime import datetime

from django.db import transaction

from annotation.models import Round
from annotation.queries import grade_table
from scoring.models import Snapshot
from scoring.queries import ratings
from scoring.stats import packing


def ensure(*, round_: Round, now: datetime) -> Snapshot | None:
    """Return the snapshot of a final round as its grades are now; nothing for other rounds.

    It is built from the rows if it is not there or was written in another form; those of earlier
    revisions go.
    """
    if round_.state != Round.State.FINAL:
        return None
    version = grade_table.version(round_)
    found = Snapshot.objects.filter(ratings_sha=version).defer("data").first()
    if found is not None and ratings.unpacked(round_) is not None:
        return found
    frame = ratings.from_rows([round_])
    data = packing.packed(frame)
    with transaction.atomic():
        Snapshot.objects.filter(round=round_).delete()
        return Snapshot.objects.create(
            round=round_,
            ratings_sha=version,
            data=data,
            n_ratings=len(frame),
            created_at=now,
        )
