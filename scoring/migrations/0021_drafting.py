"""Help with drafting: who may, what was asked, what was proposed, what was taken over."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from evalsite.db.guards import Guard

ANY = "OLD.id IS NOT NULL"


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0034_corpus'),
        ('scoring', '0020_what_a_schedule_waits_for'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='run',
            name='kind',
            field=models.CharField(choices=[('JUDGE', 'judge'), ('COLLECT', 'collect answers'), ('METRICS', 'metrics'), ('ASSIST', 'assistant'), ('KIEVAL', 'KIEval'), ('FUSION', 'Fusion-Eval'), ('PLAN', 'plan of evaluation'), ('COMBINE', 'judges together'), ('SUITE', 'suite'), ('QUIZ', 'accuracy'), ('LOSSES', 'losses'), ('REJUDGE', 'interviews judged again'), ('DRAFT', 'help with drafting')], max_length=8),
        ),
        migrations.CreateModel(
            name='Drafting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.CharField(choices=[('QUESTIONS', 'questions from a passage'), ('POINTS', 'key points of an answer'), ('AMBIGUITY', 'whether a question is ambiguous')], max_length=9)),
                ('start', models.PositiveIntegerField(blank=True, null=True)),
                ('end', models.PositiveIntegerField(blank=True, null=True)),
                ('question_version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.questionversion')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='drafting', to='scoring.run')),
                ('source_version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.sourceversion')),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='DraftingRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.endpoint')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafting_rules', to='annotation.project')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('content', models.JSONField()),
                ('drafting', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='scoring.drafting')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='ProposalUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uses', to='scoring.proposal')),
                ('question_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.questionversion')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.UniqueConstraint(fields=('drafting', 'number'), name='proposal_is_unique'),
        ),
        *[
            Guard(
                f"{name}_{word}",
                table=f"scoring_{table}",
                before=before,
                when=ANY,
                message=message,
            )
            for name, table, message in (
                ("a_proposal", "proposal", "what an endpoint proposed stays as it was"),
                ("a_drafting_rule", "draftingrule", "what an owner allowed stays on record"),
            )
            for word, before in (("stays", "UPDATE"), ("lasts", "DELETE"))
        ],
    ]
