"""Seats are told the active time of what was submitted at them before."""

from collections import defaultdict

from django.db import migrations
from django.db.models import Max

CHUNK = 500


def forward(apps, schema_editor):
    Assignment = apps.get_model("annotation", "Assignment")
    Grade = apps.get_model("annotation", "Grade")
    for round_ in Assignment.objects.order_by().values_list("round", flat=True).distinct():
        rows = (
            Grade.objects.filter(
                round=round_, assignment__isnull=False, active_ms__isnull=False, late=False
            )
            .order_by()
            .values_list("assignment", "given_at")
            .annotate(ms=Max("active_ms"))
        )
        spent = defaultdict(int)
        for seat, _at, ms in rows.iterator(chunk_size=2000):
            spent[seat] += ms or 0
        seats = [Assignment(pk=pk, active_ms=ms) for pk, ms in spent.items() if ms]
        Assignment.objects.bulk_update(seats, ["active_ms"], batch_size=CHUNK)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0048_time_at_seats")]

    operations = [migrations.RunPython(forward, migrations.RunPython.noop)]
