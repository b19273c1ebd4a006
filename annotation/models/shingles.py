"""What questions are made of, so that they and near-duplicates are found without reading them.

Nothing here is a record: it follows from the questions and can be made anew at any time.
"""

from django.db import models

from annotation.models.bank import Question
from annotation.models.items import Item
from annotation.models.projects import Project


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
            models.CheckConstraint(
                condition=models.Q(question__isnull=False, item__isnull=True)
                | models.Q(question__isnull=True, item__isnull=False),
                name="an_indexed_text_is_a_question_or_an_item",
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.question_id}" if self.question_id else f"item {self.item_id}"


class TextKey(models.Model):
    """One key of a text (annotation/rules/readings.py), found by project and key."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    text = models.ForeignKey(IndexedText, on_delete=models.CASCADE, related_name="keys")
    key = models.IntegerField()

    class Meta:
        indexes = [models.Index(fields=["project", "key", "text"], name="text_by_key")]

    def __str__(self) -> str:
        return f"{self.key} of {self.text_id}"


class QuestionText(models.Model):
    """All that a question's newest wording is searched by (annotation/rules/searching.py).

    Nothing else stands in these rows: looking for words through all of them is quick.
    """

    question = models.OneToOneField(
        Question, primary_key=True, on_delete=models.CASCADE, related_name="words"
    )
    said = models.TextField()

    def __str__(self) -> str:
        return f"words of question {self.question_id}"
