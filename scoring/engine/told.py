"""What a run was started with, in words that a page can show."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.endpoints.models import Endpoint
from scoring.engine import kinds
from scoring.engine.models import Run

#: In `config`, but not for a list of parameters: prices stand with the costs, items with the steps,
#: the raters of metrics with the judges.
APART = frozenset(
    {
        "prices",
        "items",
        "train",
        "test",
        "examples",
        "raters",
        "criterion",
        "of",
        "evaluators",
        "definition",
        "last",
        "late",
        "after",
        "staged",
        "since_start",
        "made_of",
    }
)
#: Keys of `config` that hold the key of an endpoint, by the end of their names.
OF_ENDPOINTS = ("endpoint", "endpoint_id", "interactor")
#: What known parameters are called; others go by their own names.
NAMES: Mapping[str, Any] = {
    "against": gettext_lazy("Compare with"),
    "reasons": gettext_lazy("Ask for reasons"),
    "apart": gettext_lazy("One request per criterion"),
    "at_once": gettext_lazy("Answers per request"),
    "criteria": gettext_lazy("Criteria"),
    "completions": gettext_lazy("Completed by"),
    "graders": gettext_lazy("Judges"),
    "only": gettext_lazy("Tried on"),
    "drawn": gettext_lazy("Conversations drawn"),
    "sets": gettext_lazy("Conversations"),
    "suite": gettext_lazy("Suite"),
    "version": gettext_lazy("Version"),
    "decision": gettext_lazy("First answers decided"),
    "interactor": gettext_lazy("Interviewer"),
    "mark_but_continue": gettext_lazy("Continues after a stop"),
    "over": gettext_lazy("Questions from"),
    "planned": gettext_lazy("Exchanges"),
    "prior": gettext_lazy("Told of the first answer"),
    "reference_visible": gettext_lazy("Evaluator sees standard answer"),
    "releases": gettext_lazy("Systems"),
    "talk_tokens": gettext_lazy("Longest interviewer turn (tokens)"),
    "verify": gettext_lazy("Questions verified first"),
    "judged_by": gettext_lazy("Evaluators"),
    "of_run": gettext_lazy("Interviews of run"),
    "answers": gettext_lazy("Answers"),
    "fewest_valid": gettext_lazy("Fewest usable readings"),
    "high": gettext_lazy("Highest score"),
    "higher_is_better": gettext_lazy("Higher is better"),
    "import": gettext_lazy("Import"),
    "language": gettext_lazy("Language of the prompts"),
    "low": gettext_lazy("Lowest score"),
    "max_tokens": gettext_lazy("Longest reply (tokens)"),
    "premise": gettext_lazy("Set against"),
    "people": gettext_lazy("People’s grades"),
    "plan": gettext_lazy("Plan"),
    "predictions": gettext_lazy("Predictions"),
    "prompts": gettext_lazy("Prompts"),
    "reference": gettext_lazy("Standard answer shown"),
    "repeats": gettext_lazy("Repeats"),
    "instructions": gettext_lazy("Instructions"),
    "tuning": gettext_lazy("Tuned judge"),
    "temperature": gettext_lazy("Temperature"),
    "top_p": gettext_lazy("Top p"),
    "task": gettext_lazy("Evaluation task"),
    "ways": gettext_lazy("Ways"),
    "together": gettext_lazy("All criteria at once"),
    "turned": gettext_lazy("Turned round"),
    "weights": gettext_lazy("Scores come from"),
}
#: What known values mean, as the form says it.
VALUES: Mapping[str, Mapping[str, Any]] = {
    "decision": {
        "text": gettext_lazy("by equal text"),
        "judge": gettext_lazy("the evaluator decides"),
        "none": gettext_lazy("is not decided"),
    },
    "language": {
        "auto": gettext_lazy("the question’s"),
        "en": gettext_lazy("English"),
        "zh": gettext_lazy("Chinese"),
    },
    "over": {"bank:": gettext_lazy("the bank")},
    "prior": {
        "neutral": gettext_lazy("nothing"),
        "likely_wrong": gettext_lazy("likely wrong"),
    },
}
#: What the beginnings of "Questions from" mean; a number of it follows.
SOURCES = {
    "bank": gettext_lazy("a capability"),
    "round": gettext_lazy("round %(n)s"),
    "import": gettext_lazy("import %(n)s"),
}
#: A hash is told by its beginning.
HASH, SHORT = 64, 12
MOST = 200
LONGEST = 300


def facts(run: Run) -> list[tuple[str, str]]:
    """Return name and value of all that decides what a run comes to, and of what limits it."""
    first = [
        (_("Kind"), str(run.get_kind_display())),
        (_("Protocol"), run.protocol),
        (_("Round"), f"{run.round.number} · {run.round.name}" if run.round else ""),
        (_judge_word(run), run.judge.name if run.judge else ""),
        (_("Seed"), str(run.seed)),
    ]
    return [(name, value) for name, value in first if value] + parameters(run)


def _judge_word(run: Run) -> str:
    return _("Assistant") if run.kind == Run.Kind.ASSIST else _("Judge")


def parameters(run: Run) -> list[tuple[str, str]]:
    """Return the run's parameters as lines: a nested one is named by its path."""
    told = kinds.plugin(run.kind).told
    config = run.config if told is None else told(run)
    whole = {name: value for name, value in config.items() if name not in APART}
    judges = dict(run.judge.config) if run.judge else {}
    lines = list(flat({**judges, **whole}))[:MOST]
    keys = {int(value) for name, value in lines if _is_endpoint(name) and value.isdigit()}
    names = dict(Endpoint.objects.filter(pk__in=keys).values_list("pk", "name")) if keys else {}
    return [
        (
            " › ".join(str(NAMES.get(part, part)) for part in name.split(" › ")),
            names.get(int(value), value)
            if _is_endpoint(name) and value.isdigit()
            else _meant(name, value),
        )
        for name, value in lines
        if value
    ]


def _is_endpoint(name: str) -> bool:
    return name.rpartition(" › ")[2] in OF_ENDPOINTS or name.startswith("endpoints › ")


def _meant(name: str, value: str) -> str:
    """Return a known value in words; others as they are."""
    if value in VALUES.get(name, {}):
        return str(VALUES[name][value])
    kind, _colon, number = value.partition(":")
    if name == "over" and kind in SOURCES and number:
        return str(SOURCES[kind]) % {"n": number}
    return value


def flat(config: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and value of everything in a configuration, sorted; a list is one value."""
    for name in sorted(config):
        value = config[name]
        path = f"{before}{name}"
        if isinstance(value, Mapping):
            yield from flat(value, f"{path} › ")
        else:
            yield path, said(value)


def said(value: Any) -> str:
    """Return a value as a person reads it, cut where it is very long."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        # Of a thing in a list its name says enough; the file of the run holds all of it.
        if value.get("name"):
            return str(value["name"])
        return ", ".join(f"{name} {said(value[name])}" for name in sorted(value))
    text = ", ".join(said(one) for one in value) if isinstance(value, list) else str(value)
    if len(text) == HASH and text.isalnum() and text.islower():
        return f"{text[:SHORT]}…"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
