"""Questions, items, sources and responses are found by their words, from an index."""

import django.db.models.deletion
from django.db import migrations, models

from evalsite.db.fulltext import WordIndex


def of(name):
    return models.ForeignKey(
        blank=True,
        db_index=False,
        null=True,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to=f"annotation.{name}",
    )


def of_its_kind():
    kinds = ("question", "item", "source", "response")
    told = models.Q()
    for kind in kinds:
        others = {one: None for one in kinds if one != kind}
        told |= models.Q(kind=kind.upper(), **{f"{kind}__isnull": False}, **others)
    return told


class Migration(migrations.Migration):
    dependencies = [("annotation", "0035_rounds_that_open_with_too_few")]

    operations = [
        migrations.CreateModel(
            name="SearchText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("QUESTION", "question"),
                            ("ITEM", "item"),
                            ("SOURCE", "source"),
                            ("RESPONSE", "response"),
                        ],
                        max_length=8,
                    ),
                ),
                ("part", models.PositiveSmallIntegerField(default=0)),
                ("words", models.TextField()),
                ("item", of("item")),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotation.project",
                    ),
                ),
                ("question", of("question")),
                ("response", of("response")),
                ("source", of("source")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["question", "part"], name="a_part_of_a_question_is_searched_once"
                    ),
                    models.UniqueConstraint(
                        fields=["item", "part"], name="a_part_of_an_item_is_searched_once"
                    ),
                    models.UniqueConstraint(
                        fields=["source", "part"], name="a_part_of_a_source_is_searched_once"
                    ),
                    models.UniqueConstraint(
                        fields=["response", "part"], name="a_part_of_a_response_is_searched_once"
                    ),
                    models.CheckConstraint(
                        condition=of_its_kind(), name="what_is_searched_is_of_its_kind"
                    ),
                ],
            },
        ),
        WordIndex("annotation_searchtext", column="words"),
    ]
