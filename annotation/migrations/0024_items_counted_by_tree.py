"""Items are counted by area and by capability from an index of each."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0023_what_inspection_counts_by")]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["project", "domain", "batch"], name="item_by_domain"),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                fields=["project", "capability", "batch"], name="item_by_capability"
            ),
        ),
    ]
