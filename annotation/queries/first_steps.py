"""The first steps of a role in a project. A step ticks itself off by what was really done there."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import (
    Assignment,
    Capability,
    Citation,
    Domain,
    FirstSteps,
    Inspection,
    Item,
    Membership,
    Practice,
    Project,
    QuestionVersion,
    Role,
    Round,
    RubricVersion,
    SourceCheck,
    TrainingExample,
    User,
)

ENOUGH_ANNOTATORS = 3
Words = str | Promise
Evidence = Callable[[Project, User], bool]


@dataclass(frozen=True)
class Step:
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
class Standing:
    """A step, and whether it is done."""

    step: Step
    done: bool


@dataclass(frozen=True)
class Guide:
    """The first steps of one person in a project."""

    steps: Sequence[Standing]
    shown: bool | None

    @property
    def n_done(self) -> int:
        return sum(one.done for one in self.steps)

    @property
    def next(self) -> Step | None:
        return next((one.step for one in self.steps if not one.done), None)

    @property
    def is_shown(self) -> bool:
        """Whether it stands on the first page: until it is put away or done, or as it was asked for."""
        wanted = self.next is not None if self.shown is None else self.shown
        return wanted and bool(self.steps)


PEOPLE = Step(
    "people",
    _("Invite the people"),
    _("Three annotators at least: with three grades a response, one odd grade shows."),
    _("Go to the people"),
    "people",
    _("Give somebody a role here, or press Invite by link for somebody without an account."),
    lambda project, _user: (
        Membership.objects.with_role([Role.ANNOTATOR]).filter(project=project).count()
        >= ENOUGH_ANNOTATORS
    ),
)
DOMAIN = Step(
    "domain",
    _("Outline the subject areas"),
    _("Where questions come from, the core first."),
    _("Go to the domains"),
    "domains",
    _("Begin with the widest area and divide it. P0 is the core of what you evaluate."),
    lambda project, _user: Domain.objects.filter(project=project).exists(),
)
CAPABILITY = Step(
    "capability",
    _("Say what is evaluated"),
    _("Capabilities, each with what is simple, intermediate and difficult in it."),
    _("Go to the capabilities"),
    "capabilities",
    _("A capability says what a system must be able to do. Give each a rubric to be graded by."),
    lambda project, _user: Capability.objects.filter(project=project).exists(),
)
QUESTIONS = Step(
    "questions",
    _("Bring in questions and answers"),
    _("A CSV, XLSX or JSONL file with the answers of two systems or more."),
    _("Import a file"),
    "import_new",
    _("Choose what the file holds. It is checked first; nothing is written before you confirm."),
    lambda project, _user: Item.objects.seen().filter(project=project).exists(),
)
RUBRIC = Step(
    "rubric",
    _("Choose a rubric"),
    _("What is graded, on which scale. Twelve examples come with the product."),
    _("Go to the rubrics"),
    "rubrics",
    _("Take an example and change its words, or write your own: each level says what it means."),
    lambda project, _user: RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN
    ).exists(),
)
ROUND = Step(
    "round",
    _("Draw a round"),
    _("Pick questions and releases; every annotator sees the answers blind, in another order."),
    _("New round"),
    "round_new",
    _("A draft can be changed as long as you like. What it draws is frozen when it opens."),
    lambda project, _user: Round.objects.filter(project=project).exists(),
)
WANTED = Step(
    "wanted",
    _("See what is wanted"),
    _("The plan shows where questions are missing, by capability and difficulty."),
    _("Go to the plan"),
    "plan",
    _("The largest gap stands first. A number leads to the questions that are there already."),
)
QUESTION = Step(
    "question",
    _("Write a question"),
    _("With its standard answer and key points. It is kept as you type."),
    _("New question"),
    "question_new",
    _("On the right stands what an annotator will see. Add the source that the answer rests on."),
    lambda project, user: _written(project, user).exists(),
)
CITED = Step(
    "cited",
    _("Say what it rests on"),
    _("Mark a passage of a source and make the question from it, or cite the place."),
    _("Go to the sources"),
    "sources",
    _("Open a source and mark a passage: a question made from it has its citation filled in."),
    lambda project, user: Citation.objects.filter(version__in=_written(project, user)).exists(),
)
HANDED_IN = Step(
    "handed_in",
    _("Hand it in"),
    _("Somebody else inspects it by the checklist before it can be drawn."),
    _("Go to your questions"),
    "questions",
    _("Open a draft of yours and submit it. What is returned to you comes with reasons."),
    lambda project, user: (
        _written(project, user).exclude(state=QuestionVersion.State.DRAFT).exists()
    ),
)
CAME_BACK = Step(
    "came_back",
    _("See what came back"),
    _("How often your questions were returned, and for which reasons."),
    _("Show it"),
    "inspection_figures",
    _("Only you and those who curate see these figures. A reason that returns is worth a look."),
)
QUEUE = Step(
    "queue",
    _("See what waits for inspection"),
    _("Questions of others, the oldest first. Your own are never among them."),
    _("Go to the inspection"),
    "inspections",
    _("Open the first one: left what an annotator will see, right the checklist with its keys."),
)
INSPECTED = Step(
    "inspected",
    _("Inspect a question"),
    _("Pass or fail each line; a failed line needs a reason, and rules acceptance out."),
    _("Inspect"),
    "inspections",
    _("J and K move between the lines, P and F pass and fail, A accepts, B returns."),
    lambda project, user: Inspection.objects.filter(
        version__question__project=project, inspector=user
    ).exists(),
)
CHECKED = Step(
    "checked",
    _("Check a source"),
    _("Compare a source with where it comes from, and say how you did."),
    _("Go to the sources"),
    "sources",
    _("Open a source that nobody has checked, look it up, and write down what you found."),
    lambda project, user: SourceCheck.objects.filter(
        version__source__project=project, by=user
    ).exists(),
)
KEYS = Step(
    "keys",
    _("Look at the keys"),
    _("Everything can be graded without a mouse. Choose your keys, or switch them off."),
    _("Show the keys"),
    "preferences",
    _("Try a key on the right: it says what it would do on the grading page."),
    outside=True,
)
TRAINING = Step(
    "training",
    _("Go through the training"),
    _("Examples with the grades that were meant and why, then some to practise with."),
    _("Go to the training"),
    "training",
    _("Read the examples of a capability first, then grade the ones to practise with."),
    lambda project, user: Practice.objects.filter(
        example__project=project, rater__user=user, n__gt=0
    ).exists(),
)
GRADE = Step(
    "grade",
    _("Grade your first question"),
    _("Read the standard answer, then each response; what you enter is kept at once."),
    _("Go to your work"),
    "grading",
    _("Your next question stands on top. If something is unclear there, ask the curator from it."),
    lambda project, user: Assignment.objects.filter(
        round__project=project, rater__user=user, state=Assignment.State.SUBMITTED
    ).exists(),
)
SET_UP = (DOMAIN, CAPABILITY, QUESTIONS, RUBRIC, ROUND)
BY_ROLE: dict[Role, tuple[Step, ...]] = {
    Role.OWNER: (PEOPLE, *SET_UP),
    Role.CURATOR: SET_UP,
    Role.DESIGNER: (WANTED, QUESTION, CITED, HANDED_IN, CAME_BACK),
    Role.INSPECTOR: (QUEUE, INSPECTED, CHECKED),
    Role.ANNOTATOR: (KEYS, TRAINING, GRADE),
    Role.ANALYST: (),
}


def steps_of(
    project: Project, roles: Iterable[Role], more: Iterable[Sequence[Step]] = ()
) -> list[Step]:
    """Return the steps of these roles, each once, and then what other parts of the product add."""
    mine = frozenset(roles)
    found: dict[str, Step] = {}
    for several in (*(BY_ROLE[role] for role in Role if role in mine), *more):
        for one in several:
            found.setdefault(one.key, one)
    if TRAINING.key in found and not _has_training(project):
        del found[TRAINING.key]
    return list(found.values())


def guide(project: Project, user: User, steps: Sequence[Step], *, whole: bool = False) -> Guide:
    """Return how somebody stands with these steps; one that is put away is not counted, unless `whole`."""
    row = FirstSteps.objects.filter(project=project, user=user).first()
    if row is not None and row.shown is False and not whole:
        return Guide((), shown=False)
    opened = frozenset(row.opened) if row is not None else frozenset()
    standings = [
        Standing(one, one.evidence(project, user) if one.evidence else one.key in opened)
        for one in steps
    ]
    return Guide(standings, shown=row.shown if row is not None else None)


def _has_training(project: Project) -> bool:
    return TrainingExample.objects.in_use().filter(project=project).exists()


def _written(project: Project, user: User) -> QuerySet[QuestionVersion]:
    return QuestionVersion.objects.filter(question__project=project, author=user)
