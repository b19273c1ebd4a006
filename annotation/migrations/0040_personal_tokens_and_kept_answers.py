"""Tokens of programs, tries that failed, and answers that are given again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0039_corrections_of_sources'),
    ]

    operations = [
        migrations.CreateModel(
            name='FailedTry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('from_sha', models.CharField(max_length=64)),
                ('at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['from_sha', 'at'], name='failed_try_from_where')],
            },
        ),
        migrations.CreateModel(
            name='KeptAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key_sha', models.CharField(max_length=64)),
                ('request_sha', models.CharField(max_length=64)),
                ('claim', models.UUIDField()),
                ('begun_at', models.DateTimeField()),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('headers', models.JSONField(blank=True, default=dict)),
                ('body', models.BinaryField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_answers', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['begun_at'], name='answer_kept_since')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key_sha'), name='a_key_stands_for_one_deed'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at__isnull', True), ('body__isnull', True), ('status__isnull', True)), models.Q(('answered_at__isnull', False), ('body__isnull', False), ('status__isnull', False)), _connector='OR'), name='an_answer_is_kept_whole')],
            },
        ),
        migrations.CreateModel(
            name='PersonalToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, verbose_name='name')),
                ('start', models.CharField(max_length=12)),
                ('token_sha', models.CharField(max_length=64, unique=True)),
                ('scopes', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='personal_tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='a_token_ends_after_it_was_made')],
            },
        ),
    ]
