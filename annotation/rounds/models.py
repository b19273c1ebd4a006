"""A round: one evaluation campaign, a frozen draw of items, releases, rubrics and seats.

* Seats: who holds which item of a round under a lease, in which blind order, and what happened.
* What a person decided of two contents: the same in meaning, or changed. Append-only.
"""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.domains.models import Capability
from annotation.people.models import Project, Rater
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import Display, Item, Response, SystemRelease
from evalsite.db.rules import holds, index, unique


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
    name = NameColumn(_("name"), max_length=200)
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
    #: Whether two answers at a time stand side by side, and people say which is better.
    of_pairs = models.BooleanField(default=False, db_default=False)
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
            unique("round_number_is_unique", "project", "number"),
            holds("a_round_has_at_least_one_seat_per_item", models.Q(n_seats__gte=1)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def asks_qualification(self) -> bool:
        return self.qualified_only_since is not None

    @property
    def is_running(self) -> bool:
        return self.state == self.State.OPEN and self.paused_at is None

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"round:{self.number}"


class RoundSystem(models.Model):
    """A release that takes part. `ordinal` is its seeded place in the squares, dealt at opening."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="systems")
    release = models.ForeignKey(SystemRelease, on_delete=models.PROTECT, related_name="+")
    ordinal = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [unique("a_release_once_in_a_round", "round", "release")]

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
            unique("one_rubric_per_capability_of_a_round", "round", "capability"),
            unique(
                "one_rubric_for_the_rest_of_a_round",
                "round",
                where=models.Q(capability__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.round_id}: {self.rubric_version_id}"


class RoundAnnotator(models.Model):
    """Somebody who may grade in a round, and how far along their own order of items they are."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="annotators")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="round_places")
    cursor = models.PositiveIntegerField(default=0)
    #: So many questions above their share they have asked for.
    extra = models.PositiveIntegerField(default=0)
    #: Why somebody who can see identities may grade all the same; said by the owner.
    override = models.CharField(max_length=300, blank=True)
    #: Why somebody may grade what they wrote or inspected themselves; said by the owner.
    own_override = models.CharField(max_length=300, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [unique("an_annotator_once_in_a_round", "round", "rater")]

    def __str__(self) -> str:
        return f"{self.round_id}: {self.rater_id}"


class Unblinding(models.Model):
    """Somebody had the names of a round's systems shown, and does not grade in it any more."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="unblindings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [unique("names_are_shown_once_to_a_person", "round", "user")]

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
    #: Which pair of its answers this is, in a round of pairs; else 0.
    pair = models.PositiveSmallIntegerField(default=0, db_default=0)
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
            unique("an_item_once_per_round_and_occasion", "round", "item", "pair", "occasion"),
            unique("round_item_ordinal_is_unique", "round", "ordinal"),
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
        constraints = [unique("one_response_per_release_and_round_item", "round_item", "release")]

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
            unique("identity_hit_is_unique", "round", "response", "message_no", "start", "end")
        ]

    def __str__(self) -> str:
        return f"{self.term} in {self.response_id}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def wanted(self) -> Self:
        """Leave out the seats that were dropped because nobody was left who could take them."""
        return self.exclude(state=Assignment.State.DROPPED)

    def held_by(self, rater: Rater) -> Self:
        return self.filter(rater=rater, state=Assignment.State.CLAIMED)


class Assignment(models.Model):
    """One seat of a round item. `token` addresses it for the one who holds it, and changes with every claim."""

    class State(models.TextChoices):
        FREE = "FREE", _("free")
        CLAIMED = "CLAIMED", _("claimed")
        SUBMITTED = "SUBMITTED", _("submitted")
        DROPPED = "DROPPED", _("dropped")

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="assignments")
    round_item = models.ForeignKey(RoundItem, on_delete=models.CASCADE, related_name="assignments")
    seat = models.PositiveSmallIntegerField()
    ordinal = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.FREE)
    rater = models.ForeignKey(
        Rater, null=True, blank=True, on_delete=models.PROTECT, related_name="assignments"
    )
    token = models.CharField(max_length=40, null=True, blank=True, unique=True)
    claim_no = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    #: Held ready for somebody who works on another one; becomes work when they come to it.
    warm = models.BooleanField(default=False)
    #: Why a repeat was dropped: by rule, where nobody is left who graded the item before.
    dropped_why = models.CharField(max_length=300, blank=True)
    fence = models.PositiveIntegerField(default=0)
    rev = models.PositiveIntegerField(default=0)
    #: Active time at the page over all submissions that were in time; that of late ones is with their grades.
    active_ms = models.PositiveBigIntegerField(default=0, db_default=0)
    order_version = models.CharField(max_length=20)
    order_row = models.IntegerField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("seat_is_unique", "round_item", "seat"),
            unique("seat_ordinal_is_unique", "round", "ordinal"),
            unique(
                "a_rater_has_one_seat_of_an_item",
                "round_item",
                "rater",
                where=models.Q(rater__isnull=False),
            ),
            holds(
                "a_seat_that_is_taken_has_a_rater",
                models.Q(
                    state__in=["FREE", "DROPPED"], rater__isnull=True, lease_until__isnull=True
                )
                | models.Q(state="CLAIMED", rater__isnull=False, lease_until__isnull=False)
                | models.Q(state="SUBMITTED", rater__isnull=False, submitted_at__isnull=False),
            ),
        ]
        indexes = [
            index("seat_by_state", "round", "state", "lease_until"),
            # Up to its end, so that the last one that somebody submitted is found without the others.
            index("seat_by_rater", "rater", "round", "state", "submitted_at", "ordinal"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.round_item_id}"


class ClaimEvent(models.Model):
    """What happened to a seat. Append-only; the token of an old claim is found here."""

    class Kind(models.TextChoices):
        CLAIMED = "CLAIMED", _("claimed")
        EXPIRED = "EXPIRED", _("expired")
        DECLINED = "DECLINED", _("skipped")
        HANDED_BACK = "HANDED_BACK", _("handed back")
        REASSIGNED = "REASSIGNED", _("reassigned")
        REOPENED = "REOPENED", _("asked to look again")

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="events")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=11, choices=Kind)
    claim_no = models.PositiveIntegerField()
    token = models.CharField(max_length=40, db_index=True)
    reason = models.CharField(max_length=300, blank=True)
    #: What had been drafted when the seat was lost.
    kept = models.JSONField(null=True, blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [index("claim_event_by_rater", "rater", "kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.assignment_id}"


class Slot(models.Model):
    """A position of a seat, standing for one response. Made with the seat, immutable."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveSmallIntegerField()
    round_response = models.ForeignKey(
        RoundResponse, on_delete=models.CASCADE, related_name="slots"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            unique("slot_position_is_unique", "assignment", "position"),
            unique("a_response_once_in_a_seat", "assignment", "round_response"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id}@{self.position}"


class Draft(models.Model):
    """What its holder has entered so far; the only mutable record of a seat."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="+")
    rev = models.PositiveIntegerField(default=0)
    marks = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft of {self.assignment_id}"


class Receipt(models.Model):
    """The answer to a request that was carried out once; a repeat of the request gets it again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    op_id = models.UUIDField()
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="receipts")
    kind = models.CharField(max_length=12)
    rev = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, blank=True)
    late = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [unique("a_request_is_answered_once", "user", "op_id")]

    def __str__(self) -> str:
        return f"{self.kind} {self.op_id}"


class SamenessTagQuerySet(models.QuerySet["SamenessTag"]):
    def current(self) -> Self:
        """Return the last word on every pair."""
        later = SamenessTag.objects.filter(
            left_item=models.OuterRef("left_item"),
            right_item=models.OuterRef("right_item"),
            revision__gt=models.OuterRef("revision"),
        )
        later_response = SamenessTag.objects.filter(
            left_response=models.OuterRef("left_response"),
            right_response=models.OuterRef("right_response"),
            revision__gt=models.OuterRef("revision"),
        )
        return self.exclude(models.Exists(later)).exclude(models.Exists(later_response))


class SamenessTag(models.Model):
    """Whether two questions, or two responses, say the same; the smaller key stands left.

    LalaEval's manual tags of questions and answers between rounds (appendix F.2).
    """

    class Kind(models.TextChoices):
        QUESTION = "QUESTION", _("question")
        RESPONSE = "RESPONSE", _("response")

    class Verdict(models.TextChoices):
        SAME = "SAME", _("the same")
        CHANGED = "CHANGED", _("changed")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sameness_tags")
    kind = models.CharField(max_length=8, choices=Kind)
    left_item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    right_item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    left_response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    right_response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    verdict = models.CharField(max_length=7, choices=Verdict)
    note = models.CharField(_("note"), max_length=500, blank=True)
    revision = models.PositiveIntegerField(default=1)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    objects = SamenessTagQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            unique(
                "one_word_on_two_questions_a_revision",
                "left_item",
                "right_item",
                "revision",
                where=Q(kind="QUESTION"),
            ),
            unique(
                "one_word_on_two_responses_a_revision",
                "left_response",
                "right_response",
                "revision",
                where=Q(kind="RESPONSE"),
            ),
            holds(
                "a_tag_is_of_two_questions_or_two_responses",
                Q(
                    kind="QUESTION",
                    right_item__isnull=False,
                    left_item__lt=F("right_item"),
                    left_response__isnull=True,
                    right_response__isnull=True,
                )
                | Q(
                    kind="RESPONSE",
                    right_response__isnull=False,
                    left_response__lt=F("right_response"),
                    left_item__isnull=True,
                    right_item__isnull=True,
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.verdict}"
