"""Figures of other benchmarks, which nobody changes."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0031_figures_of_benchmarks"),
        ("scoring", "0014_runs_of_assistants"),
    ]

    operations = [
        migrations.CreateModel(
            name="BenchmarkFigure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
        Guard(
            "a_figure_of_a_benchmark_stays",
            table="scoring_benchmarkfigure",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a figure of a benchmark stays as it was brought in",
        ),
        Guard(
            "a_figure_of_a_benchmark_lasts",
            table="scoring_benchmarkfigure",
            before="DELETE",
            when=(
                "EXISTS (SELECT 1 FROM annotation_importbatch b "
                "WHERE b.id = OLD.batch_id AND b.state <> 'STAGED')"
            ),
            message="a figure of a benchmark goes only with the import that brought it",
        ),
    ]
