from django.db import migrations, models

KINDS = [
    ("ANSWERS", "questions and answers"),
    ("QUESTIONS", "questions for the bank"),
    ("GRADES", "grades"),
    ("SCORES", "scores of judges and metrics"),
    ("CHOICES", "questions of multiple choice"),
    ("FIGURES", "figures of other benchmarks"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0030_daily_mail")]

    operations = [
        migrations.AlterField(
            model_name="importbatch",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=9),
        ),
        migrations.AlterField(
            model_name="upload",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=9),
        ),
    ]
