"""Questions come into the bank from files: staged, then seen at once; each says which import brought it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0017_bank_lists_and_bulk_edits"),
    ]

    operations = [
        migrations.AddField(
            model_name="question",
            name="batch",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="questions",
                to="annotation.importbatch",
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="stands_for",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="annotation.question",
            ),
        ),
        migrations.AddField(
            model_name="questionversion",
            name="batch",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="versions",
                to="annotation.importbatch",
            ),
        ),
        migrations.AlterField(
            model_name="importbatch",
            name="kind",
            field=models.CharField(
                choices=[
                    ("ANSWERS", "questions and answers"),
                    ("QUESTIONS", "questions for the bank"),
                    ("GRADES", "grades"),
                    ("SCORES", "scores of judges and metrics"),
                ],
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="question",
            name="state",
            field=models.CharField(
                choices=[
                    ("STAGED", "being brought in"),
                    ("LIVE", "live"),
                    ("RETIRED", "retired"),
                    ("INVALIDATED", "invalidated"),
                ],
                default="LIVE",
                max_length=11,
            ),
        ),
        migrations.AlterField(
            model_name="questionchange",
            name="new",
            field=models.CharField(
                choices=[
                    ("STAGED", "being brought in"),
                    ("LIVE", "live"),
                    ("RETIRED", "retired"),
                    ("INVALIDATED", "invalidated"),
                ],
                max_length=11,
            ),
        ),
        migrations.AlterField(
            model_name="questionchange",
            name="old",
            field=models.CharField(
                choices=[
                    ("STAGED", "being brought in"),
                    ("LIVE", "live"),
                    ("RETIRED", "retired"),
                    ("INVALIDATED", "invalidated"),
                ],
                max_length=11,
            ),
        ),
        migrations.AlterField(
            model_name="upload",
            name="kind",
            field=models.CharField(
                choices=[
                    ("ANSWERS", "questions and answers"),
                    ("QUESTIONS", "questions for the bank"),
                    ("GRADES", "grades"),
                    ("SCORES", "scores of judges and metrics"),
                ],
                max_length=9,
            ),
        ),
    ]
