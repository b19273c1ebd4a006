"""Seats are told the active time of what was submitted at them before; late grades are found by an index.

A range of seats at a time, each in one statement of its own: nobody waits long for a seat, nothing is
held in memory, and what was broken off can be begun anew.
"""

from django.db import migrations, models

from evalsite.db.indexes import AddIndexBeside

CHUNK = 5000
TOLD = """
UPDATE annotation_assignment SET active_ms = (
    SELECT SUM(submitted.ms) FROM (
        SELECT MAX(g.active_ms) AS ms FROM annotation_grade g
        WHERE g.assignment_id = annotation_assignment.id AND g.active_ms IS NOT NULL AND NOT g.late
        GROUP BY g.given_at
    ) submitted
)
WHERE id > %s AND id <= %s AND EXISTS (
    SELECT 1 FROM annotation_grade g
    WHERE g.assignment_id = annotation_assignment.id AND g.active_ms IS NOT NULL AND NOT g.late
)
"""


def forward(apps, schema_editor):
    seats = apps.get_model("annotation", "Assignment").objects.order_by("pk").values_list("pk")
    last = 0
    with schema_editor.connection.cursor() as cursor:
        while end := seats.filter(pk__gt=last)[:CHUNK].aggregate(last=models.Max("pk"))["last"]:
            cursor.execute(TOLD, [last, end])
            last = end


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("annotation", "0048_time_at_seats")]

    operations = [
        migrations.RunPython(forward, migrations.RunPython.noop),
        AddIndexBeside(
            model_name="grade",
            index=models.Index(
                condition=models.Q(("late", True)), fields=["round"], name="late_grades"
            ),
        ),
    ]
