"""What is there already can be found from the index, too."""

from typing import Any

from django.db import migrations
from django.db.models import Exists, OuterRef

from annotation.search import rules as searching

BATCH = 500


def fill(apps: Any, _editor: Any) -> None:
    """Write the words of everything, a few rows at a time."""
    questions = apps.get_model("annotation", "QuestionVersion").objects
    sources = apps.get_model("annotation", "SourceVersion").objects
    items = apps.get_model("annotation", "Item").objects
    responses = apps.get_model("annotation", "Response").objects
    keep = _Keeper(apps.get_model("annotation", "SearchText"))
    newest = _newest(questions, "question").select_related("question")
    for one in _walk(newest, "question_id"):
        of = one.question
        texts = searching.of_question(of.external_id, one.turns, one.answer, one.key_points)
        keep.add("question", of.pk, of.project_id, texts)
    for one in _walk(items.filter(question_version=None, published_at=None), "id"):
        texts = searching.of_question(one.external_id, one.messages, one.reference, one.key_points)
        keep.add("item", one.pk, one.project_id, texts)
    for one in _walk(_newest(sources, "source").select_related("source"), "source_id"):
        of = one.source
        texts = searching.of_source(of.title, of.publisher, of.address, one.note, one.text)
        keep.add("source", of.pk, of.project_id, texts)
    for one in _walk(responses.select_related("item"), "id"):
        keep.add("response", one.pk, one.item.project_id, searching.said(one.messages))
    keep.write()


def _newest(versions: Any, of: str) -> Any:
    later = versions.filter(**{of: OuterRef(of), "number__gt": OuterRef("number")})
    return versions.exclude(Exists(later))


def _walk(rows: Any, by: str) -> Any:
    after = 0
    while batch := list(rows.filter(**{f"{by}__gt": after}).order_by(by)[:BATCH]):
        yield from batch
        after = getattr(batch[-1], by)


class _Keeper:
    def __init__(self, model: Any) -> None:
        self._model = model
        self._rows: list[Any] = []

    def add(self, name: str, pk: int, project: int, texts: list[str]) -> None:
        for part, words in enumerate(searching.parts(texts)):
            given = {f"{name}_id": pk, "project_id": project, "part": part, "words": words}
            self._rows.append(self._model(kind=name.upper(), **given))
        if len(self._rows) >= BATCH:
            self.write()

    def write(self) -> None:
        self._model.objects.bulk_create(self._rows, ignore_conflicts=True)
        self._rows = []


class Migration(migrations.Migration):
    dependencies = [("annotation", "0036_words_by_index")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
