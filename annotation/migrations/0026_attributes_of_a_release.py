"""What a release may use and how far it sees; items that are made of what systems put out."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0025_families_of_systems"),
    ]

    operations = [
        migrations.AddField(
            model_name="item",
            name="published_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="systemrelease",
            name="context_length",
            field=models.PositiveIntegerField(
                blank=True, null=True, verbose_name="context in tokens"
            ),
        ),
        migrations.AddField(
            model_name="systemrelease",
            name="knowledge_until",
            field=models.CharField(blank=True, max_length=40, verbose_name="knowledge until"),
        ),
        migrations.AddField(
            model_name="systemrelease",
            name="retrieval",
            field=models.BooleanField(blank=True, null=True, verbose_name="retrieval"),
        ),
        migrations.AddField(
            model_name="systemrelease",
            name="tools",
            field=models.BooleanField(blank=True, null=True, verbose_name="tools"),
        ),
        migrations.AddField(
            model_name="systemrelease",
            name="web_access",
            field=models.BooleanField(blank=True, null=True, verbose_name="web access"),
        ),
    ]
