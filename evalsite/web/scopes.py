"""What a personal token may be made for: one scope to read, and one for each kind of deed.

Which deed needs which scope stands in one table, by the word that follows the project in an address.
What is in no table no token may do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ROOT: Final = "api/v1/"
PROJECT: Final = "projects/<slug:project>/"
STARTED: Final = "projects/"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

READ: Final = "read"
BANK: Final = "bank:write"
ROUNDS: Final = "rounds:write"
RUNS: Final = "runs:write"
PEOPLE: Final = "people:write"
OWN: Final = "project:write"


@dataclass(frozen=True)
class ScopeWords:
    """A scope in words: what a token with it may do."""

    scope: str
    text: str | Promise


SCOPES: Final = (
    ScopeWords(READ, _("read all your roles show")),
    ScopeWords(
        BANK, _("change the bank: areas, questions, sources, inspections, the plan, imports")
    ),
    ScopeWords(
        ROUNDS,
        _("make, open and close rounds: draws, seats, trials, references, decisions, rubrics"),
    ),
    ScopeWords(
        RUNS, _("start and stop runs; endpoints, connections, judges, metrics, tasks, suites")
    ),
    ScopeWords(PEOPLE, _("training, qualifications, leaving rounds")),
    ScopeWords(
        OWN,
        _("projects: start, name, people, roles, retention"),
    ),
)
NAMES: Final = tuple(one.scope for one in SCOPES)

#: The scope of a deed, and the words its addresses go by. The longest that fits wins.
WORDS: Final[Mapping[str, Sequence[str]]] = {
    BANK: (
        "domains",
        "capabilities",
        "plan",
        "questions",
        "saved-filters",
        "bulk-edits",
        "bank-files",
        "imports",
        "sources",
        "source-collections",
        "inspect",
        "drafting",
        "settings/bank",
    ),
    ROUNDS: (
        "rounds",
        "rubrics",
        "rubric-copies",
        "items",
        "systems",
        "movement",
        "trend",
        "settings/masks",
        "settings/disputes",
        "settings/reviews",
        "settings/verdicts",
        "settings/study",
        "training/trials",
    ),
    RUNS: (
        "rounds/<int:number>/judge",
        "runs",
        "releases",
        "answers",
        "interviews",
        "losses",
        "accuracy",
        "metrics",
        "pairs",
        "assistants",
        "endpoints",
        "judges",
        "tunings",
        "tasks",
        "conversations",
        "suites",
        "schedules",
    ),
    PEOPLE: ("annotators", "training", "workload"),
    OWN: ("about", "people", "invitations", "settings/retention"),
}


#: Deeds that make, or hand out, what belongs to another scope as well; by their whole address.
ALSO: Final[Mapping[str, str]] = {
    "rubric-copies": READ,  # what stands in another project
    "imports/answers": ROUNDS,  # systems and their releases
    "imports/grades": ROUNDS,  # a round, and a rubric
    "imports/scores": RUNS,  # judges and metrics
    "bank-files/<int:number>": ROUNDS,  # the rubrics that a bank brings along
    "drafting": RUNS,  # a run, which may cost money
    "runs/<int:number>/publish": ROUNDS,  # a round
    "rounds/<int:number>/report/links": OWN,  # who reads without an account
}


def needed(route: str, method: str) -> tuple[str, ...]:
    """Return the scopes that a token needs, all of them; none where no token will do.

    Args:
        route: the pattern of the address, such as `api/v1/projects/<slug:project>/runs/`.
        method: such as GET; whatever is not safe is a deed.
    """
    if not route.startswith(ROOT):
        return ()
    if method in SAFE:
        return (READ,)
    rest = route.removeprefix(ROOT)
    if rest == STARTED:
        return (OWN,)
    if not rest.startswith(PROJECT):
        return ()
    rest = rest.removeprefix(PROJECT).rstrip("/")
    fitting = [
        (len(word), scope)
        for scope, words in WORDS.items()
        for word in words
        if rest == word or rest.startswith(f"{word}/")
    ]
    if not fitting:
        return ()
    scope = max(fitting)[1]
    return (scope, ALSO[rest]) if rest in ALSO else (scope,)
