from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_training_and_qualification")]

    operations = [
        migrations.AddField(
            model_name="person",
            name="daily_mail",
            field=models.BooleanField(default=False, verbose_name="daily mail"),
        ),
        migrations.AddField(
            model_name="person",
            name="mailed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="person",
            name="mailed_sha",
            field=models.CharField(blank=True, max_length=64),
        ),
    ]
