from django.db import migrations, models

from evalsite.db.guards import Guard


def guard() -> Guard:
    """Return what the new column makes SQLite lose, with the table that it makes anew."""
    return Guard(
        "a_finished_step_stays",
        table="scoring_step",
        before="UPDATE",
        when="OLD.state = 'DONE'",
        message="a step that is done stays as it is",
        again=True,
    )


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0031_report_links'),
    ]

    operations = [
        guard(),  # the last step on the way back
        migrations.AddField(
            model_name='step',
            name='lost',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        guard(),
    ]
