from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0065_files_of_preferences")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(blank=True, default="", max_length=35, verbose_name="language"),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="project",
            name="language",
            field=models.CharField(blank=True, default="", max_length=35, verbose_name="language"),
            preserve_default=False,
        ),
    ]
