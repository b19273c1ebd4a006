"""Where language models are asked: the servers, and which of them answers as which system.

* Tests of connections: what was asked of an endpoint, and what was found.
"""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.people.models import Project, Rater, User
from annotation.systems.models import SystemRelease
from evalsite.db.rules import unique

#: Stands for what a header holds; given back, it leaves that as it is.
HIDDEN = "•••"


class EndpointQuerySet(models.QuerySet["Endpoint"]):
    def in_use(self) -> Self:
        return self.filter(retired_at__isnull=True)


class Endpoint(models.Model):
    """A language model behind an OpenAI-compatible server, or an application, as it is configured.

    What decides a reply (kind, address, model, request, options, ladder of output forms) never changes once a run used
    it: an edit makes a new row with the next number and retires this one. Keys, prices and limits may
    change, and headers as keys do; a run keeps those it counted with.
    """

    class Kind(models.TextChoices):
        SERVER = "SERVER", _("OpenAI-compatible server")
        REST = "REST", _("REST application")
        SCRIPTED = "SCRIPTED", _("scripted")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="endpoints")
    name = NameColumn(_("name"), max_length=80)
    number = models.PositiveIntegerField(default=1)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.SERVER)
    url = models.CharField(_("address"), max_length=500, blank=True)
    model_name = NameColumn(_("model"), max_length=200, blank=True)
    #: What kind of language model it is, to be compared with the systems it judges.
    family = NameColumn(_("family"), max_length=80, blank=True)
    #: The script of a scripted endpoint (scoring/llm/scripted): its seed and faults.
    script = models.JSONField(default=dict, blank=True)
    #: Of an application (scoring/llm/rest.py): method, headers, body, answer.
    request = models.JSONField(default=dict, blank=True)
    #: Of a server (scoring/endpoints/records.Options): how it is asked, where that is not as usual.
    options = models.JSONField(default=dict, blank=True)
    #: Headers that are sent with every request: their names, and all of them encrypted at rest.
    header_names = models.JSONField(default=list, blank=True)
    headers_sealed = models.TextField(blank=True)
    #: Certificates (PEM) that are trusted beside those that the site trusts.
    certificates = models.TextField(blank=True)
    #: Encrypted at rest; never shown again. Or the name of an environment variable.
    key_sealed = models.TextField(blank=True)
    key_env = models.CharField(_("environment variable"), max_length=120, blank=True)
    #: Per million tokens, in `currency`; none is "not known".
    prompt_price = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    completion_price = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    #: Of tokens of the prompt that the server had kept from before; none: as the others.
    cached_price = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    max_in_flight = models.PositiveSmallIntegerField(_("requests at once"), default=8)
    per_minute = models.PositiveIntegerField(_("requests a minute"), null=True, blank=True)
    timeout = models.PositiveIntegerField(_("seconds to wait"), default=120)
    context_length = models.PositiveIntegerField(_("context in tokens"), null=True, blank=True)
    #: What "Test connection" found: json_schema, json_object, logprobs, multi_token_scores, n, seed,
    #: prompt_logprobs, max_tokens_name, latency; each with when and how it was found out.
    found = models.JSONField(default=dict, blank=True)
    tested_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    objects = EndpointQuerySet.as_manager()

    class Meta:
        ordering = ["name", "number"]
        constraints = [
            unique("endpoint_number_is_unique", "project", "name", "number"),
            unique(
                "one_endpoint_of_a_name_in_use",
                "project",
                "name",
                where=models.Q(retired_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_scripted(self) -> bool:
        return self.kind == self.Kind.SCRIPTED

    @property
    def is_rest(self) -> bool:
        return self.kind == self.Kind.REST

    @property
    def headers(self) -> dict[str, str]:
        """The names of its headers; what they hold is not shown again."""
        return dict.fromkeys(self.header_names, HIDDEN)

    @property
    def gives_several(self) -> bool:
        """Whether one request can bring several replies, as "Test connection" found."""
        found = self.found.get("n")
        return isinstance(found, dict) and found.get("value") is True

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"endpoint:{self.pk}"


class EndpointPace(models.Model):
    """How fast an endpoint may be asked just now, shared by all workers. May be deleted at any time."""

    endpoint = models.OneToOneField(Endpoint, on_delete=models.CASCADE, related_name="pace")
    #: The share of `max_in_flight` that is used, between 0 and 1: halved by a 429, then growing again.
    share = models.FloatField(default=1.0)
    not_before = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.endpoint_id}: {self.share:.2f}"


class EndpointUser(models.Model):
    """A worker that asks an endpoint now: the limits are shared out among those seen lately."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="workers")
    worker = models.CharField(max_length=64)
    #: How many requests it may have in flight until it is seen again.
    slots = models.PositiveSmallIntegerField(default=0)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [unique("a_worker_is_seen_once", "endpoint", "worker")]

    def __str__(self) -> str:
        return f"{self.worker} at {self.endpoint_id}"


class SystemConnection(models.Model):
    """Which endpoint answers as a release, and with what parameters. A change ends it and makes another."""

    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="connections")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="connections")
    #: system_prompt, temperature, top_p, max_tokens, seed, stop, effort.
    settings = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("one_connection_of_a_release", "release", where=models.Q(ended_at__isnull=True))
        ]

    def __str__(self) -> str:
        return f"{self.release_id} by {self.endpoint_id}"


class Judge(models.Model):
    """A configured machine rater: protocol version, endpoint, parameters and the prompts' hash. Immutable."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="judges")
    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="judge")
    name = NameColumn(_("name"), max_length=120)
    #: Such as "direct/v1".
    protocol = models.CharField(max_length=40)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="judges")
    config = models.JSONField(default=dict)
    #: Covers protocol, endpoint, config and the hash of the prompts.
    config_sha = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [unique("a_judge_is_its_configuration", "project", "config_sha")]

    def __str__(self) -> str:
        return self.name

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"judge:{self.pk}"


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
            unique("one_test_of_an_endpoint_at_a_time", "endpoint", where=models.Q(state="MOVING"))
        ]

    def __str__(self) -> str:
        return f"test of {self.endpoint_id}"
