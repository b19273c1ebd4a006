"""Interviews: the dialogues of a KIEval run and their exchanges, as they were held. Append-only."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.systems.models import Item, Response, SystemRelease
from evalsite.db.rules import holds, index, unique
from scoring.engine.models import Run, Step


class Dialogue(models.Model):
    """One interview of a candidate about a question.

    The whole of it is one response of the candidate; the verdicts on it are judgments of its turns. An
    evaluator that judges a dialogue later writes judgments of its own, never another dialogue.
    """

    class End(models.TextChoices):
        PLANNED = "PLANNED", _("to the planned end")
        STOPPED = "STOPPED", _("stopped early")
        SYSTEM_FAILED = "SYSTEM", _("the system failed")

    class Decided(models.TextChoices):
        OPTION = "OPTION", _("by the option chosen")
        TEXT = "TEXT", _("by equal text")
        JUDGE = "JUDGE", _("by a judge")
        PERSON = "PERSON", _("by a person")
        NONE = "NONE", _("not decided")

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="dialogues")
    #: None for a dialogue that was brought in from a file.
    step = models.OneToOneField(
        Step, null=True, blank=True, on_delete=models.PROTECT, related_name="dialogue"
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="dialogues")
    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="dialogues")
    response = models.OneToOneField(Response, on_delete=models.PROTECT, related_name="dialogue")
    #: Beside others of its question: the data set and subject that figures are grouped by.
    dataset = NameColumn(max_length=120, blank=True)
    answer = models.TextField(blank=True)
    chosen = models.CharField(max_length=40, blank=True)
    right = models.BooleanField(null=True, blank=True)
    decided_by = models.CharField(max_length=6, choices=Decided, default=Decided.NONE)
    n_planned = models.PositiveSmallIntegerField()
    ended = models.CharField(max_length=7, choices=End)
    stopped_at = models.PositiveSmallIntegerField(null=True, blank=True)
    stop_reason = models.CharField(max_length=24, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    flags = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [unique("one_dialogue_of_a_question_in_a_run", "run", "item", "release")]
        indexes = [index("dialogue_by_end", "run", "release", "ended")]

    def __str__(self) -> str:
        return f"dialogue {self.pk}"


class Exchange(models.Model):
    """A step of a dialogue: the interactor asks, the candidate answers.

    What the run's own evaluator said of it stands here for readers and searches; figures read the
    judgments.
    """

    dialogue = models.ForeignKey(Dialogue, on_delete=models.PROTECT, related_name="exchanges")
    k = models.PositiveSmallIntegerField()
    question = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    #: By aspect and overall, 1 to 4; null where no verdict could be read.
    scores = models.JSONField(null=True, blank=True)
    comments = models.JSONField(default=dict, blank=True)
    unscored = models.CharField(max_length=300, blank=True)
    stops = models.BooleanField(default=False)
    stop_reason = models.CharField(max_length=24, blank=True)
    flags = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["k"]
        constraints = [
            unique("exchange_number_is_unique", "dialogue", "k"),
            holds(
                "an_exchange_is_scored_or_says_why_not",
                models.Q(scores__isnull=True) | models.Q(unscored=""),
            ),
        ]

    def __str__(self) -> str:
        return f"exchange {self.k}"


class PublishedExchange(models.Model):
    """An answer of an interview that was given to people, on an item made of what went before it."""

    exchange = models.ForeignKey(Exchange, on_delete=models.PROTECT, related_name="published")
    response = models.OneToOneField(Response, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.exchange_id} as {self.response_id}"
