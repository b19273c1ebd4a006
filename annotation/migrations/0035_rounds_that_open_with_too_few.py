"""A round that asks for qualification keeps why it may open although too few have qualified."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0034_corpus")]

    operations = [
        migrations.AddField(
            model_name="round",
            name="qualified_override",
            field=models.CharField(blank=True, max_length=300, null=True),
        ),
    ]
