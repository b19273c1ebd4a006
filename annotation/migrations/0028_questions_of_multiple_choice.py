from django.db import migrations, models

KINDS = [
    ("ANSWERS", "questions and answers"),
    ("QUESTIONS", "questions for the bank"),
    ("GRADES", "grades"),
    ("SCORES", "scores of judges and metrics"),
    ("CHOICES", "questions of multiple choice"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0027_review_desk")]

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
