"""What questions, items, sources and responses are found by, in one table.

Nothing here is a record: it follows from the rows and can be made anew at any time
(`manage.py reindex_search`).
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.bank import Question
from annotation.models.items import Item, Response
from annotation.models.projects import Project
from annotation.models.sources import Source


class SearchText(models.Model):
    """The words of one thing, as annotation/rules/searching.py writes them.

    A question and a source by their newest version, an item as it was imported, a response as it
    was given. A long text is several parts. An index of words stands beside this table
    (evalsite/fulltext.py) and is kept true by the database.
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
                condition=models.Q(
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
                name="what_is_searched_is_of_its_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"words of {self.kind} {self.of}"

    @property
    def of(self) -> int | None:
        """The key of the thing these are words of."""
        return self.question_id or self.item_id or self.source_id or self.response_id
