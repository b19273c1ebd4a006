"""Publications of parts on which judges disagree are drawn by the rule *Judges apart* alone."""

from collections import defaultdict

from django.db import migrations

#: So long a rule's criteria may be together.
MOST = 290
#: What a publication was of, by what it said; and the level of what judges said of it.
SORTS = {"turns_apart": ("turns", "TURN"), "conversations_apart": ("conversations", "RESPONSE")}


def to_rule(apps, schema_editor):
    publications = apps.get_model("scoring", "Publication").objects
    for one in publications.filter(sort__in=SORTS):
        one.sort, level = SORTS[one.sort]
        names = _apart(apps.get_model("scoring", "Judgment"), one.run_id, level)
        while len(",".join(names)) > MOST:  # as many as the field holds, none of them cut
            names.popitem()
        one.rule = f"apart:{','.join(names)}"
        one.rule_label = f"Judges apart: {', '.join(names.values())}"[:500]
        one.even = 0
        one.save(update_fields=["sort", "rule", "rule_label", "even"])


def _apart(judgments, run, level):
    """Return the criteria by which several judges of a run said something, with their names."""
    rows = judgments.objects.filter(
        run=run, target_level=level, value__isnull=False, rater__kind="JUDGE"
    )
    names, judges = {}, defaultdict(set)
    by = rows.order_by("criterion__key").values_list("criterion__key", "criterion__name", "rater")
    for key, name, rater in by.distinct():
        names[key] = name
        judges[key].add(rater)
    return {key: name for key, name in names.items() if len(judges[key]) > 1}


class Migration(migrations.Migration):
    dependencies = [("scoring", "0035_publication_rules")]

    operations = [migrations.RunPython(to_rule, migrations.RunPython.noop)]
