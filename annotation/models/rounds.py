"""A round: one evaluation campaign, a frozen draw of items, releases, rubrics and seats."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.items import Display, Item, Response, SystemRelease
from annotation.models.names import NameField
from annotation.models.projects import Project, Rater
from annotation.models.taxonomy import Capability
from annotation.rubrics.models import RubricVersion


class RoundManager(models.Manager["Round"]):
    """The rounds that there are. One that was discarded keeps its number and nothing else."""

    def get_queryset(self) -> models.QuerySet["Round"]:
        return super().get_queryset().filter(discarded_at__isnull=True)


class Round(models.Model):
    class Kind(models.TextChoices):
        PRODUCTION = "PRODUCTION", _("production")
        TRIAL = "TRIAL", _("trial")
        TRAINING = "TRAINING", _("training")
        IMPORTED = "IMPORTED", _("imported grades")

    class State(models.TextChoices):
        DRAFT = "DRAFT", _("draft")
        OPEN = "OPEN", _("open")
        REVIEW = "REVIEW", _("in review")
        FINAL = "FINAL", _("final")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    name = NameField(_("name"), max_length=200)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PRODUCTION)
    state = models.CharField(max_length=6, choices=State, default=State.DRAFT)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT)
    seed = models.CharField(_("seed"), max_length=64)
    secret = models.BinaryField()
    n_seats = models.PositiveSmallIntegerField(_("annotators per question"), default=3)
    seats_override = models.CharField(max_length=300, blank=True)
    lease_minutes = models.PositiveSmallIntegerField(_("minutes a seat is held"), default=30)
    deadline = models.DateTimeField(_("closes"), null=True, blank=True)
    instructions = models.TextField(_("note to the annotators"), blank=True)
    uniform_rendering = models.BooleanField(_("flatten headings, bold and emoji"), default=False)
    #: Nobody is given a question of a capability in which they have not qualified.
    qualified_only_since = models.DateTimeField(null=True, blank=True)
    #: Why it may open although too few of its annotators have qualified; said by the owner.
    #: (Nullable, so that SQLite adds the column without making the table anew.)
    qualified_override = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    draw = models.JSONField(default=dict)
    manifest = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    opening_at = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    review_at = models.DateTimeField(null=True, blank=True)
    final_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    #: Since when it is gone: a draft that was deleted, or a round in which nothing was graded.
    discarded_at = models.DateTimeField(null=True, blank=True)
    #: The import whose grades this round holds; undone with it. Only for kind IMPORTED.
    batch = models.OneToOneField(
        "annotation.ImportBatch", null=True, blank=True, on_delete=models.PROTECT
    )

    objects = RoundManager()
    everything = models.Manager["Round"]()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="round_number_is_unique"),
            models.CheckConstraint(
                condition=models.Q(n_seats__gte=1), name="a_round_has_at_least_one_seat_per_item"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def asks_qualification(self) -> bool:
        return self.qualified_only_since is not None

    @property
    def is_running(self) -> bool:
        return self.state == self.State.OPEN and self.paused_at is None


class RoundSystem(models.Model):
    """A release that takes part. `ordinal` is its seeded place in the squares, dealt at opening."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="systems")
    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="+")
    ordinal = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "release"], name="a_release_once_in_a_round"),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}: {self.release_id}"


class RoundRubric(models.Model):
    """The rubric by which a capability's items are graded; without capability: all the others."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="rubrics")
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    rubric_version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "capability"], name="one_rubric_per_capability_of_a_round"
            ),
            models.UniqueConstraint(
                fields=["round"],
                condition=models.Q(capability__isnull=True),
                name="one_rubric_for_the_rest_of_a_round",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}: {self.rubric_version_id}"


class RoundAnnotator(models.Model):
    """Somebody who may grade in a round, and how far along their own order of items they are."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="annotators")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="round_places")
    cursor = models.PositiveIntegerField(default=0)
    #: Why somebody who can see identities may grade all the same; said by the owner.
    override = models.CharField(max_length=300, blank=True)
    #: Why somebody may grade what they wrote or inspected themselves; said by the owner.
    own_override = models.CharField(max_length=300, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "rater"], name="an_annotator_once_in_a_round"),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}: {self.rater_id}"


class Unblinding(models.Model):
    """Somebody had the names of a round's systems shown, and does not grade in it any more."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="unblindings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round", "user"], name="names_are_shown_once_to_a_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}: {self.user_id}"


class RoundItem(models.Model):
    """An item in a round. `face` is what an annotator is shown of it, as plain rendered values."""

    class Purpose(models.TextChoices):
        NORMAL = "NORMAL", _("normal")
        ANCHOR = "ANCHOR", _("anchor")
        REPEAT = "REPEAT", _("repeat")
        GOLD = "GOLD", _("gold")

    class Unknown(models.TextChoices):
        NAMED = "NAMED", _("named by hand, not drawn by lot")
        ANCHOR = "ANCHOR", _("an anchor, drawn from an earlier round")
        REPEAT = "REPEAT", _("a repeat of another item of the round")
        GOLD = "GOLD", _("a gold item, whose grades are known")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    occasion = models.PositiveSmallIntegerField(default=1)
    ordinal = models.PositiveIntegerField()
    purpose = models.CharField(max_length=6, choices=Purpose, default=Purpose.NORMAL)
    stratum = models.CharField(max_length=200, blank=True)
    inclusion_probability = models.FloatField(null=True, blank=True)
    #: Why the chance is not known, where it is not.
    chance_unknown = models.CharField(max_length=6, choices=Unknown, blank=True)
    n_seats = models.PositiveSmallIntegerField()
    rubric_version = models.ForeignKey(
        RubricVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    face = models.JSONField(default=dict)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "item", "occasion"], name="an_item_once_per_round_and_occasion"
            ),
            models.UniqueConstraint(
                fields=["round", "ordinal"], name="round_item_ordinal_is_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}/{self.ordinal}"


class RoundResponse(models.Model):
    """Which response stands for a release on an item of the round, and what is shown of it."""

    round_item = models.ForeignKey(RoundItem, on_delete=models.CASCADE, related_name="responses")
    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="+")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="+")
    display = models.ForeignKey(
        Display, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round_item", "release"], name="one_response_per_release_and_round_item"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_item_id}: {self.response_id}"


class Manifest(models.Model):
    """What was frozen when the round opened, entry by entry; `Round.manifest` holds its digest.

    Beside the round, not in it: it is large, and only looked at when somebody checks it.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="frozen")
    body = models.JSONField()
    sha = models.CharField(max_length=64)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"manifest of {self.round_id}"


class IdentityHit(models.Model):
    """A place where a response of the round seems to name its system, and what was decided of it."""

    class Decision(models.TextChoices):
        UNDECIDED = "UNDECIDED", _("to decide")
        MASK = "MASK", _("masked")
        KEEP = "KEEP", _("left as it is")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="identity_hits")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="+")
    term = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    message_no = models.PositiveSmallIntegerField(default=0)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    excerpt = models.CharField(max_length=300)
    decision = models.CharField(max_length=9, choices=Decision, default=Decision.UNDECIDED)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["term", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "response", "message_no", "start", "end"],
                name="identity_hit_is_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.term} in {self.response_id}"
