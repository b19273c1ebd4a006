"""All that the migrations up to 0032 make, in one."""

import django.core.validators
import django.db.models.deletion
import evalsite.db.guards
import evalsite.db.tables
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from annotation.migrations import _trigrams


class Migration(migrations.Migration):
    replaces = [
        ("annotation", "0001_people_rounds_grades"),
        ("annotation", "0002_names_shown"),
        ("annotation", "0003_seats_held_ready"),
        ("annotation", "0004_question_bank"),
        ("annotation", "0005_bank_guards"),
        ("annotation", "0006_repeats_and_manifests"),
        ("annotation", "0007_note_to_annotators"),
        ("annotation", "0008_curation_of_taxonomy"),
        ("annotation", "0009_flag_answers"),
        ("annotation", "0010_near_duplicates"),
        ("annotation", "0011_items_by_external_id"),
        ("annotation", "0012_used_stays"),
        ("annotation", "0013_retraining"),
        ("annotation", "0014_sameness_tags"),
        ("annotation", "0015_kinds_are_counted_from_an_index"),
        ("annotation", "0016_ranges_may_be_open"),
        ("annotation", "0017_bank_lists_and_bulk_edits"),
        ("annotation", "0018_questions_come_from_files"),
        ("annotation", "0019_lists_of_a_large_bank"),
        ("annotation", "0020_words_of_questions"),
        ("annotation", "0021_what_was_decided_keeps_its_dates"),
        ("annotation", "0022_words_by_trigrams"),
        ("annotation", "0023_what_inspection_counts_by"),
        ("annotation", "0024_items_counted_by_tree"),
        ("annotation", "0025_families_of_systems"),
        ("annotation", "0026_attributes_of_a_release"),
        ("annotation", "0027_review_desk"),
        ("annotation", "0028_questions_of_multiple_choice"),
        ("annotation", "0029_training_and_qualification"),
        ("annotation", "0030_daily_mail"),
        ("annotation", "0031_figures_of_benchmarks"),
        ("annotation", "0032_invitations_and_sign_ins"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        evalsite.db.tables.CreateTables(
            models=[
                migrations.CreateModel(
                    name="Project",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "slug",
                            models.SlugField(
                                max_length=60, unique=True, verbose_name="short name"
                            ),
                        ),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        (
                            "subtitle",
                            models.CharField(
                                blank=True, max_length=200, verbose_name="subtitle"
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
                        (
                            "note",
                            models.TextField(
                                blank=True, verbose_name="note to the annotators"
                            ),
                        ),
                        ("noted_at", models.DateTimeField(blank=True, null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="User",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "password",
                            models.CharField(max_length=128, verbose_name="password"),
                        ),
                        (
                            "last_login",
                            models.DateTimeField(
                                blank=True, null=True, verbose_name="last login"
                            ),
                        ),
                        (
                            "is_superuser",
                            models.BooleanField(
                                default=False,
                                help_text="Designates that this user has all permissions without explicitly assigning them.",
                                verbose_name="superuser status",
                            ),
                        ),
                        (
                            "public_id",
                            models.UUIDField(
                                default=uuid.uuid4, editable=False, unique=True
                            ),
                        ),
                        (
                            "username",
                            models.CharField(
                                error_messages={
                                    "unique": "This user name is taken. Choose another one."
                                },
                                max_length=150,
                                unique=True,
                                verbose_name="user name",
                            ),
                        ),
                        ("is_active", models.BooleanField(default=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "groups",
                            models.ManyToManyField(
                                blank=True,
                                help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.group",
                                verbose_name="groups",
                            ),
                        ),
                        (
                            "user_permissions",
                            models.ManyToManyField(
                                blank=True,
                                help_text="Specific permissions for this user.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.permission",
                                verbose_name="user permissions",
                            ),
                        ),
                    ],
                    options={
                        "abstract": False,
                    },
                ),
                migrations.CreateModel(
                    name="Rater",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "public_id",
                            models.UUIDField(
                                default=uuid.uuid4, editable=False, unique=True
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("PERSON", "person"),
                                    ("IMPORTED", "imported"),
                                    ("JUDGE", "judge"),
                                    ("METRIC", "metric"),
                                    ("DERIVED", "derived"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("ref", models.CharField(max_length=200)),
                        ("created_at", models.DateTimeField()),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="raters",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "kind", "ref"),
                                name="one_rater_per_project_kind_and_ref",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("kind", "PERSON"), ("user__isnull", False)
                                    ),
                                    models.Q(
                                        models.Q(("kind", "PERSON"), _negated=True),
                                        ("user__isnull", True),
                                    ),
                                    _connector="OR",
                                ),
                                name="a_person_rater_has_a_user",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Upload",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("ANSWERS", "questions and answers"),
                                    ("QUESTIONS", "questions for the bank"),
                                    ("GRADES", "grades"),
                                    ("SCORES", "scores of judges and metrics"),
                                    ("CHOICES", "questions of multiple choice"),
                                    ("FIGURES", "figures of other benchmarks"),
                                ],
                                max_length=9,
                            ),
                        ),
                        ("name", models.CharField(max_length=255)),
                        ("sha", models.CharField(max_length=64)),
                        ("size", models.BigIntegerField()),
                        ("layout", models.JSONField(default=dict)),
                        ("mapping", models.JSONField(null=True)),
                        ("mapping_sha", models.CharField(blank=True, max_length=64)),
                        ("report", models.JSONField(null=True)),
                        ("created_at", models.DateTimeField()),
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
                                related_name="uploads",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="upload_number_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ImportBatch",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("ANSWERS", "questions and answers"),
                                    ("QUESTIONS", "questions for the bank"),
                                    ("GRADES", "grades"),
                                    ("SCORES", "scores of judges and metrics"),
                                    ("CHOICES", "questions of multiple choice"),
                                    ("FIGURES", "figures of other benchmarks"),
                                ],
                                max_length=9,
                            ),
                        ),
                        ("file_name", models.CharField(max_length=255)),
                        ("file_sha", models.CharField(max_length=64)),
                        ("mapping", models.JSONField()),
                        ("mapping_sha", models.CharField(max_length=64)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("STAGED", "being brought in"),
                                    ("APPLIED", "applied"),
                                    ("UNDONE", "undone"),
                                ],
                                default="STAGED",
                                max_length=7,
                            ),
                        ),
                        ("stopped", models.CharField(blank=True, max_length=300)),
                        ("undoing", models.BooleanField(default=False)),
                        ("cursor", models.PositiveBigIntegerField(default=0)),
                        ("n_rows", models.PositiveBigIntegerField(default=0)),
                        ("counts", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField()),
                        ("touched_at", models.DateTimeField()),
                        ("applied_at", models.DateTimeField(blank=True, null=True)),
                        ("undone_at", models.DateTimeField(blank=True, null=True)),
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
                                related_name="batches",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "upload",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="batches",
                                to="annotation.upload",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "file_sha", "mapping_sha"),
                                name="one_batch_per_file_and_mapping",
                            ),
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="batch_number_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("state", "STAGED")),
                                fields=("project",),
                                name="one_import_at_a_time_in_a_project",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Round",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("PRODUCTION", "production"),
                                    ("TRIAL", "trial"),
                                    ("TRAINING", "training"),
                                    ("IMPORTED", "imported grades"),
                                ],
                                default="PRODUCTION",
                                max_length=10,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("DRAFT", "draft"),
                                    ("OPEN", "open"),
                                    ("REVIEW", "in review"),
                                    ("FINAL", "final"),
                                ],
                                default="DRAFT",
                                max_length=6,
                            ),
                        ),
                        ("seed", models.CharField(max_length=64, verbose_name="seed")),
                        ("secret", models.BinaryField()),
                        (
                            "n_seats",
                            models.PositiveSmallIntegerField(
                                default=3, verbose_name="annotators per question"
                            ),
                        ),
                        (
                            "seats_override",
                            models.CharField(blank=True, max_length=300),
                        ),
                        (
                            "lease_minutes",
                            models.PositiveSmallIntegerField(
                                default=30, verbose_name="minutes a seat is held"
                            ),
                        ),
                        (
                            "deadline",
                            models.DateTimeField(
                                blank=True, null=True, verbose_name="closes"
                            ),
                        ),
                        (
                            "instructions",
                            models.TextField(
                                blank=True, verbose_name="note to the annotators"
                            ),
                        ),
                        (
                            "uniform_rendering",
                            models.BooleanField(
                                default=False,
                                verbose_name="flatten headings, bold and emoji",
                            ),
                        ),
                        ("draw", models.JSONField(default=dict)),
                        ("manifest", models.JSONField(default=dict)),
                        ("revision", models.PositiveIntegerField(default=0)),
                        ("opening_at", models.DateTimeField(blank=True, null=True)),
                        ("opened_at", models.DateTimeField(blank=True, null=True)),
                        ("paused_at", models.DateTimeField(blank=True, null=True)),
                        ("review_at", models.DateTimeField(blank=True, null=True)),
                        ("final_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        (
                            "batch",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="annotation.importbatch",
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
                            "parent",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                to="annotation.round",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="rounds",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "qualified_only_since",
                            models.DateTimeField(blank=True, null=True),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="round_number_is_unique",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("n_seats__gte", 1)),
                                name="a_round_has_at_least_one_seat_per_item",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Rubric",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.SlugField(max_length=80)),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        ("created_at", models.DateTimeField()),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="rubrics",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "key"), name="rubric_key_is_unique"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Capability",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        (
                            "kind",
                            models.CharField(
                                choices=[("GENERAL", "general"), ("DOMAIN", "domain")],
                                default="DOMAIN",
                                max_length=8,
                                verbose_name="kind",
                            ),
                        ),
                        (
                            "definition",
                            models.TextField(blank=True, verbose_name="definition"),
                        ),
                        ("difficulties", models.JSONField(blank=True, default=dict)),
                        (
                            "question_type",
                            models.CharField(
                                choices=[("FACTUAL", "factual"), ("OPEN", "open")],
                                default="FACTUAL",
                                max_length=8,
                                verbose_name="question type",
                            ),
                        ),
                        (
                            "weight",
                            models.DecimalField(
                                decimal_places=4,
                                default=Decimal("1"),
                                max_digits=8,
                                verbose_name="weight",
                            ),
                        ),
                        ("position", models.PositiveIntegerField(default=0)),
                        (
                            "parent",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="children",
                                to="annotation.capability",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="capabilities",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "rubric",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="capabilities",
                                to="annotation.rubric",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position", "name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "parent", "name"),
                                name="capability_name_is_unique_below_its_parent",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("parent__isnull", True)),
                                fields=("project", "name"),
                                name="capability_name_is_unique_at_the_top",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("weight__gte", 0)),
                                name="capability_weight_is_not_negative",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Domain",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        (
                            "priority",
                            models.CharField(
                                choices=[
                                    ("P0", "P0, core"),
                                    ("P1", "P1, close"),
                                    ("P2", "P2, related"),
                                    ("P3", "P3, broad"),
                                ],
                                default="P1",
                                max_length=2,
                            ),
                        ),
                        ("in_scope", models.BooleanField(default=True)),
                        ("position", models.PositiveIntegerField(default=0)),
                        (
                            "parent",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="children",
                                to="annotation.domain",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="domains",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "completeness_note",
                            models.TextField(blank=True, verbose_name="completeness"),
                        ),
                        (
                            "definition",
                            models.TextField(
                                blank=True, verbose_name="what belongs here"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position", "name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "parent", "name"),
                                name="domain_name_is_unique_below_its_parent",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("parent__isnull", True)),
                                fields=("project", "name"),
                                name="domain_name_is_unique_at_the_top",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Question",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "external_id",
                            models.CharField(max_length=200, verbose_name="id"),
                        ),
                        (
                            "state",
                            models.CharField(
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
                        ("created_at", models.DateTimeField()),
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
                                related_name="questions",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="questions",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "stands_for",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.question",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["external_id"],
                        "indexes": [
                            models.Index(
                                fields=["project", "state"], name="question_by_state"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "external_id"),
                                name="question_id_is_unique_in_its_project",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="QuestionVersion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("DRAFT", "draft"),
                                    ("SUBMITTED", "in inspection"),
                                    ("ACCEPTED", "accepted"),
                                    ("RETURNED", "returned"),
                                ],
                                default="DRAFT",
                                max_length=9,
                            ),
                        ),
                        ("turns", models.JSONField(default=list)),
                        (
                            "answer",
                            models.TextField(
                                blank=True, verbose_name="standard answer"
                            ),
                        ),
                        (
                            "key_points",
                            models.JSONField(default=list, verbose_name="key points"),
                        ),
                        (
                            "difficulty",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("SIMPLE", "simple"),
                                    ("INTERMEDIATE", "intermediate"),
                                    ("DIFFICULT", "difficult"),
                                ],
                                max_length=12,
                                verbose_name="difficulty",
                            ),
                        ),
                        (
                            "question_type",
                            models.CharField(
                                blank=True,
                                choices=[("FACTUAL", "factual"), ("OPEN", "open")],
                                max_length=8,
                                verbose_name="type",
                            ),
                        ),
                        (
                            "principle",
                            models.TextField(
                                blank=True, verbose_name="principle of this question"
                            ),
                        ),
                        (
                            "as_of",
                            models.CharField(
                                blank=True, max_length=40, verbose_name="as of"
                            ),
                        ),
                        (
                            "valid_until",
                            models.DateField(
                                blank=True, null=True, verbose_name="valid until"
                            ),
                        ),
                        ("tags", models.JSONField(default=list, verbose_name="tags")),
                        (
                            "language",
                            models.CharField(
                                blank=True, max_length=35, verbose_name="language"
                            ),
                        ),
                        ("meaning_changed", models.BooleanField(blank=True, null=True)),
                        ("meaning_note", models.CharField(blank=True, max_length=500)),
                        ("replies", models.JSONField(default=dict)),
                        ("rev", models.PositiveIntegerField(default=0)),
                        ("created_at", models.DateTimeField()),
                        ("saved_at", models.DateTimeField()),
                        ("submitted_at", models.DateTimeField(blank=True, null=True)),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="written_versions",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "capability",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="annotation.capability",
                            ),
                        ),
                        (
                            "domain",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="annotation.domain",
                            ),
                        ),
                        (
                            "question",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="annotation.question",
                            ),
                        ),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="annotation.importbatch",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["question", "-number"],
                        "indexes": [
                            models.Index(
                                fields=[
                                    "capability",
                                    "difficulty",
                                    "domain",
                                    "state",
                                    "question",
                                    "number",
                                ],
                                name="version_by_kind",
                            ),
                            models.Index(
                                fields=["question", "number", "state"],
                                name="version_of_question",
                            ),
                            models.Index(
                                condition=models.Q(("valid_until__isnull", False)),
                                fields=["valid_until"],
                                name="version_by_date",
                            ),
                            models.Index(
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
                            models.Index(
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
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("question", "number"),
                                name="question_version_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("state__in", ["DRAFT", "SUBMITTED"])
                                ),
                                fields=("question",),
                                name="one_version_of_a_question_is_under_way",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("state", "DRAFT"),
                                    ("submitted_at__isnull", False),
                                    _connector="OR",
                                ),
                                name="what_is_no_draft_was_submitted",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("decided_at__isnull", True),
                                        ("state__in", ["DRAFT", "SUBMITTED"]),
                                    ),
                                    models.Q(
                                        ("decided_at__isnull", False),
                                        ("state__in", ["ACCEPTED", "RETURNED"]),
                                    ),
                                    _connector="OR",
                                ),
                                name="what_was_decided_says_when",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Item",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("external_id", models.CharField(max_length=200)),
                        ("content_sha", models.CharField(max_length=64)),
                        ("prompt_sha", models.CharField(db_index=True, max_length=64)),
                        ("group", models.CharField(max_length=200)),
                        ("messages", models.JSONField()),
                        ("reference", models.TextField(blank=True)),
                        ("key_points", models.JSONField(default=list)),
                        ("extra", models.JSONField(default=dict)),
                        (
                            "difficulty",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("SIMPLE", "simple"),
                                    ("INTERMEDIATE", "intermediate"),
                                    ("DIFFICULT", "difficult"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "question_type",
                            models.CharField(
                                blank=True,
                                choices=[("FACTUAL", "factual"), ("OPEN", "open")],
                                max_length=8,
                            ),
                        ),
                        ("as_of", models.CharField(blank=True, max_length=40)),
                        ("created_at", models.DateTimeField()),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="items",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "capability",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="items",
                                to="annotation.capability",
                            ),
                        ),
                        (
                            "domain",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="items",
                                to="annotation.domain",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="items",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "question_version",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="item",
                                to="annotation.questionversion",
                            ),
                        ),
                        ("published_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["project", "external_id"],
                                name="item_by_external_id",
                            ),
                            models.Index(
                                fields=["project", "domain", "batch"],
                                name="item_by_domain",
                            ),
                            models.Index(
                                fields=["project", "capability", "batch"],
                                name="item_by_capability",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("question_version__isnull", True)),
                                fields=("project", "external_id", "content_sha"),
                                name="item_is_identified_by_its_content",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RubricVersion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("HUMAN", "for people"),
                                    ("METRIC", "of a metric or a judge"),
                                ],
                                default="HUMAN",
                                max_length=6,
                            ),
                        ),
                        (
                            "principle",
                            models.TextField(
                                blank=True, verbose_name="grading principle"
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
                        ("frozen_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "rubric",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="annotation.rubric",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["rubric", "-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("rubric", "number"),
                                name="rubric_version_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoundItem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("occasion", models.PositiveSmallIntegerField(default=1)),
                        ("ordinal", models.PositiveIntegerField()),
                        (
                            "purpose",
                            models.CharField(
                                choices=[
                                    ("NORMAL", "normal"),
                                    ("ANCHOR", "anchor"),
                                    ("REPEAT", "repeat"),
                                    ("GOLD", "gold"),
                                ],
                                default="NORMAL",
                                max_length=6,
                            ),
                        ),
                        ("stratum", models.CharField(blank=True, max_length=200)),
                        (
                            "inclusion_probability",
                            models.FloatField(blank=True, null=True),
                        ),
                        ("n_seats", models.PositiveSmallIntegerField()),
                        ("face", models.JSONField(default=dict)),
                        (
                            "item",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="items",
                                to="annotation.round",
                            ),
                        ),
                        (
                            "rubric_version",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.rubricversion",
                            ),
                        ),
                        (
                            "chance_unknown",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("NAMED", "named by hand, not drawn by lot"),
                                    (
                                        "ANCHOR",
                                        "an anchor, drawn from an earlier round",
                                    ),
                                    ("REPEAT", "a repeat of another item of the round"),
                                    ("GOLD", "a gold item, whose grades are known"),
                                ],
                                max_length=6,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["ordinal"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round", "item", "occasion"),
                                name="an_item_once_per_round_and_occasion",
                            ),
                            models.UniqueConstraint(
                                fields=("round", "ordinal"),
                                name="round_item_ordinal_is_unique",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Assignment",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("seat", models.PositiveSmallIntegerField()),
                        ("ordinal", models.PositiveIntegerField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("FREE", "free"),
                                    ("CLAIMED", "claimed"),
                                    ("SUBMITTED", "submitted"),
                                    ("DROPPED", "dropped"),
                                ],
                                default="FREE",
                                max_length=9,
                            ),
                        ),
                        (
                            "token",
                            models.CharField(
                                blank=True, max_length=40, null=True, unique=True
                            ),
                        ),
                        ("claim_no", models.PositiveIntegerField(default=0)),
                        ("claimed_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("submitted_at", models.DateTimeField(blank=True, null=True)),
                        ("fence", models.PositiveIntegerField(default=0)),
                        ("rev", models.PositiveIntegerField(default=0)),
                        ("order_version", models.CharField(max_length=20)),
                        ("order_row", models.IntegerField(blank=True, null=True)),
                        (
                            "rater",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="assignments",
                                to="annotation.rater",
                            ),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="assignments",
                                to="annotation.round",
                            ),
                        ),
                        (
                            "round_item",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="assignments",
                                to="annotation.rounditem",
                            ),
                        ),
                        ("warm", models.BooleanField(default=False)),
                        ("dropped_why", models.CharField(blank=True, max_length=300)),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["round", "state", "lease_until"],
                                name="seat_by_state",
                            ),
                            models.Index(
                                fields=["rater", "round", "state"], name="seat_by_rater"
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round_item", "seat"), name="seat_is_unique"
                            ),
                            models.UniqueConstraint(
                                fields=("round", "ordinal"),
                                name="seat_ordinal_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("rater__isnull", False)),
                                fields=("round_item", "rater"),
                                name="a_rater_has_one_seat_of_an_item",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("lease_until__isnull", True),
                                        ("rater__isnull", True),
                                        ("state__in", ["FREE", "DROPPED"]),
                                    ),
                                    models.Q(
                                        ("lease_until__isnull", False),
                                        ("rater__isnull", False),
                                        ("state", "CLAIMED"),
                                    ),
                                    models.Q(
                                        ("rater__isnull", False),
                                        ("state", "SUBMITTED"),
                                        ("submitted_at__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="a_seat_that_is_taken_has_a_rater",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Criterion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.SlugField(max_length=80)),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        (
                            "description",
                            models.TextField(blank=True, verbose_name="description"),
                        ),
                        ("position", models.PositiveIntegerField(default=0)),
                        (
                            "minimum",
                            models.DecimalField(
                                decimal_places=4,
                                default=Decimal("0"),
                                max_digits=12,
                                null=True,
                                verbose_name="lowest",
                            ),
                        ),
                        (
                            "maximum",
                            models.DecimalField(
                                decimal_places=4,
                                max_digits=12,
                                null=True,
                                verbose_name="top score",
                            ),
                        ),
                        (
                            "step",
                            models.DecimalField(
                                blank=True,
                                decimal_places=4,
                                default=Decimal("1"),
                                max_digits=12,
                                null=True,
                            ),
                        ),
                        (
                            "pass_at",
                            models.DecimalField(
                                blank=True,
                                decimal_places=4,
                                max_digits=12,
                                null=True,
                                verbose_name="passes from",
                            ),
                        ),
                        (
                            "weight",
                            models.DecimalField(
                                decimal_places=4,
                                default=Decimal("1"),
                                max_digits=8,
                                verbose_name="weight",
                            ),
                        ),
                        (
                            "rubric_version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="criteria",
                                to="annotation.rubricversion",
                            ),
                        ),
                        (
                            "higher_is_better",
                            models.BooleanField(
                                default=True, verbose_name="higher is better"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("rubric_version", "key"),
                                name="criterion_key_is_unique_in_its_version",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("minimum__lt", models.F("maximum"))
                                ),
                                name="criterion_minimum_is_below_its_maximum",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Person",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        (
                            "email",
                            models.EmailField(
                                blank=True, max_length=254, verbose_name="e-mail"
                            ),
                        ),
                        (
                            "user",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="person",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "daily_mail",
                            models.BooleanField(
                                default=False, verbose_name="daily mail"
                            ),
                        ),
                        ("mailed_at", models.DateTimeField(blank=True, null=True)),
                        ("mailed_sha", models.CharField(blank=True, max_length=64)),
                    ],
                ),
                migrations.CreateModel(
                    name="AuditEvent",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("actor", models.UUIDField(blank=True, null=True)),
                        ("verb", models.CharField(max_length=60)),
                        ("subject", models.CharField(max_length=120)),
                        ("data", models.JSONField(default=dict)),
                        ("note", models.TextField(blank=True)),
                        ("note_sha", models.CharField(blank=True, max_length=64)),
                        ("at", models.DateTimeField()),
                        ("seq", models.PositiveBigIntegerField(blank=True, null=True)),
                        ("sha", models.CharField(blank=True, max_length=64)),
                        (
                            "project",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="events",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-pk"],
                        "indexes": [
                            models.Index(
                                fields=["project", "-id"], name="event_by_project"
                            ),
                            models.Index(
                                condition=models.Q(("seq__isnull", True)),
                                fields=["id"],
                                name="event_to_seal",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("project__isnull", False), ("seq__isnull", False)
                                ),
                                fields=("project", "seq"),
                                name="sealed_event_is_unique_in_its_project",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("project__isnull", True), ("seq__isnull", False)
                                ),
                                fields=("seq",),
                                name="sealed_event_is_unique_outside_projects",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Draft",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("rev", models.PositiveIntegerField(default=0)),
                        ("marks", models.JSONField(default=dict)),
                        ("saved_at", models.DateTimeField()),
                        (
                            "assignment",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="draft",
                                to="annotation.assignment",
                            ),
                        ),
                        (
                            "rater",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.rater",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="ClaimEvent",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
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
                        ("claim_no", models.PositiveIntegerField()),
                        ("token", models.CharField(db_index=True, max_length=40)),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("kept", models.JSONField(blank=True, null=True)),
                        ("at", models.DateTimeField()),
                        (
                            "assignment",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="events",
                                to="annotation.assignment",
                            ),
                        ),
                        (
                            "rater",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.rater",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["rater", "kind"], name="claim_event_by_rater"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Receipt",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("op_id", models.UUIDField()),
                        ("kind", models.CharField(max_length=12)),
                        ("rev", models.PositiveIntegerField()),
                        ("digest", models.CharField(blank=True, max_length=64)),
                        ("late", models.BooleanField(default=False)),
                        ("at", models.DateTimeField()),
                        (
                            "assignment",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="receipts",
                                to="annotation.assignment",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("user", "op_id"),
                                name="a_request_is_answered_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="System",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=200, verbose_name="name")),
                        ("aliases", models.JSONField(blank=True, default=list)),
                        ("colour", models.PositiveSmallIntegerField(default=1)),
                        ("created_at", models.DateTimeField()),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="systems",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="systems",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "family",
                            models.CharField(
                                blank=True, max_length=80, verbose_name="family"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "name"), name="system_name_is_unique"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SystemRelease",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "label",
                            models.CharField(max_length=120, verbose_name="release"),
                        ),
                        ("notes", models.TextField(blank=True)),
                        ("created_at", models.DateTimeField()),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="releases",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "system",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="releases",
                                to="annotation.system",
                            ),
                        ),
                        (
                            "context_length",
                            models.PositiveIntegerField(
                                blank=True, null=True, verbose_name="context in tokens"
                            ),
                        ),
                        (
                            "knowledge_until",
                            models.CharField(
                                blank=True,
                                max_length=40,
                                verbose_name="knowledge until",
                            ),
                        ),
                        (
                            "retrieval",
                            models.BooleanField(
                                blank=True, null=True, verbose_name="retrieval"
                            ),
                        ),
                        (
                            "tools",
                            models.BooleanField(
                                blank=True, null=True, verbose_name="tools"
                            ),
                        ),
                        (
                            "web_access",
                            models.BooleanField(
                                blank=True, null=True, verbose_name="web access"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["system", "label"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("system", "label"),
                                name="release_label_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Response",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("sample_no", models.PositiveIntegerField(default=1)),
                        ("content_sha", models.CharField(max_length=64)),
                        ("messages", models.JSONField()),
                        (
                            "origin",
                            models.CharField(
                                choices=[
                                    ("IMPORTED", "imported"),
                                    ("GENERATED", "generated"),
                                    ("DIALOGUE", "dialogue"),
                                    ("RECORDED", "recorded"),
                                ],
                                default="IMPORTED",
                                max_length=9,
                            ),
                        ),
                        ("details", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField()),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="responses",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "item",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="responses",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "release",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="responses",
                                to="annotation.systemrelease",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("item", "release", "sample_no", "content_sha"),
                                name="response_is_identified_by_its_content",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Display",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("renderer", models.CharField(max_length=20)),
                        ("mask_set", models.CharField(max_length=64)),
                        ("text", models.TextField(blank=True)),
                        ("html", models.TextField(blank=True)),
                        (
                            "response",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="displays",
                                to="annotation.response",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("response", "renderer", "mask_set"),
                                name="one_display_per_response_renderer_and_masks",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoundResponse",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "display",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.display",
                            ),
                        ),
                        (
                            "response",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "round_item",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="responses",
                                to="annotation.rounditem",
                            ),
                        ),
                        (
                            "release",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.systemrelease",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round_item", "release"),
                                name="one_response_per_release_and_round_item",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Slot",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("position", models.PositiveSmallIntegerField()),
                        (
                            "assignment",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="slots",
                                to="annotation.assignment",
                            ),
                        ),
                        (
                            "round_response",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="slots",
                                to="annotation.roundresponse",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("assignment", "position"),
                                name="slot_position_is_unique",
                            ),
                            models.UniqueConstraint(
                                fields=("assignment", "round_response"),
                                name="a_response_once_in_a_seat",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Grade",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("line", models.PositiveBigIntegerField(blank=True, null=True)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("GIVEN", "given"),
                                    ("ADJUDICATED", "adjudicated"),
                                    ("REFERENCE", "reference"),
                                ],
                                default="GIVEN",
                                max_length=11,
                            ),
                        ),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("VALUE", "graded"),
                                    ("CANNOT_GRADE", "cannot be graded"),
                                ],
                                default="VALUE",
                                max_length=12,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        (
                            "value",
                            models.DecimalField(
                                blank=True, decimal_places=4, max_digits=12, null=True
                            ),
                        ),
                        ("revision", models.PositiveIntegerField(default=1)),
                        ("is_current", models.BooleanField(default=True)),
                        ("late", models.BooleanField(default=False)),
                        ("given_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "active_ms",
                            models.PositiveIntegerField(blank=True, null=True),
                        ),
                        ("view", models.CharField(blank=True, max_length=10)),
                        (
                            "assignment",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.assignment",
                            ),
                        ),
                        (
                            "criterion",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.criterion",
                            ),
                        ),
                        (
                            "batch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "rater",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.rater",
                            ),
                        ),
                        (
                            "response",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.round",
                            ),
                        ),
                        (
                            "slot",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="grades",
                                to="annotation.slot",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("slot__isnull", False)),
                                fields=("slot", "criterion", "kind", "revision"),
                                name="grade_revision_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("batch__isnull", False)),
                                fields=("batch", "line"),
                                name="imported_grade_line_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("batch__isnull", True), ("slot__isnull", True)
                                ),
                                fields=(
                                    "round",
                                    "response",
                                    "criterion",
                                    "kind",
                                    "revision",
                                ),
                                name="reference_grade_revision_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("is_current", True), ("slot__isnull", False)
                                ),
                                fields=("slot", "criterion", "kind"),
                                name="one_current_grade_per_slot_and_criterion",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("outcome", "VALUE"), ("value__isnull", False)
                                    ),
                                    models.Q(
                                        ("outcome", "CANNOT_GRADE"),
                                        ("value__isnull", True),
                                    ),
                                    _connector="OR",
                                ),
                                name="a_grade_has_a_value_or_says_why_not",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("assignment__isnull", True),
                                        ("slot__isnull", True),
                                    ),
                                    models.Q(
                                        ("assignment__isnull", False),
                                        ("batch__isnull", True),
                                        ("slot__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="a_graded_slot_belongs_to_a_seat",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("late", False),
                                    ("is_current", False),
                                    _connector="OR",
                                ),
                                name="a_late_grade_counts_nowhere",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("batch__isnull", True), ("line__isnull", True)
                                    ),
                                    models.Q(
                                        ("batch__isnull", False),
                                        ("line__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="an_imported_grade_has_its_line",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Invalidation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("GRADE", "one grade"),
                                    ("RATER", "a rater in a capability of a round"),
                                    ("QUESTION", "a question"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("reason", models.CharField(max_length=500)),
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
                            "grade",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="invalidations",
                                to="annotation.grade",
                            ),
                        ),
                        (
                            "reverses",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="reversed_by",
                                to="annotation.invalidation",
                            ),
                        ),
                        (
                            "item",
                            models.ForeignKey(
                                blank=True,
                                null=True,
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
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="invalidations",
                                to="annotation.round",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("grade__isnull", False), ("kind", "GRADE")
                                    ),
                                    models.Q(
                                        ("kind", "RATER"), ("rater__isnull", False)
                                    ),
                                    models.Q(
                                        ("item__isnull", False), ("kind", "QUESTION")
                                    ),
                                    _connector="OR",
                                ),
                                name="an_invalidation_has_its_target",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IdentityHit",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("term", models.CharField(max_length=200)),
                        ("kind", models.CharField(max_length=20)),
                        ("message_no", models.PositiveSmallIntegerField(default=0)),
                        ("start", models.PositiveIntegerField()),
                        ("end", models.PositiveIntegerField()),
                        ("excerpt", models.CharField(max_length=300)),
                        (
                            "decision",
                            models.CharField(
                                choices=[
                                    ("UNDECIDED", "to decide"),
                                    ("MASK", "masked"),
                                    ("KEEP", "left as it is"),
                                ],
                                default="UNDECIDED",
                                max_length=9,
                            ),
                        ),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "decided_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "response",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="identity_hits",
                                to="annotation.round",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["term", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=(
                                    "round",
                                    "response",
                                    "message_no",
                                    "start",
                                    "end",
                                ),
                                name="identity_hit_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoundAnnotator",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("cursor", models.PositiveIntegerField(default=0)),
                        ("override", models.CharField(blank=True, max_length=300)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "rater",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="round_places",
                                to="annotation.rater",
                            ),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="annotators",
                                to="annotation.round",
                            ),
                        ),
                        ("own_override", models.CharField(blank=True, max_length=300)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round", "rater"),
                                name="an_annotator_once_in_a_round",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoundRubric",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rubrics",
                                to="annotation.round",
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
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round", "capability"),
                                name="one_rubric_per_capability_of_a_round",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("capability__isnull", True)),
                                fields=("round",),
                                name="one_rubric_for_the_rest_of_a_round",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Remark",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("COMMENT", "comment"),
                                    ("FLAG", "flag"),
                                    ("EVIDENCE", "evidence"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("text", models.TextField(blank=True)),
                        ("start", models.PositiveIntegerField(blank=True, null=True)),
                        ("end", models.PositiveIntegerField(blank=True, null=True)),
                        ("revision", models.PositiveIntegerField(default=1)),
                        ("late", models.BooleanField(default=False)),
                        ("at", models.DateTimeField()),
                        (
                            "display",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.display",
                            ),
                        ),
                        (
                            "grade",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="remarks",
                                to="annotation.grade",
                            ),
                        ),
                        (
                            "rater",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.rater",
                            ),
                        ),
                        (
                            "slot",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="remarks",
                                to="annotation.slot",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("grade__isnull", False), ("slot__isnull", True)
                                    ),
                                    models.Q(
                                        ("grade__isnull", True), ("slot__isnull", False)
                                    ),
                                    _connector="OR",
                                ),
                                name="a_remark_is_about_a_grade_or_a_slot",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoundSystem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "ordinal",
                            models.PositiveSmallIntegerField(blank=True, null=True),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="systems",
                                to="annotation.round",
                            ),
                        ),
                        (
                            "release",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.systemrelease",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round", "release"),
                                name="a_release_once_in_a_round",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="UploadChunk",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("ordinal", models.PositiveIntegerField()),
                        ("data", models.BinaryField()),
                        (
                            "upload",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="chunks",
                                to="annotation.upload",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["ordinal"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("upload", "ordinal"),
                                name="upload_chunk_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Level",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("value", models.DecimalField(decimal_places=4, max_digits=12)),
                        ("label", models.CharField(max_length=120)),
                        ("description", models.TextField(blank=True)),
                        (
                            "criterion",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="levels",
                                to="annotation.criterion",
                            ),
                        ),
                        ("examples", models.JSONField(blank=True, default=list)),
                    ],
                    options={
                        "ordering": ["value"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("criterion", "value"),
                                name="level_value_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Membership",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("OWNER", "owner"),
                                    ("CURATOR", "curator"),
                                    ("DESIGNER", "designer"),
                                    ("INSPECTOR", "inspector"),
                                    ("ANNOTATOR", "annotator"),
                                    ("ANALYST", "analyst"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="memberships",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="memberships",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "user", "role"),
                                name="one_membership_per_project_user_and_role",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "role__in",
                                        [
                                            "OWNER",
                                            "CURATOR",
                                            "DESIGNER",
                                            "INSPECTOR",
                                            "ANNOTATOR",
                                            "ANALYST",
                                        ],
                                    )
                                ),
                                name="membership_role_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Unblinding",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("at", models.DateTimeField()),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="unblindings",
                                to="annotation.round",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round", "user"),
                                name="names_are_shown_once_to_a_person",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Checklist",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("lines", models.JSONField(default=list)),
                        ("created_at", models.DateTimeField()),
                        (
                            "created_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="checklists",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["project", "-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"), name="checklist_is_unique"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Source",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "title",
                            models.CharField(max_length=300, verbose_name="title"),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("WEB", "web page"),
                                    ("DOCUMENT", "document"),
                                    ("DATA", "data"),
                                    ("EXPERT", "statement of an expert"),
                                ],
                                default="DOCUMENT",
                                max_length=8,
                                verbose_name="kind",
                            ),
                        ),
                        (
                            "address",
                            models.CharField(
                                blank=True, max_length=1000, verbose_name="address"
                            ),
                        ),
                        (
                            "publisher",
                            models.CharField(
                                blank=True, max_length=200, verbose_name="publisher"
                            ),
                        ),
                        (
                            "licence",
                            models.CharField(
                                blank=True, max_length=200, verbose_name="licence"
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
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
                                related_name="sources",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["title"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "title"),
                                name="source_title_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SourceVersion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("sha", models.CharField(max_length=64)),
                        ("text", models.TextField(blank=True, verbose_name="text")),
                        (
                            "retrieved_on",
                            models.DateField(
                                blank=True, null=True, verbose_name="retrieved on"
                            ),
                        ),
                        (
                            "valid_from",
                            models.DateField(
                                blank=True, null=True, verbose_name="valid from"
                            ),
                        ),
                        (
                            "valid_until",
                            models.DateField(
                                blank=True, null=True, verbose_name="valid until"
                            ),
                        ),
                        (
                            "note",
                            models.CharField(
                                blank=True, max_length=500, verbose_name="note"
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
                        (
                            "created_by",
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
                                related_name="versions",
                                to="annotation.source",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["source", "-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("source", "sha"),
                                name="source_version_says_new_things",
                            ),
                            models.UniqueConstraint(
                                fields=("source", "number"),
                                name="source_version_is_unique",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Citation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "locator",
                            models.CharField(
                                blank=True, max_length=300, verbose_name="place"
                            ),
                        ),
                        ("position", models.PositiveSmallIntegerField(default=0)),
                        (
                            "version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="citations",
                                to="annotation.questionversion",
                            ),
                        ),
                        (
                            "source_version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="citations",
                                to="annotation.sourceversion",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("version", "source_version", "locator"),
                                name="a_place_is_cited_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Inspection",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "verdict",
                            models.CharField(
                                choices=[
                                    ("ACCEPT", "accepted"),
                                    ("RETURN", "returned"),
                                ],
                                max_length=6,
                            ),
                        ),
                        ("note", models.TextField(blank=True, verbose_name="note")),
                        ("suggestion", models.JSONField(default=dict)),
                        ("at", models.DateTimeField()),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "checklist",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.checklist",
                            ),
                        ),
                        (
                            "inspector",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="inspections",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="inspections",
                                to="annotation.questionversion",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("version", "inspector"),
                                name="an_inspector_inspects_a_version_once",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("inspector", models.F("author")), _negated=True
                                ),
                                name="nobody_inspects_their_own_question",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Finding",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("line", models.CharField(max_length=40)),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("PASS", "pass"),
                                    ("FAIL", "fail"),
                                    ("NOT_APPLICABLE", "not applicable"),
                                ],
                                max_length=14,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=40)),
                        ("field", models.CharField(blank=True, max_length=40)),
                        ("note", models.CharField(blank=True, max_length=1000)),
                        ("position", models.PositiveSmallIntegerField(default=0)),
                        (
                            "inspection",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="findings",
                                to="annotation.inspection",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position"],
                        "indexes": [
                            models.Index(
                                fields=["outcome", "inspection", "reason"],
                                name="finding_by_outcome",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("inspection", "line"),
                                name="a_line_is_answered_once_in_an_inspection",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("outcome", "FAIL"), _negated=True),
                                    models.Q(("reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="what_failed_says_why",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="QuestionChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "old",
                            models.CharField(
                                choices=[
                                    ("STAGED", "being brought in"),
                                    ("LIVE", "live"),
                                    ("RETIRED", "retired"),
                                    ("INVALIDATED", "invalidated"),
                                ],
                                max_length=11,
                            ),
                        ),
                        (
                            "new",
                            models.CharField(
                                choices=[
                                    ("STAGED", "being brought in"),
                                    ("LIVE", "live"),
                                    ("RETIRED", "retired"),
                                    ("INVALIDATED", "invalidated"),
                                ],
                                max_length=11,
                            ),
                        ),
                        (
                            "reason",
                            models.CharField(max_length=500, verbose_name="reason"),
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
                            "question",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="changes",
                                to="annotation.question",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                    },
                ),
                migrations.CreateModel(
                    name="QuestionComment",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("field", models.CharField(blank=True, max_length=40)),
                        ("text", models.TextField(verbose_name="comment")),
                        ("at", models.DateTimeField()),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "question",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="comments",
                                to="annotation.question",
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="comments",
                                to="annotation.questionversion",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Manifest",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("body", models.JSONField()),
                        ("sha", models.CharField(max_length=64)),
                        ("at", models.DateTimeField()),
                        (
                            "round",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="frozen",
                                to="annotation.round",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="PlanCell",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "difficulty",
                            models.CharField(
                                choices=[
                                    ("SIMPLE", "simple"),
                                    ("INTERMEDIATE", "intermediate"),
                                    ("DIFFICULT", "difficult"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("wanted", models.PositiveIntegerField(verbose_name="wanted")),
                        (
                            "capability",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plan_cells",
                                to="annotation.capability",
                            ),
                        ),
                        (
                            "domain",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plan_cells",
                                to="annotation.domain",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plan_cells",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=(
                                    "project",
                                    "capability",
                                    "difficulty",
                                    "domain",
                                ),
                                name="plan_cell_is_unique_in_its_domain",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("domain__isnull", True)),
                                fields=("project", "capability", "difficulty"),
                                name="plan_cell_is_unique_over_all_domains",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("wanted__gte", 1)),
                                name="a_plan_cell_wants_something",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "difficulty__in",
                                        ["SIMPLE", "INTERMEDIATE", "DIFFICULT"],
                                    )
                                ),
                                name="a_plan_cell_has_a_difficulty",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PlanShare",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("n", models.PositiveIntegerField(verbose_name="questions")),
                        (
                            "due_on",
                            models.DateField(
                                blank=True, null=True, verbose_name="due on"
                            ),
                        ),
                        (
                            "cell",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="shares",
                                to="annotation.plancell",
                            ),
                        ),
                        (
                            "designer",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plan_shares",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["due_on", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("cell", "designer"),
                                name="a_designer_has_one_share_of_a_cell",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("n__gte", 1)),
                                name="a_share_is_one_question_or_more",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FlagAnswer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("text", models.TextField()),
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
                            "flag",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="answers",
                                to="annotation.remark",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="IndexedText",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("method", models.PositiveSmallIntegerField()),
                        (
                            "item",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="indexed",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "question",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="indexed",
                                to="annotation.question",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("item__isnull", True),
                                        ("question__isnull", False),
                                    ),
                                    models.Q(
                                        ("item__isnull", False),
                                        ("question__isnull", True),
                                    ),
                                    _connector="OR",
                                ),
                                name="an_indexed_text_is_a_question_or_an_item",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TextKey",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.IntegerField()),
                        (
                            "project",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "text",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="keys",
                                to="annotation.indexedtext",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["project", "key", "text"], name="text_by_key"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Retraining",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "note",
                            models.CharField(
                                max_length=1000, verbose_name="what was done"
                            ),
                        ),
                        ("because", models.JSONField(default=dict)),
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
                            "designer",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="retrainings",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="retrainings",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-pk"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("designer", models.F("by")), _negated=True
                                ),
                                name="nobody_settles_their_own_retraining",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RetrainingLimit",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "percent",
                            models.PositiveSmallIntegerField(
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100),
                                ],
                                verbose_name="more than so many percent returned",
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
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="retraining_limits",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["project", "-pk"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("percent__gte", 1), ("percent__lte", 100)
                                ),
                                name="a_retraining_limit_is_a_percentage",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SamenessTag",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("QUESTION", "question"),
                                    ("RESPONSE", "response"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "verdict",
                            models.CharField(
                                choices=[("SAME", "the same"), ("CHANGED", "changed")],
                                max_length=7,
                            ),
                        ),
                        (
                            "note",
                            models.CharField(
                                blank=True, max_length=500, verbose_name="note"
                            ),
                        ),
                        ("revision", models.PositiveIntegerField(default=1)),
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
                            "left_item",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "left_response",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="sameness_tags",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "right_item",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "right_response",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.response",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("kind", "QUESTION")),
                                fields=("left_item", "right_item", "revision"),
                                name="one_word_on_two_questions_a_revision",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("kind", "RESPONSE")),
                                fields=("left_response", "right_response", "revision"),
                                name="one_word_on_two_responses_a_revision",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("kind", "QUESTION"),
                                        ("left_item__lt", models.F("right_item")),
                                        ("left_response__isnull", True),
                                        ("right_item__isnull", False),
                                        ("right_response__isnull", True),
                                    ),
                                    models.Q(
                                        ("kind", "RESPONSE"),
                                        ("left_item__isnull", True),
                                        (
                                            "left_response__lt",
                                            models.F("right_response"),
                                        ),
                                        ("right_item__isnull", True),
                                        ("right_response__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="a_tag_is_of_two_questions_or_two_responses",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BulkEdit",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        (
                            "action",
                            models.CharField(
                                choices=[
                                    ("CHANGE", "change"),
                                    ("SUBMIT", "hand in for inspection"),
                                    ("RETIRE", "retire"),
                                ],
                                max_length=6,
                            ),
                        ),
                        ("values", models.JSONField(default=dict)),
                        (
                            "note",
                            models.CharField(
                                blank=True, max_length=500, verbose_name="reason"
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("PLANNED", "tried out"),
                                    ("RUNNING", "under way"),
                                    ("DONE", "done"),
                                ],
                                default="PLANNED",
                                max_length=7,
                            ),
                        ),
                        ("cursor", models.PositiveIntegerField(default=0)),
                        ("created_at", models.DateTimeField()),
                        ("touched_at", models.DateTimeField()),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
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
                                related_name="bulk_edits",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="bulk_edit_number_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BulkLine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        ("external_id", models.CharField(max_length=200)),
                        ("number", models.PositiveIntegerField()),
                        ("rev", models.PositiveIntegerField()),
                        ("version_state", models.CharField(max_length=9)),
                        ("life", models.CharField(max_length=11)),
                        ("is_used", models.BooleanField(default=False)),
                        (
                            "fate",
                            models.CharField(
                                choices=[
                                    ("EDIT", "its draft is changed"),
                                    ("REVISE", "it gets a new draft version"),
                                    ("SUBMIT", "it is handed in"),
                                    ("RETIRE", "it is retired"),
                                    ("SAME", "it is so already"),
                                    ("REFUSED", "it is refused"),
                                ],
                                max_length=7,
                            ),
                        ),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("WAITING", "waits"),
                                    ("DONE", "done"),
                                    ("REFUSED", "refused"),
                                    ("STALE", "changed meanwhile"),
                                ],
                                max_length=7,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=500)),
                        (
                            "edit",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="lines",
                                to="annotation.bulkedit",
                            ),
                        ),
                        (
                            "question",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="bulk_lines",
                                to="annotation.question",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["position"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("edit", "position"),
                                name="a_line_of_a_bulk_edit_has_its_place",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("outcome__in", ["REFUSED", "STALE"]),
                                        _negated=True,
                                    ),
                                    models.Q(("reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="a_refused_line_says_why",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ChosenColumns",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("columns", models.JSONField(default=list)),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "user"),
                                name="columns_are_chosen_once_a_project_and_person",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SavedFilter",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=80, verbose_name="name")),
                        (
                            "is_shared",
                            models.BooleanField(
                                default=False, verbose_name="shared with the project"
                            ),
                        ),
                        ("query", models.JSONField(default=dict)),
                        ("order", models.CharField(blank=True, max_length=12)),
                        ("columns", models.JSONField(default=list)),
                        ("created_at", models.DateTimeField()),
                        ("changed_at", models.DateTimeField()),
                        (
                            "owner",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="saved_filters",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="saved_filters",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "owner", "name"),
                                name="a_saved_filter_has_a_name_of_its_own",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("is_shared", True)),
                                fields=("project", "name"),
                                name="a_shared_filter_has_a_name_of_its_own",
                            ),
                        ],
                    },
                ),
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
                migrations.CreateModel(
                    name="Decision",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                                    (
                                        "STRIKE_RATER",
                                        "an annotator's grades declared invalid",
                                    ),
                                    (
                                        "STRIKE_QUESTION",
                                        "the question declared invalid",
                                    ),
                                    ("FIX_ANSWER", "the standard answer is corrected"),
                                    ("CLARIFY_RUBRIC", "the rubric is made clearer"),
                                    ("REVERSE", "an earlier decision taken back"),
                                ],
                                max_length=15,
                            ),
                        ),
                        (
                            "value",
                            models.DecimalField(
                                blank=True, decimal_places=4, max_digits=12, null=True
                            ),
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
                        "indexes": [
                            models.Index(
                                fields=["round", "item"], name="decision_by_question"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("round", "key"), name="a_decision_is_made_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True),
                                name="a_decision_says_its_reason",
                            ),
                            models.CheckConstraint(
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
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("act", "REVERSE"), ("reverses__isnull", False)
                                    ),
                                    models.Q(
                                        models.Q(("act", "REVERSE"), _negated=True),
                                        ("reverses__isnull", True),
                                    ),
                                    _connector="OR",
                                ),
                                name="only_a_reversal_reverses",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Effect",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("because", models.JSONField(default=dict)),
                        (
                            "note",
                            models.CharField(
                                max_length=1000, verbose_name="what you found"
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
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("note", ""), _negated=True),
                                name="a_look_says_what_was_found",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReviewRule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                            models.BooleanField(
                                default=False, verbose_name="hide who gave a grade"
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
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("n_reviewers__in", [1, 2])),
                                name="one_or_two_people_decide",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="QualificationRule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                                    django.core.validators.MinValueValidator(
                                        Decimal("0")
                                    ),
                                    django.core.validators.MaxValueValidator(
                                        Decimal("1")
                                    ),
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
                                    django.core.validators.MinValueValidator(
                                        Decimal("0")
                                    ),
                                    django.core.validators.MaxValueValidator(
                                        Decimal("1")
                                    ),
                                ],
                                verbose_name="agreement among annotators",
                            ),
                        ),
                        (
                            "by_bound",
                            models.BooleanField(
                                default=False,
                                verbose_name="the whole interval has to lie above",
                            ),
                        ),
                        (
                            "n_least",
                            models.PositiveSmallIntegerField(
                                validators=[
                                    django.core.validators.MinValueValidator(1)
                                ],
                                verbose_name="on so many grades or more",
                            ),
                        ),
                        (
                            "practice_at",
                            models.DecimalField(
                                decimal_places=3,
                                max_digits=4,
                                validators=[
                                    django.core.validators.MinValueValidator(
                                        Decimal("0")
                                    ),
                                    django.core.validators.MaxValueValidator(
                                        Decimal("1")
                                    ),
                                ],
                                verbose_name="share of practised grades that are right",
                            ),
                        ),
                        (
                            "most_failures",
                            models.PositiveSmallIntegerField(
                                validators=[
                                    django.core.validators.MinValueValidator(1)
                                ],
                                verbose_name="failed trials before somebody stands aside",
                            ),
                        ),
                        (
                            "asked",
                            models.BooleanField(
                                default=False,
                                verbose_name="new rounds ask for qualification",
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
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("asked", False),
                                    ("capability__isnull", True),
                                    _connector="OR",
                                ),
                                name="a_project_not_a_capability_asks_for_qualification",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TrainingExample",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                        (
                            "reference",
                            models.TextField(
                                blank=True, verbose_name="standard answer"
                            ),
                        ),
                        (
                            "response",
                            models.TextField(verbose_name="answer to be graded"),
                        ),
                        ("grades", models.JSONField(default=dict)),
                        (
                            "explanation",
                            models.TextField(verbose_name="why it gets these grades"),
                        ),
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
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="training_example_number_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Practice",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                        "indexes": [
                            models.Index(
                                fields=["rater", "example"], name="practice_by_rater"
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("n_right__lte", models.F("n"))),
                                name="no_more_is_right_than_was_practised",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Trial",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "tag",
                            models.CharField(max_length=60, verbose_name="knows about"),
                        ),
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
                                fields=("project", "user", "tag"),
                                name="an_expertise_is_named_once",
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
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
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
                                        (
                                            "event__in",
                                            [
                                                "ALLOWED",
                                                "SUSPENDED",
                                                "LAPSED",
                                                "REINSTATED",
                                            ],
                                        ),
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
                migrations.CreateModel(
                    name="SignIn",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("session_key", models.CharField(max_length=40, unique=True)),
                        ("agent", models.CharField(blank=True, max_length=200)),
                        ("at", models.DateTimeField()),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="sign_ins",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Invitation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "whom",
                            models.CharField(max_length=200, verbose_name="for whom"),
                        ),
                        ("roles", models.JSONField()),
                        ("token_sha", models.CharField(max_length=64, unique=True)),
                        ("created_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        ("revoked_at", models.DateTimeField(blank=True, null=True)),
                        ("used_at", models.DateTimeField(blank=True, null=True)),
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
                                related_name="invitations",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "used_by",
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
                        "ordering": ["-pk"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("used_at__isnull", True),
                                        ("used_by__isnull", True),
                                    ),
                                    models.Q(
                                        ("revoked_at__isnull", True),
                                        ("used_at__isnull", False),
                                        ("used_by__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="an_invitation_is_used_by_somebody_or_revoked",
                            )
                        ],
                    },
                ),
            ],
        ),
        evalsite.db.guards.Guard(
            name="a_submitted_version_stays",
            table="annotation_questionversion",
            before="UPDATE",
            message="a submitted version stays as it is: write a new version",
            when="OLD.state <> 'DRAFT'",
            columns=(
                "question_id",
                "number",
                "author_id",
                "turns",
                "answer",
                "key_points",
                "capability_id",
                "domain_id",
                "difficulty",
                "question_type",
                "principle",
                "as_of",
                "valid_until",
                "tags",
                "language",
                "meaning_changed",
                "meaning_note",
                "replies",
            ),
        ),
        evalsite.db.guards.Guard(
            name="a_decided_version_stays_decided",
            table="annotation_questionversion",
            before="UPDATE",
            message="a version goes from draft to submitted, and from there it is accepted or returned",
            when="OLD.state <> NEW.state AND NOT ((OLD.state = 'DRAFT' AND NEW.state = 'SUBMITTED') OR (OLD.state = 'SUBMITTED' AND NEW.state IN ('DRAFT', 'ACCEPTED', 'RETURNED')))",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_inspection_names_the_author",
            table="annotation_inspection",
            before="INSERT",
            message="an inspection names the author of the version it inspects",
            when="NEW.author_id <> (SELECT author_id FROM annotation_questionversion WHERE id = NEW.version_id)",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_inspection_stays",
            table="annotation_inspection",
            before="UPDATE",
            message="an inspection stays as it is",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_finding_stays",
            table="annotation_finding",
            before="UPDATE",
            message="a finding stays as it is",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_checklist_stays",
            table="annotation_checklist",
            before="UPDATE",
            message="a checklist stays as it is: write a new version",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_item_stays",
            table="annotation_item",
            before="UPDATE",
            message="an item stays as it is: another content is another item",
            when="",
            columns=(
                "project_id",
                "external_id",
                "content_sha",
                "prompt_sha",
                "messages",
                "reference",
                "key_points",
                "extra",
                "as_of",
                "question_version_id",
            ),
        ),
        evalsite.db.guards.Guard(
            name="a_source_version_stays",
            table="annotation_sourceversion",
            before="UPDATE",
            message="a version of a source stays as it is: write a new version",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_scale_gains_nothing",
            table="annotation_criterion",
            before="INSERT",
            message="a rubric that a round uses stays as it is: write a new version",
            when="EXISTS (SELECT 1 FROM annotation_rubricversion v WHERE v.id = NEW.rubric_version_id AND v.frozen_at IS NOT NULL)",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_scale_stays",
            table="annotation_criterion",
            before="UPDATE",
            message="a rubric that a round uses stays as it is: write a new version",
            when="(EXISTS (SELECT 1 FROM annotation_rubricversion v WHERE v.id = OLD.rubric_version_id AND v.frozen_at IS NOT NULL)) OR (EXISTS (SELECT 1 FROM annotation_rubricversion v WHERE v.id = NEW.rubric_version_id AND v.frozen_at IS NOT NULL))",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_scale_loses_nothing",
            table="annotation_criterion",
            before="DELETE",
            message="a rubric that a round uses stays as it is: write a new version",
            when="EXISTS (SELECT 1 FROM annotation_rubricversion v WHERE v.id = OLD.rubric_version_id AND v.frozen_at IS NOT NULL)",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_level_gains_nothing",
            table="annotation_level",
            before="INSERT",
            message="a rubric that a round uses stays as it is: write a new version",
            when="EXISTS (SELECT 1 FROM annotation_criterion c JOIN annotation_rubricversion v ON v.id = c.rubric_version_id WHERE c.id = NEW.criterion_id AND v.frozen_at IS NOT NULL)",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_level_stays",
            table="annotation_level",
            before="UPDATE",
            message="a rubric that a round uses stays as it is: write a new version",
            when="(EXISTS (SELECT 1 FROM annotation_criterion c JOIN annotation_rubricversion v ON v.id = c.rubric_version_id WHERE c.id = OLD.criterion_id AND v.frozen_at IS NOT NULL)) OR (EXISTS (SELECT 1 FROM annotation_criterion c JOIN annotation_rubricversion v ON v.id = c.rubric_version_id WHERE c.id = NEW.criterion_id AND v.frozen_at IS NOT NULL))",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_level_loses_nothing",
            table="annotation_level",
            before="DELETE",
            message="a rubric that a round uses stays as it is: write a new version",
            when="EXISTS (SELECT 1 FROM annotation_criterion c JOIN annotation_rubricversion v ON v.id = c.rubric_version_id WHERE c.id = OLD.criterion_id AND v.frozen_at IS NOT NULL)",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_rubric_stays",
            table="annotation_rubricversion",
            before="UPDATE",
            message="a rubric that a round uses stays as it is: write a new version",
            when="OLD.frozen_at IS NOT NULL",
            columns=("rubric_id", "number", "kind", "principle", "frozen_at"),
        ),
        evalsite.db.guards.Guard(
            name="a_frozen_rubric_lasts",
            table="annotation_rubricversion",
            before="DELETE",
            message="a rubric that a round uses stays as it is: write a new version",
            when="OLD.frozen_at IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_cited_place_gains_nothing",
            table="annotation_citation",
            before="INSERT",
            message="the sources of a submitted version stay as they are",
            when="EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.id = NEW.version_id AND v.state <> 'DRAFT')",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_cited_place_stays",
            table="annotation_citation",
            before="UPDATE",
            message="the sources of a submitted version stay as they are",
            when="(EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.id = OLD.version_id AND v.state <> 'DRAFT')) OR (EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.id = NEW.version_id AND v.state <> 'DRAFT'))",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_cited_place_loses_nothing",
            table="annotation_citation",
            before="DELETE",
            message="the sources of a submitted version stay as they are",
            when="EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.id = OLD.version_id AND v.state <> 'DRAFT')",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_question_keeps_its_name",
            table="annotation_question",
            before="UPDATE",
            message="a question that was submitted keeps its id",
            when="EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.question_id = OLD.id AND v.state <> 'DRAFT')",
            columns=("project_id", "external_id", "created_by_id"),
        ),
        evalsite.db.guards.Guard(
            name="a_submitted_version_lasts",
            table="annotation_questionversion",
            before="DELETE",
            message="a submitted version is never deleted: retire the question",
            when="OLD.state <> 'DRAFT'",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_item_of_the_bank_lasts",
            table="annotation_item",
            before="DELETE",
            message="what was accepted is never deleted: retire the question",
            when="OLD.question_version_id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_served_response_stays",
            table="annotation_response",
            before="UPDATE",
            message="a response that a round serves stays as it is",
            when="EXISTS (SELECT 1 FROM annotation_roundresponse s JOIN annotation_rounditem i ON i.id = s.round_item_id JOIN annotation_round r ON r.id = i.round_id WHERE s.response_id = OLD.id AND r.state <> 'DRAFT')",
            columns=(
                "item_id",
                "release_id",
                "content_sha",
                "messages",
                "sample_no",
                "origin",
                "details",
                "created_at",
            ),
        ),
        evalsite.db.guards.Guard(
            name="an_inspection_lasts",
            table="annotation_inspection",
            before="DELETE",
            message="an inspection is never deleted",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_finding_lasts",
            table="annotation_finding",
            before="DELETE",
            message="a finding is never deleted",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_checklist_lasts",
            table="annotation_checklist",
            before="DELETE",
            message="a checklist is never deleted",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_source_version_lasts",
            table="annotation_sourceversion",
            before="DELETE",
            message="what a source said is kept",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_change_of_a_question_stays",
            table="annotation_questionchange",
            before="UPDATE",
            message="what was decided about a question stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_change_of_a_question_lasts",
            table="annotation_questionchange",
            before="DELETE",
            message="what was decided about a question stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_comment_stays",
            table="annotation_questioncomment",
            before="UPDATE",
            message="a comment stays as it was said",
            when="",
            columns=("question_id", "field", "text", "author_id", "at"),
        ),
        evalsite.db.guards.Guard(
            name="a_comment_lasts",
            table="annotation_questioncomment",
            before="DELETE",
            message="a comment stays as it was said",
            when="EXISTS (SELECT 1 FROM annotation_questionversion v WHERE v.question_id = OLD.question_id)",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_retraining_stays",
            table="annotation_retraining",
            before="UPDATE",
            message="what was said of the retraining of designers stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_retraining_lasts",
            table="annotation_retraining",
            before="DELETE",
            message="what was said of the retraining of designers stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_retraining_limit_stays",
            table="annotation_retraininglimit",
            before="UPDATE",
            message="what was said of the retraining of designers stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_retraining_limit_lasts",
            table="annotation_retraininglimit",
            before="DELETE",
            message="what was said of the retraining of designers stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_decided_version_keeps_its_dates",
            table="annotation_questionversion",
            before="UPDATE",
            message="a decided version keeps its dates",
            when="OLD.state IN ('ACCEPTED', 'RETURNED')",
            columns=("rev", "created_at", "saved_at", "submitted_at", "decided_at"),
        ),
        evalsite.db.guards.Guard(
            name="a_review_rule_stays",
            table="annotation_reviewrule",
            before="UPDATE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_review_rule_lasts",
            table="annotation_reviewrule",
            before="DELETE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_decision_stays",
            table="annotation_decision",
            before="UPDATE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_decision_lasts",
            table="annotation_decision",
            before="DELETE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_effect_stays",
            table="annotation_effect",
            before="UPDATE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_effect_lasts",
            table="annotation_effect",
            before="DELETE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_look_stays",
            table="annotation_look",
            before="UPDATE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_look_lasts",
            table="annotation_look",
            before="DELETE",
            message="what was decided in review stays on record",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_rule_of_qualification_stays",
            table="annotation_qualificationrule",
            before="UPDATE",
            message="a rule of qualification stays as it is: write another one",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_training_example_stays",
            table="annotation_trainingexample",
            before="UPDATE",
            message="a training example stays as it is: withdraw it and write another one",
            when="",
            columns=(
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
            ),
        ),
        evalsite.db.guards.Guard(
            name="a_practice_stays",
            table="annotation_practice",
            before="UPDATE",
            message="what somebody practised stays as it was",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_step_of_a_qualification_stays",
            table="annotation_qualification",
            before="UPDATE",
            message="a step of a qualification stays: what follows is another step",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_step_of_a_qualification_is_kept",
            table="annotation_qualification",
            before="DELETE",
            message="a step of a qualification is kept",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        migrations.RunPython(_trigrams.add, _trigrams.remove),
    ]
