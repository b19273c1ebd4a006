from django.db import migrations

from evalsite.db.guards import Guard


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0016_runs_of_losses'),
    ]

    operations = [
        Guard(
            "a_published_exchange_stays",
            table="scoring_publishedexchange",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a published exchange stays what it was published as",
        ),
    ]
