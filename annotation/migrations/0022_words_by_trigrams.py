"""On PostgreSQL words are found in the texts of questions by trigrams, where its extension can be had."""

from django.db import migrations

from annotation.migrations import _trigrams


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_what_was_decided_keeps_its_dates")]

    operations = [migrations.RunPython(_trigrams.add, _trigrams.remove)]
