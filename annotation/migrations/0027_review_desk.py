"""What reviewers decide, who confirmed it, what came of it; looks at annotators' signals."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0026_attributes_of_a_release"),
    ]

    operations = [
        migrations.AlterField(
            model_name="claimevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("CLAIMED", "claimed"),
                    ("EXPIRED", "expired"),
                    ("DECLINED", "skipped"),
                    ("HANDED_BACK", "handed back"),
                    ("REASSIGNED", "reassigned"),
                    ("REOPENED", "asked to look again"),
                ],
                max_length=11,
            ),
        ),
        migrations.AlterField(
            model_name="rounditem",
            name="chance_unknown",
            field=models.CharField(
                blank=True,
                choices=[
                    ("NAMED", "named by hand, not drawn by lot"),
                    ("ANCHOR", "an anchor, drawn from an earlier round"),
                    ("REPEAT", "a repeat of another item of the round"),
                    ("GOLD", "a gold item, whose grades are known"),
                ],
                max_length=6,
            ),
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.UUIDField(default=uuid.uuid4)),
                (
                    "act",
                    models.CharField(
                        choices=[
                            ("TAKE_UP", "to be looked at"),
                            ("KEEP", "the grades are kept"),
                            ("REGRADE", "graded by one more annotator"),
                            ("HAND_BACK", "handed back to its annotator"),
                            ("ADJUDICATE", "adjudicated"),
                            ("STRIKE_GRADE", "a grade declared invalid"),
                            ("STRIKE_RATER", "an annotator's grades declared invalid"),
                            ("STRIKE_QUESTION", "the question declared invalid"),
                            ("FIX_ANSWER", "the standard answer is corrected"),
                            ("CLARIFY_RUBRIC", "the rubric is made clearer"),
                            ("REVERSE", "an earlier decision taken back"),
                        ],
                        max_length=15,
                    ),
                ),
                (
                    "value",
                    models.DecimalField(blank=True, decimal_places=4, max_digits=12, null=True),
                ),
                ("text", models.TextField(blank=True)),
                ("reason", models.CharField(max_length=1000)),
                ("at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "capability",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.capability",
                    ),
                ),
                (
                    "criterion",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.criterion",
                    ),
                ),
                (
                    "grade",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.grade",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.item",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.rater",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.response",
                    ),
                ),
                (
                    "reverses",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversals",
                        to="annotation.decision",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="annotation.round",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Effect",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="effect",
                        to="annotation.decision",
                    ),
                ),
                (
                    "grade",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.grade",
                    ),
                ),
                (
                    "invalidation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.invalidation",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Look",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("because", models.JSONField(default=dict)),
                ("note", models.CharField(max_length=1000, verbose_name="what you found")),
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
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="looks",
                        to="annotation.rater",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="looks",
                        to="annotation.round",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="ReviewRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "n_reviewers",
                    models.PositiveSmallIntegerField(
                        default=1, verbose_name="reviewers for a decision"
                    ),
                ),
                (
                    "hide_people",
                    models.BooleanField(default=False, verbose_name="hide who gave a grade"),
                ),
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="review_rules",
                        to="annotation.project",
                    ),
                ),
            ],
            options={
                "ordering": ["project", "-pk"],
            },
        ),
        migrations.AddIndex(
            model_name="decision",
            index=models.Index(fields=["round", "item"], name="decision_by_question"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(
                fields=("round", "key"), name="a_decision_is_made_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="a_decision_says_its_reason"
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("act", "ADJUDICATE"), _negated=True),
                    models.Q(
                        ("criterion__isnull", False),
                        ("response__isnull", False),
                        ("value__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="an_adjudication_has_its_grade",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("act", "REVERSE"), ("reverses__isnull", False)),
                    models.Q(
                        models.Q(("act", "REVERSE"), _negated=True), ("reverses__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="only_a_reversal_reverses",
            ),
        ),
        migrations.AddConstraint(
            model_name="look",
            constraint=models.CheckConstraint(
                condition=models.Q(("note", ""), _negated=True), name="a_look_says_what_was_found"
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("n_reviewers__in", [1, 2])), name="one_or_two_people_decide"
            ),
        ),
        *[
            Guard(
                f"{name}_{word}",
                table=f"annotation_{table}",
                before=before,
                when="OLD.id IS NOT NULL",
                message="what was decided in review stays on record",
            )
            for name, table in (
                ("a_review_rule", "reviewrule"),
                ("a_decision", "decision"),
                ("an_effect", "effect"),
                ("a_look", "look"),
            )
            for word, before in (("stays", "UPDATE"), ("lasts", "DELETE"))
        ],
    ]
