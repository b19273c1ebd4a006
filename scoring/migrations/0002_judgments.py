"""Judges, metrics, and the marks they give, which nobody changes."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0016_ranges_may_be_open"),
        ("scoring", "0001_figures"),
    ]

    operations = [
        migrations.CreateModel(
            name="Machine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("family", models.CharField(blank=True, max_length=80)),
                ("created_at", models.DateTimeField()),
                (
                    "rater",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="machine",
                        to="annotation.rater",
                    ),
                ),
                (
                    "rubric",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="machine",
                        to="annotation.rubric",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Judgment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "target_level",
                    models.CharField(
                        choices=[
                            ("RESPONSE", "response"),
                            ("TURN", "turn"),
                            ("MESSAGE", "message"),
                            ("TOOL_CALL", "tool call"),
                        ],
                        default="RESPONSE",
                        max_length=9,
                    ),
                ),
                ("target_index", models.PositiveIntegerField(blank=True, null=True)),
                ("repeat", models.PositiveSmallIntegerField(default=0)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("SCORED", "scored"),
                            ("UNSCORED", "not scored"),
                            ("REFUSED", "refused"),
                            ("SKIPPED", "left out"),
                        ],
                        default="SCORED",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("value", models.FloatField(blank=True, null=True)),
                ("n_valid", models.PositiveIntegerField(blank=True, null=True)),
                ("sd", models.FloatField(blank=True, null=True)),
                ("label", models.CharField(blank=True, max_length=120)),
                ("text", models.TextField(blank=True)),
                ("at", models.DateTimeField(blank=True, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="annotation.importbatch",
                    ),
                ),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="annotation.criterion",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="annotation.rater",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="annotation.response",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "judgments",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("batch__isnull", False)),
                        fields=("batch", "line"),
                        name="imported_judgment_line_is_unique",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("batch__isnull", False), ("target_index__isnull", True)
                        ),
                        fields=("rater", "response", "criterion", "target_level", "repeat"),
                        name="one_imported_judgment_of_a_response",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("batch__isnull", False), ("target_index__isnull", False)
                        ),
                        fields=(
                            "rater",
                            "response",
                            "criterion",
                            "target_level",
                            "target_index",
                            "repeat",
                        ),
                        name="one_imported_judgment_of_a_part_of_a_response",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("outcome", "SCORED"), ("value__isnull", False)),
                            models.Q(
                                models.Q(("outcome", "SCORED"), _negated=True),
                                ("value__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="a_judgment_has_a_value_exactly_if_it_is_scored",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("outcome", "SCORED"),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_judgment_without_a_score_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("batch__isnull", True), ("line__isnull", True)),
                            models.Q(("batch__isnull", False), ("line__isnull", False)),
                            _connector="OR",
                        ),
                        name="an_imported_judgment_has_its_line",
                    ),
                ],
            },
        ),
        Guard(
            "a_judgment_stays",
            table="scoring_judgment",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a judgment stays as it was given",
        ),
        Guard(
            "a_judgment_lasts",
            table="scoring_judgment",
            before="DELETE",
            when=(
                "OLD.batch_id IS NULL OR EXISTS (SELECT 1 FROM annotation_importbatch b "
                "WHERE b.id = OLD.batch_id AND b.state <> 'STAGED')"
            ),
            message="a judgment goes only with the import that brought it",
        ),
    ]
