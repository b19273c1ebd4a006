"""How somebody stands with the first steps of a project."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0040_personal_tokens_and_kept_answers")]

    operations = [
        migrations.CreateModel(
            name="FirstSteps",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("opened", models.JSONField(default=list)),
                ("shown", models.BooleanField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="first_steps",
                        to="annotation.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="first_steps",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "first steps",
                "verbose_name_plural": "first steps",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user"), name="a_person_has_one_guide_in_a_project"
                    )
                ],
            },
        ),
    ]
