"""Earlier runs are told whether a script gave their scores, and whether what they are over was a script's."""

from django.db import migrations

CHUNK = 500


def forward(apps, schema_editor):
    Run = apps.get_model("scoring", "Run")
    Judge = apps.get_model("scoring", "Judge")
    scripted = Run.objects.filter(scripted=True)
    scripted.exclude(kind="REJUDGE").update(asks_script=True)
    for run in scripted.filter(kind="REJUDGE").only("pk", "config").iterator():
        asked = [one["judge"] for one in run.config.get("evaluators", ())]
        if Judge.objects.filter(pk__in=asked, endpoint__kind="SCRIPTED").exists():
            Run.objects.filter(pk=run.pk).update(asks_script=True)
    for some in _chunks(_texts(apps)):
        _tell(apps, some)


def _texts(apps):
    """Return the few texts that scripts wrote: every text is looked at once, however often it was judged."""
    responses = apps.get_model("annotation", "Response").objects
    return list(responses.filter(details__scripted=True).values_list("pk", flat=True))


def _tell(apps, texts):
    judgments = apps.get_model("scoring", "Judgment").objects.filter(response__in=texts)
    runs = list(judgments.order_by().values_list("run", flat=True).distinct())
    apps.get_model("scoring", "Run").objects.filter(pk__in=runs, scripted=False).update(
        scripted=True
    )


def _chunks(keys):
    return (keys[place : place + CHUNK] for place in range(0, len(keys), CHUNK))


class Migration(migrations.Migration):
    dependencies = [("scoring", "0025_what_a_script_answered")]

    operations = [migrations.RunPython(forward, migrations.RunPython.noop)]
