"""Caches of computed figures. They may be deleted at any time and are computed again."""

from django.db import models

from annotation.rounds.models import Round
from evalsite.db.rules import unique


class Figure(models.Model):
    """A statistic as plain data, for the exact ratings it was computed from."""

    class State(models.TextChoices):
        WANTED = "WANTED"
        READY = "READY"
        FAILED = "FAILED"
        EMPTY = "EMPTY"  # these ratings say nothing on it; `problem` says what would

    name = models.CharField(max_length=60)
    params = models.JSONField()
    params_sha = models.CharField(max_length=64)
    ratings_sha = models.CharField(max_length=64)
    round = models.ForeignKey(Round, null=True, on_delete=models.CASCADE, related_name="figures")
    state = models.CharField(max_length=6, choices=State, default=State.WANTED)
    data = models.JSONField(null=True)
    problem = models.CharField(max_length=500, blank=True)
    wanted_at = models.DateTimeField()
    #: How many workers began to compute it.
    tries = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    ready_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("one_figure_per_question_and_ratings", "name", "params_sha", "ratings_sha")
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"

    @property
    def will_not_come(self) -> bool:
        """Whether nobody computes it any more, and there is nothing but a reason."""
        return self.state in {self.State.FAILED, self.State.EMPTY}


class Snapshot(models.Model):
    """The ratings frame of a final round's revision, written once as columns."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="snapshots")
    ratings_sha = models.CharField(max_length=64, unique=True)
    data = models.BinaryField()
    n_ratings = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"snapshot of {self.round_id}"
