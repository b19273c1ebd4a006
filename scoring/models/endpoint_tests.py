"""Tests of connections: what was asked of an endpoint, and what was found."""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import User
from scoring.models.endpoints import Endpoint


class EndpointTestQuerySet(models.QuerySet["EndpointTest"]):
    def moving(self) -> Self:
        return self.filter(state=EndpointTest.State.MOVING)


class EndpointTest(models.Model):
    """One test of an endpoint's connection. It writes each finding down as it comes."""

    class State(models.TextChoices):
        MOVING = "MOVING", _("being tested")
        DONE = "DONE", _("tested")
        FAILED = "FAILED", _("no connection")

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="tests")
    state = models.CharField(max_length=6, choices=State, default=State.MOVING)
    #: Name of the ability → value, how it was found, facts, when.
    found = models.JSONField(default=dict, blank=True)
    n_asked = models.PositiveSmallIntegerField(default=0)
    trouble = models.CharField(max_length=16, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    asked_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = EndpointTestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["endpoint"],
                condition=models.Q(state="MOVING"),
                name="one_test_of_an_endpoint_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"test of {self.endpoint_id}"
