"""Training by examples, trials, and who is qualified in what; a round may ask for it."""

from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0028_questions_of_multiple_choice"),
    ]

    operations = [
        migrations.AddField(
            model_name="round",
            name="qualified_only_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="QualificationRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "statistic",
                    models.CharField(
                        choices=[
                            ("RAW", "share of equal grades"),
                            ("KAPPA", "Cohen’s κ with quadratic weights"),
                        ],
                        default="RAW",
                        max_length=5,
                        verbose_name="agreement is measured by",
                    ),
                ),
                (
                    "reference_at",
                    models.DecimalField(
                        decimal_places=3,
                        max_digits=4,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("0")),
                            django.core.validators.MaxValueValidator(Decimal("1")),
                        ],
                        verbose_name="agreement with the reference",
                    ),
                ),
                (
                    "peers_at",
                    models.DecimalField(
                        blank=True,
                        decimal_places=3,
                        max_digits=4,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("0")),
                            django.core.validators.MaxValueValidator(Decimal("1")),
                        ],
                        verbose_name="agreement among annotators",
                    ),
                ),
                (
                    "by_bound",
                    models.BooleanField(
                        default=False, verbose_name="the whole interval has to lie above"
                    ),
                ),
                (
                    "n_least",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="on so many grades or more",
                    ),
                ),
                (
                    "practice_at",
                    models.DecimalField(
                        decimal_places=3,
                        max_digits=4,
                        validators=[
                            django.core.validators.MinValueValidator(Decimal("0")),
                            django.core.validators.MaxValueValidator(Decimal("1")),
                        ],
                        verbose_name="share of practised grades that are right",
                    ),
                ),
                (
                    "most_failures",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="failed trials before somebody stands aside",
                    ),
                ),
                (
                    "asked",
                    models.BooleanField(
                        default=False, verbose_name="new rounds ask for qualification"
                    ),
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
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="TrainingExample",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "use",
                    models.CharField(
                        choices=[
                            ("LEARN", "to learn: shown with its grades"),
                            ("PRACTISE", "to practise: graded first"),
                        ],
                        default="PRACTISE",
                        max_length=8,
                        verbose_name="use",
                    ),
                ),
                ("question", models.TextField(verbose_name="question")),
                ("reference", models.TextField(blank=True, verbose_name="standard answer")),
                ("response", models.TextField(verbose_name="answer to be graded")),
                ("grades", models.JSONField(default=dict)),
                ("explanation", models.TextField(verbose_name="why it gets these grades")),
                ("created_at", models.DateTimeField()),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "capability",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="examples",
                        to="annotation.capability",
                    ),
                ),
                (
                    "created_by",
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
                        related_name="+",
                        to="annotation.project",
                    ),
                ),
                (
                    "rubric_version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.rubricversion",
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["capability", "number"],
            },
        ),
        migrations.CreateModel(
            name="Practice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("grades", models.JSONField(blank=True, default=dict)),
                ("n_right", models.PositiveSmallIntegerField(default=0)),
                ("n", models.PositiveSmallIntegerField(default=0)),
                ("at", models.DateTimeField()),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="practices",
                        to="annotation.rater",
                    ),
                ),
                (
                    "example",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="practices",
                        to="annotation.trainingexample",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "capability",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.capability",
                    ),
                ),
                (
                    "round",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trial",
                        to="annotation.round",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.qualificationrule",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Expertise",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tag", models.CharField(max_length=60, verbose_name="knows about")),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="expertise",
                        to="annotation.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="expertise",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["tag"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user", "tag"), name="an_expertise_is_named_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Qualification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("BEGUN", "began the training"),
                            ("PRACTISED", "finished the training"),
                            ("INVITED", "was put into a trial"),
                            ("PASSED", "passed the trial"),
                            ("FAILED", "did not reach the threshold"),
                            ("UNDECIDED", "the trial could not tell"),
                            ("WITHDRAWN", "left the trial"),
                            ("LAPSED", "was sent back to training"),
                            ("ALLOWED", "was let in by an owner"),
                            ("SUSPENDED", "was asked to stand aside"),
                            ("REINSTATED", "may train again"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("NEW", "not begun"),
                            ("TRAINING", "in training"),
                            ("TRAINED", "ready for a trial"),
                            ("TRIAL", "in a trial"),
                            ("QUALIFIED", "qualified"),
                            ("RETRAINING", "training again"),
                            ("SUSPENDED", "stands aside"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("figures", models.JSONField(blank=True, default=dict)),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "capability",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.capability",
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.rater",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="annotation.round",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rater", "capability", "number"),
                        name="one_step_of_a_qualification_after_the_other",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("event__in", ["ALLOWED", "SUSPENDED", "LAPSED", "REINSTATED"]),
                                _negated=True,
                            ),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="what_is_said_of_somebody_by_hand_says_why",
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="qualificationrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("asked", False), ("capability__isnull", True), _connector="OR"),
                name="a_project_not_a_capability_asks_for_qualification",
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingexample",
            constraint=models.UniqueConstraint(
                fields=("project", "number"), name="training_example_number_is_unique"
            ),
        ),
        migrations.AddIndex(
            model_name="practice",
            index=models.Index(fields=["rater", "example"], name="practice_by_rater"),
        ),
        migrations.AddConstraint(
            model_name="practice",
            constraint=models.CheckConstraint(
                condition=models.Q(("n_right__lte", models.F("n"))),
                name="no_more_is_right_than_was_practised",
            ),
        ),
        Guard(
            "a_rule_of_qualification_stays",
            table="annotation_qualificationrule",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a rule of qualification stays as it is: write another one",
        ),
        Guard(
            "a_training_example_stays",
            table="annotation_trainingexample",
            before="UPDATE",
            columns=[
                "capability_id",
                "rubric_version_id",
                "number",
                "use",
                "question",
                "reference",
                "response",
                "grades",
                "explanation",
                "created_by_id",
                "created_at",
            ],
            message="a training example stays as it is: withdraw it and write another one",
        ),
        Guard(
            "a_practice_stays",
            table="annotation_practice",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="what somebody practised stays as it was",
        ),
        Guard(
            "a_step_of_a_qualification_stays",
            table="annotation_qualification",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a step of a qualification stays: what follows is another step",
        ),
        Guard(
            "a_step_of_a_qualification_is_kept",
            table="annotation_qualification",
            before="DELETE",
            when="OLD.id IS NOT NULL",
            message="a step of a qualification is kept",
        ),
    ]
