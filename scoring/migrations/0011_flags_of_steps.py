from django.db import migrations, models


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
    ]
