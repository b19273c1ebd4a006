"""Lists of a large bank are read from indexes, and its words from a table of their own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0018_questions_come_from_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="QuestionText",
            fields=[
                (
                    "question",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="words",
                        serialize=False,
                        to="annotation.question",
                    ),
                ),
                ("said", models.TextField()),
            ],
        ),
        migrations.AddIndex(
            model_name="questionversion",
            index=models.Index(
                condition=models.Q(("valid_until__isnull", False)),
                fields=["valid_until"],
                name="version_by_date",
            ),
        ),
        migrations.AddIndex(
            model_name="questionversion",
            index=models.Index(
                fields=[
                    "question",
                    "number",
                    "state",
                    "author",
                    "capability",
                    "difficulty",
                    "domain",
                    "language",
                    "valid_until",
                    "saved_at",
                    "submitted_at",
                    "decided_at",
                    "meaning_changed",
                ],
                name="version_listed",
            ),
        ),
    ]
