from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0060_extra_questions_of_annotators")]

    operations = [
        migrations.AddField(
            model_name="project",
            name="picture_hosts",
            field=models.JSONField(blank=True, default=list, verbose_name="hosts of pictures"),
        ),
    ]
