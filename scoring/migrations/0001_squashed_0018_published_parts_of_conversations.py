"""All that the migrations up to 0018 make, in one."""

import django.db.models.deletion
import evalsite.db.guards
import evalsite.db.tables
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("scoring", "0001_figures"),
        ("scoring", "0002_judgments"),
        ("scoring", "0003_runs"),
        ("scoring", "0004_calls_are_added_up_from_an_index"),
        ("scoring", "0005_slots_of_workers"),
        ("scoring", "0006_tests_of_endpoints"),
        ("scoring", "0007_publications"),
        ("scoring", "0008_interviews"),
        ("scoring", "0009_mass_of_weighed_scores"),
        ("scoring", "0010_evaluation_tasks"),
        ("scoring", "0011_flags_of_steps"),
        ("scoring", "0012_conversations_and_suites"),
        ("scoring", "0013_interviews_judged_again"),
        ("scoring", "0014_runs_of_assistants"),
        ("scoring", "0015_figures_of_benchmarks"),
        ("scoring", "0016_runs_of_losses"),
        ("scoring", "0017_published_exchanges_stay"),
        ("scoring", "0018_published_parts_of_conversations"),
    ]

    initial = True

    dependencies = [
        ("annotation", "0032_invitations_and_sign_ins"),
    ]

    operations = [
        evalsite.db.tables.CreateTables(
            models=[
                migrations.CreateModel(
                    name="Snapshot",
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
                        ("ratings_sha", models.CharField(max_length=64, unique=True)),
                        ("data", models.BinaryField()),
                        ("n_ratings", models.PositiveBigIntegerField()),
                        ("created_at", models.DateTimeField()),
                        (
                            "round",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="snapshots",
                                to="annotation.round",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Figure",
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
                        ("name", models.CharField(max_length=60)),
                        ("params", models.JSONField()),
                        ("params_sha", models.CharField(max_length=64)),
                        ("ratings_sha", models.CharField(max_length=64)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("WANTED", "Wanted"),
                                    ("READY", "Ready"),
                                    ("FAILED", "Failed"),
                                ],
                                default="WANTED",
                                max_length=6,
                            ),
                        ),
                        ("data", models.JSONField(null=True)),
                        ("problem", models.CharField(blank=True, max_length=500)),
                        ("wanted_at", models.DateTimeField()),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("ready_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "round",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="figures",
                                to="annotation.round",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("name", "params_sha", "ratings_sha"),
                                name="one_figure_per_question_and_ratings",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Machine",
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
                    name="Endpoint",
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
                        ("number", models.PositiveIntegerField(default=1)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("SERVER", "OpenAI-compatible server"),
                                    ("SCRIPTED", "scripted, not a language model"),
                                ],
                                default="SERVER",
                                max_length=8,
                            ),
                        ),
                        (
                            "url",
                            models.CharField(
                                blank=True, max_length=500, verbose_name="address"
                            ),
                        ),
                        (
                            "model_name",
                            models.CharField(
                                blank=True, max_length=200, verbose_name="model"
                            ),
                        ),
                        (
                            "family",
                            models.CharField(
                                blank=True, max_length=80, verbose_name="family"
                            ),
                        ),
                        ("script", models.JSONField(blank=True, default=dict)),
                        ("key_sealed", models.TextField(blank=True)),
                        (
                            "key_env",
                            models.CharField(
                                blank=True,
                                max_length=120,
                                verbose_name="environment variable",
                            ),
                        ),
                        (
                            "prompt_price",
                            models.DecimalField(
                                blank=True, decimal_places=6, max_digits=12, null=True
                            ),
                        ),
                        (
                            "completion_price",
                            models.DecimalField(
                                blank=True, decimal_places=6, max_digits=12, null=True
                            ),
                        ),
                        ("currency", models.CharField(default="USD", max_length=3)),
                        (
                            "max_in_flight",
                            models.PositiveSmallIntegerField(
                                default=8, verbose_name="requests at once"
                            ),
                        ),
                        (
                            "per_minute",
                            models.PositiveIntegerField(
                                blank=True, null=True, verbose_name="requests a minute"
                            ),
                        ),
                        (
                            "timeout",
                            models.PositiveIntegerField(
                                default=120, verbose_name="seconds to wait"
                            ),
                        ),
                        (
                            "context_length",
                            models.PositiveIntegerField(
                                blank=True, null=True, verbose_name="context in tokens"
                            ),
                        ),
                        ("found", models.JSONField(blank=True, default=dict)),
                        ("tested_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("retired_at", models.DateTimeField(blank=True, null=True)),
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
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="endpoints",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name", "number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "name", "number"),
                                name="endpoint_number_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("retired_at__isnull", True)),
                                fields=("project", "name"),
                                name="one_endpoint_of_a_name_in_use",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Judge",
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
                        ("name", models.CharField(max_length=120, verbose_name="name")),
                        ("protocol", models.CharField(max_length=40)),
                        ("config", models.JSONField(default=dict)),
                        ("config_sha", models.CharField(max_length=64)),
                        ("created_at", models.DateTimeField()),
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
                            "endpoint",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judges",
                                to="scoring.endpoint",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judges",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "rater",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judge",
                                to="annotation.rater",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "config_sha"),
                                name="a_judge_is_its_configuration",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Run",
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
                        ("key", models.UUIDField()),
                        ("number", models.PositiveIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("JUDGE", "judge"),
                                    ("COLLECT", "collect answers"),
                                    ("METRICS", "metrics"),
                                    ("ASSIST", "assistant"),
                                    ("KIEVAL", "KIEval"),
                                    ("FUSION", "Fusion-Eval"),
                                    ("PLAN", "plan of evaluation"),
                                    ("COMBINE", "judges together"),
                                    ("SUITE", "suite"),
                                    ("QUIZ", "accuracy"),
                                    ("LOSSES", "losses"),
                                    ("REJUDGE", "interviews judged again"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("name", models.CharField(max_length=120, verbose_name="name")),
                        ("protocol", models.CharField(max_length=40)),
                        ("config", models.JSONField(default=dict)),
                        ("config_sha", models.CharField(max_length=64)),
                        ("seed", models.PositiveBigIntegerField(default=0)),
                        ("secret", models.CharField(max_length=64)),
                        ("scripted", models.BooleanField(default=False)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("STAGED", "being prepared"),
                                    ("RUNNING", "running"),
                                    ("PAUSED", "paused"),
                                    ("DONE", "finished"),
                                    ("CANCELLED", "cancelled"),
                                ],
                                default="STAGED",
                                max_length=9,
                            ),
                        ),
                        (
                            "pause",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("PERSON", "by a person"),
                                    ("BUDGET", "budget reached"),
                                    ("ENDPOINT", "an endpoint does not answer"),
                                    ("PROBLEM", "something unexpected happened"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("problem", models.CharField(blank=True, max_length=500)),
                        ("estimate", models.JSONField(blank=True, default=dict)),
                        (
                            "budget",
                            models.DecimalField(
                                blank=True, decimal_places=6, max_digits=14, null=True
                            ),
                        ),
                        ("requested_at", models.DateTimeField()),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "cloned_from",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="clones",
                                to="scoring.run",
                            ),
                        ),
                        (
                            "judge",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="runs",
                                to="scoring.judge",
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="runs",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "requested_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "round",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="runs",
                                to="annotation.round",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "key"), name="run_key_is_unique"
                            ),
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="run_number_is_unique",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Step",
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
                        ("key", models.CharField(max_length=200)),
                        ("spec", models.JSONField(blank=True, default=dict)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("FREE", "waiting"),
                                    ("CLAIMED", "in work"),
                                    ("DONE", "done"),
                                    ("FAILED", "failed"),
                                ],
                                default="FREE",
                                max_length=7,
                            ),
                        ),
                        (
                            "outcome",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("OK", "done"),
                                    ("NO_READING", "the judge gave no reading"),
                                    ("SYSTEM", "the system failed"),
                                    ("MACHINE", "the machinery failed"),
                                    ("SKIPPED", "left out"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("problem", models.CharField(blank=True, max_length=500)),
                        ("trouble", models.CharField(blank=True, max_length=16)),
                        ("result", models.JSONField(blank=True, null=True)),
                        ("attempt", models.PositiveIntegerField(default=0)),
                        ("fence", models.PositiveIntegerField(default=0)),
                        ("worker", models.CharField(blank=True, max_length=64)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("not_before", models.DateTimeField(blank=True, null=True)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
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
                            "release",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.systemrelease",
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
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="steps",
                                to="scoring.run",
                            ),
                        ),
                        (
                            "flags",
                            models.CharField(
                                blank=True, db_default="", default="", max_length=80
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["run", "state", "ordinal"], name="step_by_state"
                            ),
                            models.Index(fields=["lease_until"], name="step_by_lease"),
                            models.Index(
                                condition=models.Q(("flags", ""), _negated=True),
                                fields=["run", "flags"],
                                name="step_by_flag",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "ordinal"), name="step_ordinal_is_unique"
                            ),
                            models.UniqueConstraint(
                                fields=("run", "key"), name="step_key_is_unique"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Judgment",
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
                        (
                            "target_index",
                            models.PositiveIntegerField(blank=True, null=True),
                        ),
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
                        (
                            "run",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judgments",
                                to="scoring.run",
                            ),
                        ),
                        (
                            "step",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judgments",
                                to="scoring.step",
                            ),
                        ),
                        ("mass", models.FloatField(blank=True, null=True)),
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
                                    ("batch__isnull", False),
                                    ("target_index__isnull", True),
                                ),
                                fields=(
                                    "rater",
                                    "response",
                                    "criterion",
                                    "target_level",
                                    "repeat",
                                ),
                                name="one_imported_judgment_of_a_response",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("batch__isnull", False),
                                    ("target_index__isnull", False),
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
                                    models.Q(
                                        ("outcome", "SCORED"), ("value__isnull", False)
                                    ),
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
                                    models.Q(
                                        ("batch__isnull", True), ("line__isnull", True)
                                    ),
                                    models.Q(
                                        ("batch__isnull", False),
                                        ("line__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="an_imported_judgment_has_its_line",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("run__isnull", False),
                                    ("target_index__isnull", True),
                                ),
                                fields=(
                                    "run",
                                    "rater",
                                    "response",
                                    "criterion",
                                    "target_level",
                                    "repeat",
                                ),
                                name="one_judgment_of_a_response_in_a_run",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    ("run__isnull", False),
                                    ("target_index__isnull", False),
                                ),
                                fields=(
                                    "run",
                                    "rater",
                                    "response",
                                    "criterion",
                                    "target_level",
                                    "target_index",
                                    "repeat",
                                ),
                                name="one_judgment_of_a_part_of_a_response_in_a_run",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("batch__isnull", False), ("run__isnull", True)
                                    ),
                                    models.Q(
                                        ("batch__isnull", True), ("run__isnull", False)
                                    ),
                                    _connector="OR",
                                ),
                                name="a_judgment_comes_from_an_import_or_a_run",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SystemConnection",
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
                        ("settings", models.JSONField(blank=True, default=dict)),
                        ("created_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
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
                            "endpoint",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="connections",
                                to="scoring.endpoint",
                            ),
                        ),
                        (
                            "release",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="connections",
                                to="annotation.systemrelease",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=("release",),
                                name="one_connection_of_a_release",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EndpointPace",
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
                        ("share", models.FloatField(default=1.0)),
                        ("not_before", models.DateTimeField(blank=True, null=True)),
                        ("changed_at", models.DateTimeField()),
                        (
                            "endpoint",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pace",
                                to="scoring.endpoint",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="EndpointUser",
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
                        ("worker", models.CharField(max_length=64)),
                        ("seen_at", models.DateTimeField()),
                        (
                            "endpoint",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="workers",
                                to="scoring.endpoint",
                            ),
                        ),
                        ("slots", models.PositiveSmallIntegerField(default=0)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("endpoint", "worker"),
                                name="a_worker_is_seen_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CallText",
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
                        ("sha", models.CharField(max_length=64)),
                        ("text", models.TextField()),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="texts",
                                to="scoring.run",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "sha"), name="a_text_is_kept_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LLMCall",
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
                        ("request_sha", models.CharField(max_length=64)),
                        ("repeat", models.PositiveIntegerField(default=0)),
                        ("attempt", models.PositiveIntegerField(default=1)),
                        ("role", models.CharField(max_length=12)),
                        ("part", models.CharField(blank=True, max_length=80)),
                        ("exchange", models.PositiveIntegerField(default=0)),
                        ("messages", models.JSONField(default=list)),
                        ("settings", models.JSONField(default=dict)),
                        ("schema_sha", models.CharField(blank=True, max_length=64)),
                        ("trouble", models.CharField(blank=True, max_length=16)),
                        ("problem", models.CharField(blank=True, max_length=500)),
                        (
                            "status",
                            models.PositiveSmallIntegerField(blank=True, null=True),
                        ),
                        ("text_sha", models.CharField(blank=True, max_length=64)),
                        ("reply", models.JSONField(blank=True, null=True)),
                        (
                            "prompt_tokens",
                            models.PositiveIntegerField(blank=True, null=True),
                        ),
                        (
                            "completion_tokens",
                            models.PositiveIntegerField(blank=True, null=True),
                        ),
                        (
                            "cost",
                            models.DecimalField(
                                blank=True, decimal_places=8, max_digits=14, null=True
                            ),
                        ),
                        ("seconds", models.FloatField(default=0)),
                        ("at", models.DateTimeField()),
                        (
                            "endpoint",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="scoring.endpoint",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="calls",
                                to="scoring.run",
                            ),
                        ),
                        (
                            "step",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="calls",
                                to="scoring.step",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["run", "id"], name="call_in_order"),
                            models.Index(
                                fields=[
                                    "run",
                                    "role",
                                    "endpoint",
                                    "trouble",
                                    "cost",
                                    "prompt_tokens",
                                    "completion_tokens",
                                    "seconds",
                                ],
                                name="call_by_role",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("step", "request_sha", "repeat", "attempt"),
                                name="a_call_is_kept_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EndpointTest",
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
                            "state",
                            models.CharField(
                                choices=[
                                    ("MOVING", "being tested"),
                                    ("DONE", "tested"),
                                    ("FAILED", "no connection"),
                                ],
                                default="MOVING",
                                max_length=6,
                            ),
                        ),
                        ("found", models.JSONField(blank=True, default=dict)),
                        ("n_asked", models.PositiveSmallIntegerField(default=0)),
                        ("trouble", models.CharField(blank=True, max_length=16)),
                        ("problem", models.CharField(blank=True, max_length=500)),
                        ("asked_at", models.DateTimeField()),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "asked_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "endpoint",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tests",
                                to="scoring.endpoint",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("state", "MOVING")),
                                fields=("endpoint",),
                                name="one_test_of_an_endpoint_at_a_time",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Publication",
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
                        ("key", models.UUIDField()),
                        ("sort", models.CharField(blank=True, max_length=20)),
                        (
                            "n_units",
                            models.PositiveIntegerField(
                                verbose_name="outputs there were"
                            ),
                        ),
                        (
                            "n_taken",
                            models.PositiveIntegerField(verbose_name="outputs taken"),
                        ),
                        ("seed", models.CharField(max_length=64, verbose_name="seed")),
                        ("scripted", models.BooleanField(default=False)),
                        ("published_at", models.DateTimeField()),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="publications",
                                to="annotation.project",
                            ),
                        ),
                        (
                            "published_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "round",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="publication",
                                to="annotation.round",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="publications",
                                to="scoring.run",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "key"),
                                name="a_publication_is_asked_for_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Dialogue",
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
                        ("dataset", models.CharField(blank=True, max_length=120)),
                        ("answer", models.TextField(blank=True)),
                        ("chosen", models.CharField(blank=True, max_length=40)),
                        ("right", models.BooleanField(blank=True, null=True)),
                        (
                            "decided_by",
                            models.CharField(
                                choices=[
                                    ("OPTION", "by the option chosen"),
                                    ("TEXT", "by equal text"),
                                    ("JUDGE", "by a judge"),
                                    ("PERSON", "by a person"),
                                    ("NONE", "not decided"),
                                ],
                                default="NONE",
                                max_length=6,
                            ),
                        ),
                        ("n_planned", models.PositiveSmallIntegerField()),
                        (
                            "ended",
                            models.CharField(
                                choices=[
                                    ("PLANNED", "to the planned end"),
                                    ("STOPPED", "stopped early"),
                                    ("SYSTEM", "the system failed"),
                                ],
                                max_length=7,
                            ),
                        ),
                        (
                            "stopped_at",
                            models.PositiveSmallIntegerField(blank=True, null=True),
                        ),
                        ("stop_reason", models.CharField(blank=True, max_length=24)),
                        ("problem", models.CharField(blank=True, max_length=500)),
                        ("flags", models.JSONField(blank=True, default=list)),
                        (
                            "item",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="dialogues",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "release",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="dialogues",
                                to="annotation.systemrelease",
                            ),
                        ),
                        (
                            "response",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="dialogue",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="dialogues",
                                to="scoring.run",
                            ),
                        ),
                        (
                            "step",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="dialogue",
                                to="scoring.step",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["run", "release", "ended"],
                                name="dialogue_by_end",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "item", "release"),
                                name="one_dialogue_of_a_question_in_a_run",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Exchange",
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
                        ("k", models.PositiveSmallIntegerField()),
                        ("question", models.TextField(blank=True)),
                        ("answer", models.TextField(blank=True)),
                        ("scores", models.JSONField(blank=True, null=True)),
                        ("comments", models.JSONField(blank=True, default=dict)),
                        ("unscored", models.CharField(blank=True, max_length=300)),
                        ("stops", models.BooleanField(default=False)),
                        ("stop_reason", models.CharField(blank=True, max_length=24)),
                        ("flags", models.JSONField(blank=True, default=list)),
                        (
                            "dialogue",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="exchanges",
                                to="scoring.dialogue",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["k"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("dialogue", "k"),
                                name="exchange_number_is_unique",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("scores__isnull", True),
                                    ("unscored", ""),
                                    _connector="OR",
                                ),
                                name="an_exchange_is_scored_or_says_why_not",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PublishedExchange",
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
                            "exchange",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="published",
                                to="scoring.exchange",
                            ),
                        ),
                        (
                            "response",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.response",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="EvaluationTask",
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
                        ("name", models.CharField(max_length=120, verbose_name="name")),
                        ("created_at", models.DateTimeField()),
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
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="evaluation_tasks",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="task_number_is_unique",
                            ),
                            models.UniqueConstraint(
                                fields=("project", "name"), name="task_name_is_unique"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TaskVersion",
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
                        ("content", models.JSONField()),
                        ("sha", models.CharField(max_length=64)),
                        (
                            "overall",
                            models.CharField(
                                choices=[
                                    ("MEAN", "the mean of the criteria"),
                                    ("OWN", "a score of its own"),
                                ],
                                default="MEAN",
                                max_length=4,
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
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
                            "task",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="scoring.evaluationtask",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("task", "number"), name="task_version_is_unique"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Plan",
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
                        ("text", models.TextField()),
                        ("alignment", models.JSONField(blank=True, default=dict)),
                        (
                            "source",
                            models.CharField(
                                choices=[
                                    ("ENDPOINT", "by an endpoint"),
                                    ("PERSON", "by a person"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("problem", models.CharField(blank=True, max_length=300)),
                        ("unknown", models.JSONField(blank=True, default=list)),
                        ("created_at", models.DateTimeField()),
                        (
                            "based_on",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="scoring.plan",
                            ),
                        ),
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
                            "endpoint",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="scoring.endpoint",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plans",
                                to="scoring.run",
                            ),
                        ),
                        (
                            "task",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plans",
                                to="scoring.evaluationtask",
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="plans",
                                to="scoring.taskversion",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("task", "number"), name="plan_number_is_unique"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ConversationSet",
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
                        ("name", models.CharField(max_length=120, verbose_name="name")),
                        ("created_at", models.DateTimeField()),
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
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="conversation_sets",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="conversation_set_number_is_unique",
                            ),
                            models.UniqueConstraint(
                                fields=("project", "name"),
                                name="conversation_set_name_is_unique",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ConversationBatch",
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
                        ("key", models.CharField(max_length=64)),
                        ("file_name", models.CharField(blank=True, max_length=255)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("STAGED", "being brought in"),
                                    ("APPLIED", "applied"),
                                ],
                                default="STAGED",
                                max_length=7,
                            ),
                        ),
                        ("n", models.PositiveIntegerField(default=0)),
                        ("n_known", models.PositiveIntegerField(default=0)),
                        ("created_at", models.DateTimeField()),
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
                            "set",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="batches",
                                to="scoring.conversationset",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("set", "key"), name="a_batch_comes_in_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Conversation",
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
                        ("n_messages", models.PositiveIntegerField()),
                        ("n_turns", models.PositiveIntegerField()),
                        ("n_tool_calls", models.PositiveIntegerField()),
                        ("text", models.TextField(blank=True)),
                        (
                            "item",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="conversations",
                                to="annotation.item",
                            ),
                        ),
                        (
                            "response",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="conversations",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "batch",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="conversations",
                                to="scoring.conversationbatch",
                            ),
                        ),
                        (
                            "set",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="conversations",
                                to="scoring.conversationset",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["set", "external_id"],
                                name="conversation_by_external_id",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("set", "response"),
                                name="a_conversation_is_once_in_a_set",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Suite",
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
                        ("name", models.CharField(max_length=120, verbose_name="name")),
                        ("created_at", models.DateTimeField()),
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
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="suites",
                                to="annotation.project",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("project", "number"),
                                name="suite_number_is_unique",
                            ),
                            models.UniqueConstraint(
                                fields=("project", "name"), name="suite_name_is_unique"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SuiteVersion",
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
                        ("text", models.TextField()),
                        ("definition", models.JSONField()),
                        ("sha", models.CharField(max_length=64)),
                        ("created_at", models.DateTimeField()),
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
                            "suite",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="versions",
                                to="scoring.suite",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("suite", "number"),
                                name="suite_version_number_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BenchmarkFigure",
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
                        ("name", models.CharField(max_length=120)),
                        ("dataset", models.CharField(blank=True, max_length=120)),
                        ("value", models.FloatField()),
                        ("line", models.PositiveBigIntegerField()),
                        (
                            "batch",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="figures",
                                to="annotation.importbatch",
                            ),
                        ),
                        (
                            "release",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="figures",
                                to="annotation.systemrelease",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "figures of other benchmarks",
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("release", "name", "dataset"),
                                name="one_figure_of_a_release_on_a_data_set",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PublishedPart",
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
                        ("turn", models.PositiveIntegerField(blank=True, null=True)),
                        (
                            "response",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.response",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="published_parts",
                                to="annotation.response",
                            ),
                        ),
                    ],
                ),
            ],
        ),
        evalsite.db.guards.Guard(
            name="a_judgment_stays",
            table="scoring_judgment",
            before="UPDATE",
            message="a judgment stays as it was given",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_judgment_lasts",
            table="scoring_judgment",
            before="DELETE",
            message="a judgment goes only with the import that brought it",
            when="OLD.batch_id IS NULL OR EXISTS (SELECT 1 FROM annotation_importbatch b WHERE b.id = OLD.batch_id AND b.state <> 'STAGED')",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_call_stays",
            table="scoring_llmcall",
            before="UPDATE",
            message="a call stays as it was made",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_judge_stays",
            table="scoring_judge",
            before="UPDATE",
            message="a judge stays as it was configured",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_finished_step_stays",
            table="scoring_step",
            before="UPDATE",
            message="a step that is done stays as it is",
            when="OLD.state = 'DONE'",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_dialogue_stays",
            table="scoring_dialogue",
            before="UPDATE",
            message="a dialogue stays as it was held",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="an_exchange_stays",
            table="scoring_exchange",
            before="UPDATE",
            message="an exchange stays as it was held",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_task_version_stays",
            table="scoring_taskversion",
            before="UPDATE",
            message="a version of an evaluation task stays as it is",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_plan_stays",
            table="scoring_plan",
            before="UPDATE",
            message="a plan stays as it was written",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_conversation_stays",
            table="scoring_conversation",
            before="UPDATE",
            message="a conversation stays as it came in",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_suite_version_stays",
            table="scoring_suiteversion",
            before="UPDATE",
            message="a suite version stays as it was saved",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_figure_of_a_benchmark_stays",
            table="scoring_benchmarkfigure",
            before="UPDATE",
            message="a figure of a benchmark stays as it was brought in",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_figure_of_a_benchmark_lasts",
            table="scoring_benchmarkfigure",
            before="DELETE",
            message="a figure of a benchmark goes only with the import that brought it",
            when="EXISTS (SELECT 1 FROM annotation_importbatch b WHERE b.id = OLD.batch_id AND b.state <> 'STAGED')",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_published_exchange_stays",
            table="scoring_publishedexchange",
            before="UPDATE",
            message="a published exchange stays what it was published as",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
        evalsite.db.guards.Guard(
            name="a_published_part_stays",
            table="scoring_publishedpart",
            before="UPDATE",
            message="a published part of a conversation stays what it was published as",
            when="OLD.id IS NOT NULL",
            columns=(),
        ),
    ]
