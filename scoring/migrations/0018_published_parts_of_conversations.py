import django.db.models.deletion
from django.db import migrations, models

from evalsite.db.guards import Guard


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0032_invitations_and_sign_ins'),
        ('scoring', '0017_published_exchanges_stay'),
    ]

    operations = [
        migrations.CreateModel(
            name='PublishedPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('turn', models.PositiveIntegerField(blank=True, null=True)),
                ('response', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.response')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='published_parts', to='annotation.response')),
            ],
        ),
        Guard(
            "a_published_part_stays",
            table="scoring_publishedpart",
            before="UPDATE",
            when="OLD.id IS NOT NULL",
            message="a published part of a conversation stays what it was published as",
        ),
    ]
