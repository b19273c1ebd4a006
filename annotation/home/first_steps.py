"""The first steps of a role in a project. A step ticks itself off by what was really done there.

* Keep how somebody stands with the first steps: put away, asked for again, opened.
* A guided first visit: what a person's roles do first here, ticked off by what they have done.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.bank.models import Citation, Inspection, QuestionVersion
from annotation.domains.models import Capability, Domain
from annotation.home.models import FirstSteps
from annotation.people import permissions
from annotation.people.models import Invitation, Membership, Project, Role, User
from annotation.people.permissions import Scope, asks, does
from annotation.qualification.models import Practice, TrainingExample
from annotation.rounds.models import Assignment, Round
from annotation.rubrics.models import RubricVersion
from annotation.sources.models import SourceCheck
from annotation.systems.models import Item
from evalsite import panels

ENOUGH_ANNOTATORS = 3
#: So many steps done, and whoever has one left did not ask for the guide.
NEARLY = 3
Words = str | Promise
#: Rows of which one is enough to show that a step is done.
Evidence = Callable[[Project, User], "QuerySet[Any]"]


@dataclass(frozen=True)
class FirstStep:
    """Something to do first.

    `page` is the name of an address (of the project, unless `outside`); `hint` is said on that page.
    Without `evidence` the step is done once the guide has led to the page.
    """

    key: str
    title: Words
    text: Words
    action: Words
    page: str
    hint: Words
    evidence: Evidence | None = None
    outside: bool = False


@dataclass(frozen=True)
class FirstStepState:
    """A step, and whether it is done."""

    step: FirstStep
    done: bool


@dataclass(frozen=True)
class FirstStepsGuide:
    """The first steps of one person in a project."""

    steps: Sequence[FirstStepState]
    shown: bool | None

    @property
    def n_done(self) -> int:
        return sum(one.done for one in self.steps)

    @property
    def next(self) -> FirstStep | None:
        return next((one.step for one in self.steps if not one.done), None)

    @property
    def is_shown(self) -> bool:
        """Whether it stands on the first page: until it is put away or done, or as it was asked for."""
        wanted = self.next is not None if self.shown is None else self.shown
        return wanted and bool(self.steps)

    @property
    def is_on_home(self) -> bool:
        """Whether it stands on the first page of who runs the project: not for the one step that is left."""
        is_nearly_done = self.n_done >= NEARLY and self.n_done + 1 >= len(self.steps)
        return self.is_shown and (bool(self.shown) or not is_nearly_done)


PEOPLE = FirstStep(
    "people",
    _("Invite the people"),
    _("At least three, so that one odd grade shows."),
    _("Invite"),
    "invitations",
    _("Paste their names or e-mail addresses."),
    lambda project, _user: _with_annotators(project),
)
DOMAIN = FirstStep(
    "domain",
    _("Outline the subject areas"),
    _("Where questions come from, the core first."),
    _("Domains"),
    "domains",
    _("Begin with the widest area and divide it."),
    lambda project, _user: Domain.objects.filter(project=project),
)
CAPABILITY = FirstStep(
    "capability",
    _("Say what is evaluated"),
    _("With simple, intermediate and difficult examples."),
    _("Capabilities"),
    "capabilities",
    _("What a system must be able to do. Give each a rubric."),
    lambda project, _user: Capability.objects.filter(project=project),
)
QUESTIONS = FirstStep(
    "questions",
    _("Import questions and answers"),
    _("A CSV, XLSX or JSONL file with answers of two systems or more."),
    _("Import a file"),
    "import_new",
    _("Choose the file; nothing is written before you confirm."),
    lambda project, _user: Item.objects.seen().filter(project=project),
)
RUBRIC = FirstStep(
    "rubric",
    _("Choose a rubric"),
    _("Criteria and scales."),
    _("Rubrics"),
    "rubrics",
    _("Change an example, or write your own."),
    lambda project, _user: RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN
    ),
)
ROUND = FirstStep(
    "round",
    _("Draw a round"),
    _("Pick questions and releases; answers are anonymous and shuffled."),
    _("New round"),
    "round_new",
    _("A draft can be changed until it opens."),
    lambda project, _user: Round.objects.filter(project=project),
)
WANTED = FirstStep(
    "wanted",
    _("See the plan"),
    _("Missing questions, by capability and difficulty."),
    _("Plan"),
    "plan",
    _("Largest gap first."),
)
QUESTION = FirstStep(
    "question",
    _("Write a question"),
    _("With standard answer and key points."),
    _("New question"),
    "question_new",
    _("Add the source that the answer rests on."),
    lambda project, user: _written(project, user),
)
CITED = FirstStep(
    "cited",
    _("Say what it rests on"),
    _("Mark a passage of a source, or cite the place."),
    _("Sources"),
    "sources",
    _("Mark a passage: the question has its citation filled in."),
    lambda project, user: Citation.objects.filter(version__in=_written(project, user)),
)
HANDED_IN = FirstStep(
    "handed_in",
    _("Submit"),
    _("Somebody else inspects it."),
    _("Your questions"),
    "questions",
    _("Open a draft and submit it."),
    lambda project, user: _written(project, user).exclude(state=QuestionVersion.State.DRAFT),
)
CAME_BACK = FirstStep(
    "came_back",
    _("See returned questions"),
    _("How often your questions were returned, and why."),
    _("Show it"),
    "inspection_figures",
    _("Only you and curators see these figures."),
)
QUEUE = FirstStep(
    "queue",
    _("See the queue"),
    _("Questions of others, oldest first."),
    _("Inspection"),
    "inspections",
    _("Open the first one."),
)
INSPECTED = FirstStep(
    "inspected",
    _("Inspect a question"),
    _("Pass or fail each line; a failed line needs a reason."),
    _("Inspect"),
    "inspections",
    _("J and K move, P and F pass and fail, A accepts, B returns."),
    lambda project, user: Inspection.objects.filter(
        version__question__project=project, inspector=user
    ),
)
CHECKED = FirstStep(
    "checked",
    _("Check a source"),
    _("Compare a source with its origin."),
    _("Sources"),
    "sources",
    _("Open an unchecked source and note what you found."),
    lambda project, user: SourceCheck.objects.filter(version__source__project=project, by=user),
)
KEYS = FirstStep(
    "keys",
    _("Keys"),
    _("Choose your keys, or switch them off."),
    _("Keys"),
    "preferences",
    _("Try a key on the right."),
    outside=True,
)
TRAINING = FirstStep(
    "training",
    _("Go through the training"),
    _("Examples with grades and reasons, then practice."),
    _("Training"),
    "training",
    _("Read the examples, then grade the practice ones."),
    lambda project, user: Practice.objects.filter(
        example__project=project, rater__user=user, n__gt=0
    ),
)
GRADE = FirstStep(
    "grade",
    _("Grade your first question"),
    _("Read the standard answer, then each response."),
    _("Your work"),
    "grading",
    _("Your next question is on top."),
    lambda project, user: Assignment.objects.filter(
        round__project=project, rater__user=user, state=Assignment.State.SUBMITTED
    ),
)
SET_UP = (QUESTIONS, RUBRIC, ROUND, DOMAIN, CAPABILITY)
#: What a first verdict does not need.
LATER = (DOMAIN, CAPABILITY)
BY_ROLE: dict[Role, tuple[FirstStep, ...]] = {
    Role.OWNER: (PEOPLE, *SET_UP),
    Role.CURATOR: SET_UP,
    Role.DESIGNER: (WANTED, QUESTION, CITED, HANDED_IN, CAME_BACK),
    Role.INSPECTOR: (QUEUE, INSPECTED, CHECKED),
    Role.ANNOTATOR: (KEYS, TRAINING, GRADE),
    Role.ANALYST: (),
}


def steps_of(
    project: Project, roles: Iterable[Role], more: Iterable[Sequence[FirstStep]] = ()
) -> list[FirstStep]:
    """Return the steps of these roles, each once, and then what other parts of the product add."""
    mine = frozenset(roles)
    found: dict[str, FirstStep] = {}
    for several in (*(BY_ROLE[role] for role in Role if role in mine), *more):
        for one in several:
            found.setdefault(one.key, one)
    if TRAINING.key in found and not _has_training(project):
        del found[TRAINING.key]
    return sorted(found.values(), key=lambda one: one in LATER)


def guide(
    project: Project, user: User, steps: Sequence[FirstStep], *, whole: bool = False
) -> FirstStepsGuide:
    """Return how somebody stands with these steps; one that is put away is not counted, unless `whole`."""
    row = FirstSteps.objects.filter(project=project, user=user).first()
    if row is not None and row.shown is False and not whole:
        return FirstStepsGuide((), shown=False)
    opened = frozenset(row.opened) if row is not None else frozenset()
    done = _done(project, user, steps)
    standings = [FirstStepState(one, done.get(one.key, one.key in opened)) for one in steps]
    return FirstStepsGuide(standings, shown=row.shown if row is not None else None)


def _done(project: Project, user: User, steps: Sequence[FirstStep]) -> dict[str, bool]:
    """Return of each step with evidence whether there is some, asked for all of them at once."""
    asked = {one.key: Exists(one.evidence(project, user)) for one in steps if one.evidence}
    if not asked:
        return {}
    return dict(
        zip(
            asked,
            Project.objects.filter(pk=project.pk).values_list(*asked.values()).get(),
            strict=True,
        )
    )


def _with_annotators(project: Project) -> QuerySet[Project]:
    """Return the project if it has enough annotators, those counted who are invited."""
    there = Membership.objects.active().filter(project=OuterRef("pk"), role=Role.ANNOTATOR)
    asked = Invitation.objects.filter(
        project=OuterRef("pk"), used_at=None, revoked_at=None, expires_at__gt=Now()
    )
    counts = [
        Subquery(rows.order_by().values("project").annotate(n=Count("pk")).values("n"))
        for rows in (there, asked)
    ]
    enough = Coalesce(counts[0], 0) + Coalesce(counts[1], 0)
    return Project.objects.filter(pk=project.pk).annotate(n=enough).filter(n__gte=ENOUGH_ANNOTATORS)


def _has_training(project: Project) -> bool:
    return TrainingExample.objects.in_use().filter(project=project).exists()


def _written(project: Project, user: User) -> QuerySet[QuestionVersion]:
    return QuestionVersion.objects.filter(question__project=project, author=user)


def put_away(*, project: Project, user: User) -> None:
    """Hide the guide from this person's first page until they ask for it."""
    _show(project, user, shown=False)


def bring_back(*, project: Project, user: User) -> None:
    """Show the guide on this person's first page until they put it away, though all may be done."""
    _show(project, user, shown=True)


@transaction.atomic
def open_step(*, project: Project, user: User, key: str) -> None:
    """Write down that the guide led this person to a page; a second time changes nothing."""
    FirstSteps.objects.get_or_create(project=project, user=user)
    row = FirstSteps.objects.select_for_update().get(project=project, user=user)
    if key not in row.opened:
        row.opened = [*row.opened, key]
        row.save(update_fields=["opened"])


def _show(project: Project, user: User, *, shown: bool) -> None:
    FirstSteps.objects.update_or_create(project=project, user=user, defaults={"shown": shown})


def guide_of(scope: Scope, *, whole: bool = False) -> FirstStepsGuide:
    """Return the guide of the person; other parts of the product add steps in the slot "first_steps"."""
    return guide(scope.project, scope.user, _steps(scope), whole=whole)


def guide_of_annotator(scope: Scope) -> FirstStepsGuide | None:
    """Return the guide for the list of what there is to grade: of somebody who does nothing else."""
    return guide_of(scope) if scope.roles == {Role.ANNOTATOR} else None


def story_of(scope: Scope) -> list[dict[str, str]]:
    """Return what there is in the project already, in order: title, text and address each.

    Other parts of the product tell it in the slot "story".
    """
    return [one for several in panels.fill("story", scope=scope) for one in several]


@asks(permissions.EVERYBODY)
def first_steps(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show all first steps, also when they are put away; put them away, or bring them back."""
    if request.method == "POST":
        if request.POST.get("act") == "back":
            bring_back(project=scope.project, user=scope.user)
            messages.success(request, gettext("First steps are on Home again."))
        else:
            put_away(project=scope.project, user=scope.user)
            messages.info(
                request,
                gettext("Hidden. “First steps” in the menu brings them back."),
            )
        return redirect("project_home", scope.project.slug)
    context = {
        "project": scope.project,
        "guide": guide_of(scope, whole=True),
        "story": story_of(scope),
    }
    return render(request, "annotation/home/first_steps.html", context)


@does(permissions.EVERYBODY)
def first_step(request: HttpRequest, scope: Scope, step: str) -> HttpResponse:
    """Go to the page of a step, and say there what to look at."""
    found = next((one for one in _steps(scope) if one.key == step), None)
    if found is None:
        raise Http404(gettext("There is nothing here that you may see."))
    open_step(project=scope.project, user=scope.user, key=found.key)
    messages.info(request, f"{found.title}. {found.hint}")
    args = [] if found.outside else [scope.project.slug]
    return redirect(reverse(found.page, args=args))


def _steps(scope: Scope) -> list[FirstStep]:
    return steps_of(scope.project, scope.roles, panels.fill("first_steps", scope=scope))
