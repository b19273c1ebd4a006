"""Questions that are there already can be searched, too."""

from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef

from annotation.search import rules as searching

BATCH = 500


def fill(apps: Any, _editor: Any) -> None:
    """Write the words of every question's newest version, a few questions at a time."""
    versions = apps.get_model("annotation", "QuestionVersion").objects
    texts = apps.get_model("annotation", "QuestionText").objects
    newer = versions.filter(question=OuterRef("question"), number__gt=OuterRef("number"))
    newest = versions.exclude(Exists(newer)).select_related("question").order_by("question")
    after = 0
    while rows := list(newest.filter(question__gt=after)[:BATCH]):
        texts.bulk_create(
            (texts.model(question=one.question, said=_words(one)) for one in rows),
            ignore_conflicts=True,
        )
        after = rows[-1].question_id


def _words(version: Any) -> str:
    turns = [str(one.get("content") or "") for one in version.turns]
    return searching.words_of(version.question.external_id, turns, version.answer)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_lists_of_a_large_bank")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
