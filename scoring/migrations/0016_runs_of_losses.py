from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0015_figures_of_benchmarks")]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="kind",
            field=models.CharField(
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
    ]
