from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0042_bank_files_are_written_by_turns'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='assignment',
            name='seat_by_rater',
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['rater', 'round', 'state', 'submitted_at', 'ordinal'], name='seat_by_rater'),
        ),
    ]
