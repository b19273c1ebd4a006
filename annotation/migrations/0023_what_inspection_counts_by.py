"""The index of versions by state holds all that the queue, the board and the figures count by."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0022_words_by_trigrams")]

    operations = [
        migrations.RemoveIndex(model_name="questionversion", name="version_by_state"),
        migrations.AddIndex(
            model_name="questionversion",
            index=models.Index(
                fields=[
                    "state",
                    "submitted_at",
                    "question",
                    "number",
                    "author",
                    "capability",
                    "domain",
                    "decided_at",
                ],
                name="version_by_state",
            ),
        ),
    ]
