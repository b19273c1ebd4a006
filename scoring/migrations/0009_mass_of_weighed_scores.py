from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0008_interviews")]

    operations = [
        migrations.AddField(
            model_name="judgment",
            name="mass",
            field=models.FloatField(blank=True, null=True),
        ),
    ]
