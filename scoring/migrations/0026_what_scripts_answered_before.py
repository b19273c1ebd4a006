"""Earlier runs are told whether a script gave their scores, and whether what they are over was a script's."""

from django.db import migrations
from django.db.models import Exists, OuterRef


def forward(apps, schema_editor):
    Run = apps.get_model("scoring", "Run")
    Judge = apps.get_model("scoring", "Judge")
    Judgment = apps.get_model("scoring", "Judgment")
    scripted = Run.objects.filter(scripted=True)
    scripted.exclude(kind="REJUDGE").update(asks_script=True)
    for run in scripted.filter(kind="REJUDGE").only("pk", "config").iterator():
        asked = [one["judge"] for one in run.config.get("evaluators", ())]
        if Judge.objects.filter(pk__in=asked, endpoint__kind="SCRIPTED").exists():
            Run.objects.filter(pk=run.pk).update(asks_script=True)
    texts = Judgment.objects.filter(run=OuterRef("pk"), response__details__scripted=True)
    over = Run.objects.filter(Exists(texts), scripted=False).values_list("pk", flat=True)
    Run.objects.filter(pk__in=list(over)).update(scripted=True)


class Migration(migrations.Migration):
    dependencies = [("scoring", "0025_what_a_script_answered")]

    operations = [migrations.RunPython(forward, migrations.RunPython.noop)]
