"""The question bank: questions, their versions, what they rest on, what was said of them.

* How people look at the list of the bank: filters with a name, and the columns each has chosen.
* Many questions edited at once: what was asked for, and what became of every one of them.
* Quality inspection: a checklist per project, and what inspectors found. All append-only.
"""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.common.fields import NameColumn, NamesField
from annotation.domains.models import Capability, Difficulty, Domain, QuestionType
from annotation.files.models import ImportBatch
from annotation.people.models import Project
from annotation.sources.models import SourceVersion
from evalsite.db.rules import holds, index, unique


class SeenQuestions(models.Manager["Question"]):
    """Questions without those that an import is still bringing in."""

    def get_queryset(self) -> "models.QuerySet[Question]":
        return super().get_queryset().exclude(state="STAGED")


class Question(models.Model):
    """A QA pair of the bank, through all its versions.

    While an import brings it in (or takes it back), it is STAGED and nobody sees it. A staged
    question that `stands_for` another one holds that one's next version until all rows are in.
    """

    class State(models.TextChoices):
        STAGED = "STAGED", _("being brought in")
        LIVE = "LIVE", _("live")
        RETIRED = "RETIRED", _("retired")
        INVALIDATED = "INVALIDATED", _("invalidated")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="questions")
    external_id = models.CharField(_("id"), max_length=200)
    state = models.CharField(max_length=11, choices=State, default=State.LIVE)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    #: The import that brought it.
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="questions"
    )
    stands_for = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = SeenQuestions()
    everything = models.Manager["Question"]()

    class Meta:
        ordering = ["external_id"]
        constraints = [unique("question_id_is_unique_in_its_project", "project", "external_id")]
        indexes = [index("question_by_state", "project", "state")]

    def __str__(self) -> str:
        return self.external_id


class QuestionChange(models.Model):
    """A question was retired, invalidated or taken back into use. Append-only."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="changes")
    old = models.CharField(max_length=11, choices=Question.State)
    new = models.CharField(max_length=11, choices=Question.State)
    reason = models.CharField(_("reason"), max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.old} → {self.new}"


class QuestionVersionQuerySet(models.QuerySet["QuestionVersion"]):
    def accepted(self) -> Self:
        return self.filter(state="ACCEPTED")

    def drawable(self) -> Self:
        """Return the highest accepted version of every question that is live."""
        later = models.OuterRef("question_id"), models.OuterRef("number")
        newer = QuestionVersion.objects.filter(
            question_id=later[0], number__gt=later[1], state="ACCEPTED"
        )
        return self.accepted().filter(question__state="LIVE").exclude(models.Exists(newer))

    def newest(self) -> Self:
        """Return the highest version of every question that is seen, whatever its state."""
        later = models.OuterRef("question_id"), models.OuterRef("number")
        newer = QuestionVersion.objects.filter(question_id=later[0], number__gt=later[1])
        return self.exclude(models.Exists(newer)).exclude(question__state="STAGED")


class QuestionVersion(models.Model):
    """One wording of a question and its standard answer. Immutable from SUBMITTED on.

    `turns` are the messages that lead to the answer, the last one by the user. `meaning_changed`
    is said of a new version of a question that a round has used. `rev` counts a draft's savings.
    """

    class State(models.TextChoices):
        DRAFT = "DRAFT", _("draft")
        SUBMITTED = "SUBMITTED", _("in inspection")
        ACCEPTED = "ACCEPTED", _("accepted")
        RETURNED = "RETURNED", _("returned")

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=State, default=State.DRAFT)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="written_versions"
    )
    turns = models.JSONField(default=list)
    answer = models.TextField(_("standard answer"), blank=True)
    key_points = models.JSONField(_("key points"), default=list)
    capability = models.ForeignKey(
        Capability, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )
    domain = models.ForeignKey(
        Domain, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )
    difficulty = models.CharField(_("difficulty"), max_length=12, choices=Difficulty, blank=True)
    question_type = models.CharField(_("type"), max_length=8, choices=QuestionType, blank=True)
    principle = models.TextField(_("principle of this question"), blank=True)
    as_of = models.CharField(_("as of"), max_length=40, blank=True)
    valid_until = models.DateField(_("valid until"), null=True, blank=True)
    tags = NamesField(_("tags"), default=list)
    language = models.CharField(_("language"), max_length=35, blank=True)
    meaning_changed = models.BooleanField(null=True, blank=True)
    meaning_note = models.CharField(max_length=500, blank=True)
    #: What the author answers to each finding of the inspection that returned the version before.
    replies = models.JSONField(default=dict)
    rev = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    saved_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    #: The import that brought it.
    batch = models.ForeignKey(
        ImportBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="versions"
    )

    objects = QuestionVersionQuerySet.as_manager()

    class Meta:
        ordering = ["question", "-number"]
        constraints = [
            unique("question_version_is_unique", "question", "number"),
            unique(
                "one_version_of_a_question_is_under_way",
                "question",
                where=models.Q(state__in=["DRAFT", "SUBMITTED"]),
            ),
            holds(
                "what_is_no_draft_was_submitted",
                models.Q(state="DRAFT") | models.Q(submitted_at__isnull=False),
            ),
            holds(
                "what_was_decided_says_when",
                models.Q(state__in=["DRAFT", "SUBMITTED"], decided_at__isnull=True)
                | models.Q(state__in=["ACCEPTED", "RETURNED"], decided_at__isnull=False),
            ),
        ]
        indexes = [
            # All that the queue and the figures of inspection and the board count by.
            index(
                "version_by_state",
                "state",
                "submitted_at",
                "question",
                "number",
                "author",
                "capability",
                "domain",
                "decided_at",
            ),
            index("version_by_date", "valid_until", where=models.Q(valid_until__isnull=False)),
            # Both hold all that counting by kind reads, so that it never touches the texts.
            index(
                "version_by_kind",
                "capability",
                "difficulty",
                "domain",
                "state",
                "question",
                "number",
            ),
            index("version_of_question", "question", "number", "state"),
            # All that lists filter and figures count by: they do not touch the texts either.
            index(
                "version_listed",
                "question",
                "number",
                "state",
                "author",
                "capability",
                "difficulty",
                "domain",
                "language",
                "valid_until",
                "saved_at",
                "submitted_at",
                "decided_at",
                "meaning_changed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} v{self.number}"

    @property
    def asked(self) -> str:
        """What is asked last, in one line."""
        said = [one for one in self.turns if one.get("role") == "user"]
        return " ".join(str(said[-1].get("content") or "").split()) if said else ""

    @property
    def audited(self) -> tuple[Project, str]:
        return self.question.project, f"question:{self.question.external_id}/{self.number}"


class Citation(models.Model):
    """A place in a source that a version rests on; written with its draft.

    A passage that was marked in the text stands from `start` up to `end`, in characters.
    """

    version = models.ForeignKey(QuestionVersion, on_delete=models.CASCADE, related_name="citations")
    source_version = models.ForeignKey(
        SourceVersion, on_delete=models.PROTECT, related_name="citations"
    )
    locator = models.CharField(_("place"), max_length=300, blank=True)
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [unique("a_place_is_cited_once", "version", "source_version", "locator")]

    def __str__(self) -> str:
        return f"{self.version_id} from {self.source_version_id}"

    @property
    def quote(self) -> str:
        """The words of the passage; empty where only a place is named."""
        if self.start is None or self.end is None:
            return ""
        return self.source_version.text[self.start : self.end]


class MachineDraft(models.Model):
    """An endpoint drafted a part of a version. It says so for as long as the version is there."""

    class Part(models.TextChoices):
        QUESTION = "QUESTION", _("question and answer")
        KEY_POINTS = "POINTS", _("key points")

    version = models.ForeignKey(
        QuestionVersion, on_delete=models.CASCADE, related_name="machine_drafts"
    )
    part = models.CharField(max_length=8, choices=Part)
    #: What the endpoint was called when it wrote, the protocol and its prompts, and the run.
    endpoint = models.CharField(_("endpoint"), max_length=120)
    protocol = models.CharField(max_length=40)
    prompts_sha = models.CharField(max_length=64)
    run = models.PositiveIntegerField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.part} by {self.endpoint}"


class QuestionComment(models.Model):
    """Something said about a question, at a field of one version or in general. Append-only."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="comments")
    version = models.ForeignKey(
        QuestionVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="comments"
    )
    field = models.CharField(max_length=40, blank=True)
    text = models.TextField(_("comment"))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.text[:40]}"


class SavedFilter(models.Model):
    """Filters, order and columns of the list under a name; shared ones are there for all readers.

    `query` holds the filters as they stand in the address, by name. It may name what is gone since.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="saved_filters")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="saved_filters"
    )
    name = NameColumn(_("name"), max_length=80)
    is_shared = models.BooleanField(_("shared with the project"), default=False)
    query = models.JSONField(default=dict)
    order = models.CharField(max_length=12, blank=True)
    columns = models.JSONField(default=list)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            unique("a_saved_filter_has_a_name_of_its_own", "project", "owner", "name"),
            unique(
                "a_shared_filter_has_a_name_of_its_own",
                "project",
                "name",
                where=models.Q(is_shared=True),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ChosenColumns(models.Model):
    """The columns of the list that somebody has chosen in a project."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    columns = models.JSONField(default=list)

    class Meta:
        constraints = [unique("columns_are_chosen_once_a_project_and_person", "project", "user")]

    def __str__(self) -> str:
        return ", ".join(self.columns)


class BulkEdit(models.Model):
    """One action on many questions: tried out first (PLANNED), then carried out line by line.

    `values` is what a change sets; `note` the reason of a retirement.
    """

    class Action(models.TextChoices):
        CHANGE = "CHANGE", _("change")
        SUBMIT = "SUBMIT", _("hand in for inspection")
        RETIRE = "RETIRE", _("retire")

    class State(models.TextChoices):
        PLANNED = "PLANNED", _("tried out")
        RUNNING = "RUNNING", _("under way")
        DONE = "DONE", _("done")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="bulk_edits")
    number = models.PositiveIntegerField()
    action = models.CharField(max_length=6, choices=Action)
    values = models.JSONField(default=dict)
    note = models.CharField(_("reason"), max_length=500, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.PLANNED)
    cursor = models.PositiveIntegerField(default=0)
    #: So often a worker has begun since one last got on.
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    touched_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        constraints = [unique("bulk_edit_number_is_unique", "project", "number")]

    def __str__(self) -> str:
        return f"{self.project_id}/{self.number} {self.action}"


class BulkLine(models.Model):
    """A question of a bulk edit, as it stood when it was tried out; nothing else is written over.

    A draft that is thrown away with its question leaves the line with the question's id alone.
    """

    class Fate(models.TextChoices):
        EDIT = "EDIT", _("its draft is changed")
        REVISE = "REVISE", _("it gets a new draft version")
        SUBMIT = "SUBMIT", _("it is handed in")
        RETIRE = "RETIRE", _("it is retired")
        SAME = "SAME", _("it is so already")
        REFUSED = "REFUSED", _("it is refused")

    class Outcome(models.TextChoices):
        WAITING = "WAITING", _("waits")
        DONE = "DONE", _("done")
        REFUSED = "REFUSED", _("refused")
        STALE = "STALE", _("changed meanwhile")

    edit = models.ForeignKey(BulkEdit, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveIntegerField()
    question = models.ForeignKey(
        Question, null=True, on_delete=models.SET_NULL, related_name="bulk_lines"
    )
    external_id = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    rev = models.PositiveIntegerField()
    version_state = models.CharField(max_length=9)
    life = models.CharField(max_length=11)
    is_used = models.BooleanField(default=False)
    fate = models.CharField(max_length=7, choices=Fate)
    outcome = models.CharField(max_length=7, choices=Outcome)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            unique("a_line_of_a_bulk_edit_has_its_place", "edit", "position"),
            holds(
                "a_refused_line_says_why",
                ~models.Q(outcome__in=["REFUSED", "STALE"]) | ~models.Q(reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.edit_id}: {self.external_id} {self.fate} {self.outcome}"


class Checklist(models.Model):
    """One version of a project's checklist: `lines` are {key, text, help, field} in their order."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="checklists")
    number = models.PositiveIntegerField()
    lines = models.JSONField(default=list)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["project", "-number"]
        constraints = [unique("checklist_is_unique", "project", "number")]

    def __str__(self) -> str:
        return f"{self.project_id} checklist {self.number}"


class Inspection(models.Model):
    """A check of a version by somebody other than its author.

    `author` repeats the version's author, so that the database itself can refuse an inspection of
    one's own work; a guard of the database keeps the two equal. `suggestion` holds proposed texts
    by field.
    """

    class Verdict(models.TextChoices):
        ACCEPT = "ACCEPT", _("accepted")
        RETURN = "RETURN", _("returned")

    version = models.ForeignKey(
        QuestionVersion, on_delete=models.PROTECT, related_name="inspections"
    )
    inspector = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="inspections"
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    checklist = models.ForeignKey(Checklist, on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=6, choices=Verdict)
    note = models.TextField(_("note"), blank=True)
    suggestion = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            unique("an_inspector_inspects_a_version_once", "version", "inspector"),
            holds("nobody_inspects_their_own_question", ~Q(inspector=F("author"))),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.version_id} by {self.inspector_id}"


class Finding(models.Model):
    """A line of the checklist as it was answered; a failed one says why and at which field."""

    class Outcome(models.TextChoices):
        PASS = "PASS", _("pass")
        FAIL = "FAIL", _("fail")
        NOT_APPLICABLE = "NOT_APPLICABLE", _("not applicable")

    inspection = models.ForeignKey(Inspection, on_delete=models.PROTECT, related_name="findings")
    line = models.CharField(max_length=40)
    outcome = models.CharField(max_length=14, choices=Outcome)
    reason = models.CharField(max_length=40, blank=True)
    field = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            unique("a_line_is_answered_once_in_an_inspection", "inspection", "line"),
            holds("what_failed_says_why", ~Q(outcome="FAIL") | ~Q(reason="")),
        ]
        # What failed, and why, is counted from here.
        indexes = [index("finding_by_outcome", "outcome", "inspection", "reason")]

    def __str__(self) -> str:
        return f"{self.line}: {self.outcome}"
