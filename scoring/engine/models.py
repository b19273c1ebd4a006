"""Background work of machines: runs, their steps and every single call.

* Marks by machines, and what is known of the machines that gave them. Judgments are append-only.
"""

from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn
from annotation.files.models import SEEN, ImportBatch
from annotation.people.models import Project, Rater, User
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion, Rubric
from annotation.systems.models import Item, Response, SystemRelease
from evalsite.db.rules import holds, index, unique
from scoring.endpoints.models import Endpoint, Judge


class RunQuerySet(models.QuerySet["Run"]):
    def to_work_on(self) -> Self:
        return self.filter(state__in=[Run.State.STAGED, Run.State.RUNNING])


class Run(models.Model):
    """A background job of a project. All that decides its outcome is fixed when it is asked for."""

    class Kind(models.TextChoices):
        JUDGE = "JUDGE", _("judge")
        COLLECT = "COLLECT", _("collect answers")
        METRICS = "METRICS", _("metrics")
        ASSIST = "ASSIST", _("assistant")
        KIEVAL = "KIEVAL", _("KIEval")
        FUSION = "FUSION", _("Fusion-Eval")
        PLAN = "PLAN", _("plan of evaluation")
        COMBINE = "COMBINE", _("judges together")
        SUITE = "SUITE", _("suite")
        QUIZ = "QUIZ", _("accuracy")
        LOSSES = "LOSSES", _("losses")
        REJUDGE = "REJUDGE", _("interviews judged again")
        DRAFT = "DRAFT", _("help with drafting")
        PAIRS = "PAIRS", _("judge of pairs")

    class State(models.TextChoices):
        STAGED = "STAGED", _("being prepared")
        RUNNING = "RUNNING", _("running")
        PAUSED = "PAUSED", _("paused")
        DONE = "DONE", _("finished")
        CANCELLED = "CANCELLED", _("cancelled")

    class Pause(models.TextChoices):
        PERSON = "PERSON", _("by a person")
        BUDGET = "BUDGET", _("budget reached")
        ENDPOINT = "ENDPOINT", _("endpoint does not answer")
        PROBLEM = "PROBLEM", _("something unexpected happened")
        PILOT = "PILOT", _("after the first steps")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="runs")
    #: Made by whoever asks, so that the same request twice is one run.
    key = models.UUIDField()
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    name = NameColumn(_("name"), max_length=120)
    #: Such as "direct/v1".
    protocol = models.CharField(max_length=40)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    judge = models.ForeignKey(
        Judge, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    #: What the kind of run needs: roles, parameters, what to work on, prompts' hash, prices at start.
    config = models.JSONField(default=dict)
    config_sha = models.CharField(max_length=64)
    seed = models.PositiveBigIntegerField(default=0)
    secret = models.CharField(max_length=64)
    #: Something in it came from a script, be it the texts it is over: banner everywhere.
    scripted = models.BooleanField(default=False)
    #: A script answered its own calls, and so gave its scores or wrote its texts.
    asks_script = models.BooleanField(default=False, db_default=False)
    state = models.CharField(max_length=9, choices=State, default=State.STAGED)
    pause = models.CharField(max_length=8, choices=Pause, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    estimate = models.JSONField(default=dict, blank=True)
    #: In the currency of its endpoints; none is "no limit".
    budget = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    #: Stops after so many steps, which tell what the rest will take; 0: goes on to its end.
    pilot = models.PositiveSmallIntegerField(default=0, db_default=0)
    #: Tries a judge that is being tuned: its scores count nowhere.
    is_practice = models.BooleanField(default=False, db_default=False)
    cloned_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="clones"
    )
    requested_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("run_key_is_unique", "project", "key"),
            unique("run_number_is_unique", "project", "number"),
        ]

    def __str__(self) -> str:
        return f"run {self.number}"

    @property
    def audited(self) -> tuple[Project, str]:
        return self.project, f"run:{self.number}"


class Step(models.Model):
    """A unit of a run's work: one coroutine, in one worker's hands at a time.

    `fence` counts the claims: a write with an older one is refused. `result` is what the procedure
    returned, in JSON.
    """

    class State(models.TextChoices):
        FREE = "FREE", _("waiting")
        CLAIMED = "CLAIMED", _("in work")
        DONE = "DONE", _("done")
        FAILED = "FAILED", _("failed")

    class Outcome(models.TextChoices):
        OK = "OK", _("done")
        NO_READING = "NO_READING", _("no reading")
        SYSTEM_FAILED = "SYSTEM", _("the system failed")
        MACHINERY_FAILED = "MACHINE", _("the machinery failed")
        SKIPPED = "SKIPPED", _("left out")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    ordinal = models.PositiveIntegerField()
    #: Names the unit within the run for people and exports.
    key = models.CharField(max_length=200)
    spec = models.JSONField(default=dict, blank=True)
    item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    release = models.ForeignKey(
        SystemRelease, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    response = models.ForeignKey(
        Response, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    state = models.CharField(max_length=7, choices=State, default=State.FREE)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    trouble = models.CharField(max_length=16, blank=True)
    result = models.JSONField(null=True, blank=True)
    #: What was found in texts of the systems that could sway a judge, by name and with a space between.
    flags = models.CharField(max_length=80, blank=True, default="", db_default="")
    attempt = models.PositiveIntegerField(default=0)
    #: So often a worker was gone that had it in hands; whoever gives a step back is not.
    lost = models.PositiveSmallIntegerField(default=0, db_default=0)
    fence = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("step_ordinal_is_unique", "run", "ordinal"),
            unique("step_key_is_unique", "run", "key"),
        ]
        indexes = [
            index("step_by_state", "run", "state", "ordinal"),
            index("step_by_lease", "lease_until"),
            index("step_by_flag", "run", "flags", where=~models.Q(flags="")),
        ]

    def __str__(self) -> str:
        return self.key


class CallText(models.Model):
    """A text that calls of a run hold, kept once: a dialogue's history grows by what is new in it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="texts")
    sha = models.CharField(max_length=64)
    text = models.TextField()

    class Meta:
        constraints = [unique("a_text_is_kept_once", "run", "sha")]

    def __str__(self) -> str:
        return self.sha


class LLMCall(models.Model):
    """One request over the network and what came of it. Append-only; written before anybody sees the reply.

    `messages` holds pairs of role and the sha of a CallText, `reply` the reply without its text, whose
    sha is `text_sha`.
    """

    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="calls")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="calls")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="+")
    request_sha = models.CharField(max_length=64)
    repeat = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=1)
    role = models.CharField(max_length=12)
    part = models.CharField(max_length=80, blank=True)
    exchange = models.PositiveIntegerField(default=0)
    messages = models.JSONField(default=list)
    settings = models.JSONField(default=dict)
    schema_sha = models.CharField(max_length=64, blank=True)
    #: Empty: a reply came. Else a Trouble of scoring.llm.base, with what was said of it.
    trouble = models.CharField(max_length=16, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    text_sha = models.CharField(max_length=64, blank=True)
    reply = models.JSONField(null=True, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    seconds = models.FloatField(default=0)
    at = models.DateTimeField()

    class Meta:
        constraints = [unique("a_call_is_kept_once", "step", "request_sha", "repeat", "attempt")]
        indexes = [
            # Holds all that a run's page adds up, so that no row is touched for it.
            index(
                "call_by_role",
                "run",
                "role",
                "endpoint",
                "trouble",
                "cost",
                "prompt_tokens",
                "completion_tokens",
                "seconds",
            ),
            index("call_in_order", "run", "id"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.request_sha[:8]}"


class Machine(models.Model):
    """A judge or a metric: the rater it is in the table of ratings, and what stands behind it.

    Its range and criteria are the newest version of a rubric of its own. `family` is that of the
    language model behind a judge, to be compared with the systems it judges.
    """

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="machine")
    rubric = models.OneToOneField(Rubric, on_delete=models.PROTECT, related_name="machine")
    family = NameColumn(max_length=80, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.rater.ref


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def seen(self) -> Self:
        """Return what may be read: of a run over a round, only once the round is final."""
        final = models.Q(run__round__isnull=True) | models.Q(run__round__state="FINAL")
        return self.filter(SEEN & final)

    def counted(self) -> Self:
        """Return what figures, exports and counts are made of.

        The rule of the last run: of several finished runs over a round in which the same machine
        judged, the one that finished last counts, whole; of runs over other choices of answers, the
        last one that may be read counts for each answer. Runs that are not finished do not, nor do
        tries of a judge that is being tuned. Imported judgments always count.
        """
        later = models.Q(finished_at__gt=models.OuterRef("run__finished_at")) | models.Q(
            finished_at=models.OuterRef("run__finished_at"), pk__gt=models.OuterRef("run")
        )
        same = Judgment.objects.filter(
            run=models.OuterRef("pk"), rater=models.OuterRef(models.OuterRef("rater"))
        )
        # Told apart as the indexes have it that find them: without one, whole runs would be read.
        wholes, parts = (same.filter(target_index__isnull=whole) for whole in (True, False))
        answer = wholes.filter(response=models.OuterRef(models.OuterRef("response")))
        final = models.Q(round__isnull=True) | models.Q(round__state="FINAL")
        of_round = models.Q(round=models.OuterRef("run__round")) & (
            models.Exists(wholes) | models.Exists(parts)
        )
        newer = Run.objects.filter(
            later, final, of_round | models.Exists(answer), state=Run.State.DONE, is_practice=False
        )
        finished = models.Q(run__isnull=True) | models.Q(
            run__state=Run.State.DONE, run__is_practice=False
        )
        return self.seen().filter(finished).exclude(models.Exists(newer))


class Judgment(models.Model):
    """A mark by a machine for a response (or a part of it) × criterion. Nothing of it ever changes.

    Repeats count the samples of a judge from 1; 0 is their mean, with `n_valid` and `sd`. A value is
    a binary number, since metrics spread over many magnitudes; its shortest text has every decimal
    that was written, up to 15 digits. A failure has a reason and no value.
    """

    class Target(models.TextChoices):
        RESPONSE = "RESPONSE", _("response")
        TURN = "TURN", _("turn")
        MESSAGE = "MESSAGE", _("message")
        TOOL_CALL = "TOOL_CALL", _("tool call")

    class Outcome(models.TextChoices):
        SCORED = "SCORED", _("scored")
        UNSCORED = "UNSCORED", _("not scored")
        REFUSED = "REFUSED", _("refused")
        SKIPPED = "SKIPPED", _("left out")

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="judgments")
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="judgments")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="judgments")
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="judgments"
    )
    line = models.PositiveBigIntegerField(null=True, blank=True)
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.PROTECT, related_name="judgments"
    )
    step = models.ForeignKey(
        Step, null=True, blank=True, on_delete=models.PROTECT, related_name="judgments"
    )
    target_level = models.CharField(max_length=9, choices=Target, default=Target.RESPONSE)
    target_index = models.PositiveIntegerField(null=True, blank=True)
    repeat = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=8, choices=Outcome, default=Outcome.SCORED)
    reason = models.CharField(max_length=300, blank=True)
    value = models.FloatField(null=True, blank=True)
    n_valid = models.PositiveIntegerField(null=True, blank=True)
    sd = models.FloatField(null=True, blank=True)
    #: The probability that the weighed values had together, where a score was weighed by it (G-Eval).
    mass = models.FloatField(null=True, blank=True)
    label = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True)
    at = models.DateTimeField(null=True, blank=True)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        verbose_name_plural = _("judgments")
        constraints = [
            unique(
                "imported_judgment_line_is_unique",
                "batch",
                "line",
                where=models.Q(batch__isnull=False),
            ),
            unique(
                "one_imported_judgment_of_a_response",
                "rater",
                "response",
                "criterion",
                "target_level",
                "repeat",
                where=models.Q(batch__isnull=False, target_index__isnull=True),
            ),
            unique(
                "one_imported_judgment_of_a_part_of_a_response",
                "rater",
                "response",
                "criterion",
                "target_level",
                "target_index",
                "repeat",
                where=models.Q(batch__isnull=False, target_index__isnull=False),
            ),
            unique(
                "one_judgment_of_a_response_in_a_run",
                "run",
                "rater",
                "response",
                "criterion",
                "target_level",
                "repeat",
                where=models.Q(run__isnull=False, target_index__isnull=True),
            ),
            unique(
                "one_judgment_of_a_part_of_a_response_in_a_run",
                "run",
                "rater",
                "response",
                "criterion",
                "target_level",
                "target_index",
                "repeat",
                where=models.Q(run__isnull=False, target_index__isnull=False),
            ),
            holds(
                "a_judgment_has_a_value_exactly_if_it_is_scored",
                models.Q(outcome="SCORED", value__isnull=False)
                | (~models.Q(outcome="SCORED") & models.Q(value__isnull=True)),
            ),
            holds(
                "a_judgment_without_a_score_says_why",
                models.Q(outcome="SCORED") | ~models.Q(reason=""),
            ),
            holds(
                "an_imported_judgment_has_its_line",
                models.Q(batch__isnull=True, line__isnull=True)
                | models.Q(batch__isnull=False, line__isnull=False),
            ),
            holds(
                "a_judgment_comes_from_an_import_or_a_run",
                models.Q(batch__isnull=False, run__isnull=True)
                | models.Q(batch__isnull=True, run__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.value} by {self.rater_id}"
