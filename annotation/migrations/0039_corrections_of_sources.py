"""Corrections of where a source comes from: rows that stay."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0038_bank_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="SourceEdit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("before", models.JSONField()),
                ("after", models.JSONField()),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="edits",
                        to="annotation.source",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        *[
            Guard(
                f"a_correction_of_a_source_{word}",
                table="annotation_sourceedit",
                before=before,
                when="OLD.id IS NOT NULL",
                message="a correction of a source stays on record: correct it again",
            )
            for word, before in (("stays", "UPDATE"), ("lasts", "DELETE"))
        ],
    ]
