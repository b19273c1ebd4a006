from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0004_calls_are_added_up_from_an_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="endpointuser",
            name="slots",
            field=models.PositiveSmallIntegerField(default=0),
        ),
    ]
