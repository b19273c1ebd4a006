from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0003_runs"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="llmcall", name="call_by_role"),
        migrations.AddIndex(
            model_name="llmcall",
            index=models.Index(
                fields=[
                    "run",
                    "role",
                    "endpoint",
                    "trouble",
                    "cost",
                    "prompt_tokens",
                    "completion_tokens",
                    "seconds",
                ],
                name="call_by_role",
            ),
        ),
    ]
