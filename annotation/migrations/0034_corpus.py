"""Collections of sources, who checked a source, passages that are cited, what machines drafted."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite.db.guards import Guard

ANY = "OLD.id IS NOT NULL"
HANDED_IN = (
    "EXISTS (SELECT 1 FROM annotation_questionversion v "
    "WHERE v.id = OLD.version_id AND v.state <> 'DRAFT')"
)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0033_settings_of_projects'),
    ]

    operations = [
        migrations.AddField(
            model_name='citation',
            name='end',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='citation',
            name='start',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='sourceversion',
            name='file',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='MachineDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('part', models.CharField(choices=[('QUESTION', 'question and answer'), ('POINTS', 'key points')], max_length=8)),
                ('endpoint', models.CharField(max_length=120, verbose_name='endpoint')),
                ('protocol', models.CharField(max_length=40)),
                ('prompts_sha', models.CharField(max_length=64)),
                ('run', models.PositiveIntegerField(blank=True, null=True)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='machine_drafts', to='annotation.questionversion')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='SourceCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outcome', models.CharField(choices=[('VERIFIED', 'verified'), ('NOT', 'could not be verified'), ('WITHDRAWN', 'withdrawn')], max_length=9, verbose_name='outcome')),
                ('how', models.CharField(max_length=500, verbose_name='how')),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checks', to='annotation.sourceversion')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='SourceCollection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('note', models.CharField(blank=True, max_length=500, verbose_name='note')),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='source_collections', to='annotation.project')),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Appointment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('appointed_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('appointed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ended_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appointments', to=settings.AUTH_USER_MODEL)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appointments', to='annotation.sourcecollection')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddField(
            model_name='source',
            name='collection',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='annotation.sourcecollection', verbose_name='collection'),
        ),
        migrations.AddConstraint(
            model_name='sourcecollection',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='collection_name_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='appointment',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('collection', 'user'), name='designer_is_appointed_once'),
        ),
        *[
            Guard(
                f"a_check_of_a_source_{word}",
                table="annotation_sourcecheck",
                before=before,
                when=ANY,
                message="what was found of a source stays on record: check it again",
            )
            for word, before in (("stays", "UPDATE"), ("lasts", "DELETE"))
        ],
        Guard(
            "a_machine_draft_stays",
            table="annotation_machinedraft",
            before="UPDATE",
            when=ANY,
            message="what a machine drafted is marked for as long as it is there",
        ),
        Guard(
            "a_machine_draft_lasts",
            table="annotation_machinedraft",
            before="DELETE",
            when=HANDED_IN,
            message="what a machine drafted is marked for as long as it is there",
        ),
        Guard(
            "an_appointment_stays",
            table="annotation_appointment",
            before="UPDATE",
            columns=["collection_id", "user_id", "appointed_by_id", "appointed_at"],
            message="an appointment is ended, never changed",
        ),
        Guard(
            "an_appointment_lasts",
            table="annotation_appointment",
            before="DELETE",
            when=ANY,
            message="an appointment is ended, never deleted",
        ),
    ]
