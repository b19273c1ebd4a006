"""A system says which family its language model is of."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0024_items_counted_by_tree")]

    operations = [
        migrations.AddField(
            model_name="system",
            name="family",
            field=models.CharField(blank=True, max_length=80, verbose_name="family"),
        ),
    ]
