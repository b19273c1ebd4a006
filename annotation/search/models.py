"""What questions, items, sources and responses are found by, in one table.

* What questions are made of, so that they and near-duplicates are found without reading them.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.bank.models import Question
from annotation.people.models import Project
from annotation.sources.models import Source
from annotation.systems.models import Item, Response
from evalsite.db.rules import holds, index, unique


class SearchText(models.Model):
    """The words of one thing, as annotation/search/rules.py writes them.

    A question and a source by their newest version, an item as it was imported, a response as it
    was given. A long text is several parts. An index of words stands beside this table
    (evalsite/db/fulltext.py) and is kept true by the database.
    """

    class Kind(models.TextChoices):
        QUESTION = "QUESTION", _("question")
        ITEM = "ITEM", _("item")
        SOURCE = "SOURCE", _("source")
        RESPONSE = "RESPONSE", _("response")

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind)
    question = models.ForeignKey(
        Question, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    source = models.ForeignKey(
        Source, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    part = models.PositiveSmallIntegerField(default=0)
    words = models.TextField()

    class Meta:
        constraints = [
            unique("a_part_of_a_question_is_searched_once", "question", "part"),
            unique("a_part_of_an_item_is_searched_once", "item", "part"),
            unique("a_part_of_a_source_is_searched_once", "source", "part"),
            unique("a_part_of_a_response_is_searched_once", "response", "part"),
            holds(
                "what_is_searched_is_of_its_kind",
                models.Q(
                    kind="QUESTION", question__isnull=False, item=None, source=None, response=None
                )
                | models.Q(
                    kind="ITEM", question=None, item__isnull=False, source=None, response=None
                )
                | models.Q(
                    kind="SOURCE", question=None, item=None, source__isnull=False, response=None
                )
                | models.Q(
                    kind="RESPONSE", question=None, item=None, source=None, response__isnull=False
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"words of {self.kind} {self.of}"

    @property
    def of(self) -> int | None:
        """The key of the thing these are words of."""
        return self.question_id or self.item_id or self.source_id or self.response_id


class IndexedText(models.Model):
    """The newest wording of a question, or an imported item, as it was read by one method."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    question = models.OneToOneField(
        Question, null=True, blank=True, on_delete=models.CASCADE, related_name="indexed"
    )
    item = models.OneToOneField(
        Item, null=True, blank=True, on_delete=models.CASCADE, related_name="indexed"
    )
    method = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            holds(
                "an_indexed_text_is_a_question_or_an_item",
                models.Q(question__isnull=False, item__isnull=True)
                | models.Q(question__isnull=True, item__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"question {self.question_id}" if self.question_id else f"item {self.item_id}"


class TextKey(models.Model):
    """One key of a text (annotation/common/similarity.py), found by project and key."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    text = models.ForeignKey(IndexedText, on_delete=models.CASCADE, related_name="keys")
    key = models.IntegerField()

    class Meta:
        indexes = [index("text_by_key", "project", "key", "text")]

    def __str__(self) -> str:
        return f"{self.key} of {self.text_id}"


class QuestionText(models.Model):
    """All that a question's newest wording is searched by (annotation/search/rules.py).

    Nothing else stands in these rows: looking for words through all of them is quick.
    """

    question = models.OneToOneField(
        Question, primary_key=True, on_delete=models.CASCADE, related_name="words"
    )
    said = models.TextField()

    def __str__(self) -> str:
        return f"words of question {self.question_id}"
