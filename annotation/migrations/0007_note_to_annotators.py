from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_repeats_and_manifests'),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='note',
            field=models.TextField(blank=True, verbose_name='note to the annotators'),
        ),
        migrations.AddField(
            model_name='project',
            name='noted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
