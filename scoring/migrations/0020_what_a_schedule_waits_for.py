from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0019_suites_by_schedule_and_applications'),
    ]

    operations = [
        migrations.AddField(
            model_name='suiteschedule',
            name='waiting',
            field=models.JSONField(blank=True, default=list),
        ),
    ]
