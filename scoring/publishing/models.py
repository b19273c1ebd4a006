"""What people were given to rate of that which machines put out."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.people.models import Project, User
from annotation.rounds.models import Round
from evalsite.db.rules import unique
from scoring.engine.models import Run


class PublicationManager(models.Manager["Publication"]):
    """The publications that there are; not those whose round was discarded."""

    def get_queryset(self) -> models.QuerySet["Publication"]:
        return super().get_queryset().filter(round__discarded_at__isnull=True)


class Publication(models.Model):
    """Outputs of a run that became a round, taken by lot. The same request twice is one of it.

    The chance of each output stands at the item of the round.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="publications")
    #: Made by whoever asks, so that the same request twice is one round.
    key = models.UUIDField()
    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="publication")
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.PROTECT, related_name="publications"
    )
    #: Which of the sorts of output that the run has.
    sort = models.CharField(max_length=20, blank=True)
    n_units = models.PositiveIntegerField(_("outputs there were"))
    n_taken = models.PositiveIntegerField(_("outputs taken"))
    seed = models.CharField(_("seed"), max_length=64)
    #: By which rule some were taken sooner, as its key and in words; nothing where all were alike.
    rule = models.CharField(max_length=300, blank=True, default="", db_default="")
    rule_label = models.CharField(max_length=500, blank=True, default="", db_default="")
    #: The share of those taken that was spread evenly, in percent.
    even = models.PositiveSmallIntegerField(default=100, db_default=100)
    #: What it was drawn from: how many outputs each release had (`n`), and by the rule what machines said of
    #: them on average (`mean`) and of each that was taken (`aid`, by response).
    frame = models.JSONField(default=dict)
    scripted = models.BooleanField(default=False)
    published_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField()

    objects = PublicationManager()
    everything = models.Manager["Publication"]()

    class Meta:
        ordering = ["-pk"]
        constraints = [unique("a_publication_is_asked_for_once", "project", "key")]

    def __str__(self) -> str:
        return f"{self.n_taken} of {self.n_units} in {self.round_id}"
