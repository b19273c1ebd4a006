"""Into which groups the routes fall, by the word that follows the project in their address."""

from collections.abc import Mapping

#: Title of a group, and the words its addresses go by. Longer beginnings win.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "You and your projects": ("", "me", "projects", "search", "openapi.json"),
    "People, settings and what was done": ("about", "people", "invitations", "settings", "audit"),
    "Areas, capabilities and the plan": ("domains", "capabilities", "plan"),
    "Questions": ("questions", "saved-filters", "bulk-edits", "bank-files", "imports", "drafting"),
    "Sources": ("sources", "source-collections"),
    "Inspection": ("inspect",),
    "Items, systems and rubrics": ("items", "systems", "rubrics", "rubric-copies"),
    "Annotators and their training": ("annotators", "training", "workload"),
    "Rounds": (
        "rounds",
        "rounds/{number}/draw",
        "rounds/{number}/manifest",
        "rounds/{number}/references",
        "rounds/{number}/trial",
        "rounds/{number}/prepare",
        "rounds/{number}/identity",
        "rounds/{number}/open",
        "rounds/{number}/withdraw",
        "rounds/{number}/pause",
        "rounds/{number}/resume",
        "rounds/{number}/prolong",
        "rounds/{number}/close",
        "rounds/{number}/finish",
        "rounds/{number}/copy",
        "rounds/{number}/discard",
        "rounds/{number}/seats",
        "rounds/{number}/items/{place}/seats",
        "rounds/{number}/flags",
    ),
    "Results of a round": ("rounds/{number}/", "movement"),
    "The review desk": ("rounds/{number}/review",),
    "Endpoints and connections": ("endpoints", "releases", "answers"),
    "Runs": ("runs", "runs/{number}/publish"),
    "Interviews": (
        "interviews",
        "runs/{number}/interviews",
        "runs/{number}/dialogues",
        "runs/{number}/evaluators",
        "runs/{number}/contamination",
    ),
    "Accuracy and losses": (
        "accuracy",
        "losses",
        "runs/{number}/accuracy",
        "runs/{number}/losses",
    ),
    "Judges, metrics and assistants": (
        "judges",
        "metrics",
        "assistants",
        "rounds/{number}/judge",
        "runs/{number}/metrics",
        "runs/{number}/assistant",
    ),
    "Evaluation tasks": ("tasks", "runs/{number}/fusion"),
    "Conversations and suites": ("conversations", "suites", "schedules", "runs/{number}/suite"),
}
#: What stands before the word.
PROJECT = "projects/{project}/"


class NoGroup(LookupError):
    """A route that no group knows."""


def group_of(address: str) -> str:
    """Return the group of an address below /api/v1/.

    Raises:
        NoGroup: evalsite.contract.groups knows no word for it.
    """
    rest = address.removeprefix(PROJECT)
    if rest == address and address.startswith("projects/"):
        rest = "projects"
    fitting = [
        (len(word), title)
        for title, words in GROUPS.items()
        for word in words
        if _begins(rest, word)
    ]
    if not fitting:
        raise NoGroup(f"GROUPS of evalsite/contract/groups.py needs a word for {address}.")
    return max(fitting)[1]


def _begins(rest: str, word: str) -> bool:
    if word.endswith("/"):
        return rest.startswith(word) and rest != word
    return rest.rstrip("/") == word or (bool(word) and rest.startswith((f"{word}/", f"{word}.")))
