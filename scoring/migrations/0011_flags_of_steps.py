from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):
    dependencies = [("scoring", "0010_evaluation_tasks")]

    operations = [
        migrations.AddField(
            model_name="step",
            name="flags",
            field=models.CharField(blank=True, db_default="", default="", max_length=80),
        ),
        migrations.AddIndex(
            model_name="step",
            index=models.Index(
                condition=models.Q(("flags", ""), _negated=True),
                fields=["run", "flags"],
                name="step_by_flag",
            ),
        ),
        # SQLite makes the table anew for the column, and loses what watches it.
        Guard(
            "a_finished_step_stays",
            table="scoring_step",
            before="UPDATE",
            when="OLD.state = 'DONE'",
            message="a step that is done stays as it is",
        ),
    ]
