"""Every page of a project that can be looked at, found through the URLconf.

What an address names is looked up in the project: by the table VALUES, or else by the models whose
names a route begins with ("plan_cell" names a PlanCell, "source" a Source). Of rows that have a
state, one in every state is looked at.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Count, Model, QuerySet
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation import models
from annotation.people import access as people
from annotation.people import inviting
from scoring.engine.models import Machine
from scoring.kinds.suites.models import Conversation
from tests.who_may import ROWS

#: Parts of a page. (What takes POSTs only, or leads elsewhere, tests/who_may.py knows.)
PARTS = {"round_standing", "round_draw_count", "capability_help", "run_live"}
APPS = ("annotation", "scoring")


@dataclass(frozen=True)
class Address:
    name: str
    path: str


class NoRecipe(LookupError):
    """An argument of a route that nothing here knows a value for."""


def _first(rows: Any, field: str = "pk") -> list[Any]:
    return list(rows.order_by("pk").values_list(field, flat=True)[:1])


def _each_state(rows: Any, field: str = "pk") -> list[Any]:
    """Return the newest row of every state."""
    by_state = dict(rows.order_by("pk").values_list("state", field))
    return sorted(by_state.values())


def _conversations(project: models.Project) -> Any:
    return Conversation.objects.filter(set__project=project, batch__state="APPLIED")


Values = Callable[[models.Project], list[Any]]


def _rounds(project: models.Project) -> list[int]:
    """Return the newest round of every state, and those of what machines made: dialogues and traces."""
    published = project.rounds.filter(publication__run__isnull=False, state="FINAL")
    return sorted({*_each_state(project.rounds, "number"), *_firsts_of_kinds(published)})


def _firsts_of_kinds(published: Any) -> list[int]:
    rows = published.order_by("-number").values_list("publication__run__kind", "number")
    return list(dict(rows).values())


def _held(project: models.Project) -> list[int]:
    held = models.Assignment.objects.filter(round__project=project, state="CLAIMED")
    return [ordinal + 1 for ordinal in _first(held, "ordinal")]


def _rubrics(project: models.Project) -> list[str]:
    """Return the rubric that has the most versions: its older ones have a page."""
    rubrics = models.Rubric.objects.for_people().filter(project=project)
    rubrics = rubrics.annotate(n=Count("versions"))
    return list(rubrics.order_by("-n", "pk").values_list("key", flat=True)[:1])


def _interviews(project: models.Project, field: str) -> list[Any]:
    return _first(project.runs.filter(kind="KIEVAL", dialogues__isnull=False), field)[:1]


def _examples(home: models.Project) -> list[Any]:
    """Return an example to learn by and one to practise with."""
    rows = models.TrainingExample.objects.in_use().filter(project=home)
    uses = models.TrainingExample.Use.values
    return [one for use in uses for one in _first(rows.filter(use=use), "number")]


def _annotators(home: models.Project) -> list[Any]:
    held = models.Membership.objects.with_role(["ANNOTATOR"]).filter(project=home)
    return _first(models.User.objects.filter(memberships__in=held), "public_id")


def _link(project: models.Project) -> list[Any]:
    """Return the secret of a link that lets somebody in; no row knows it."""
    owner = models.User.objects.filter(
        memberships__project=project, memberships__role=models.Role.OWNER
    ).first()
    if owner is None:
        return []
    _made, token = inviting.invite(
        project=project,
        whom="a visitor",
        roles=[models.Role.ANALYST],
        days=1,
        by=owner,
        now=timezone.now(),
    )
    return [token]


def _forgetful() -> models.User:
    """Return somebody who asks for a new password: who signs in, loses the link."""
    return models.User.objects.get_or_create(username="forgetful")[0]


def _suite_raters(home: models.Project) -> list[Any]:
    run = home.runs.filter(kind="SUITE").order_by("pk").first()
    return list(run.config["raters"].values())[:1] if run else []


#: By route (and argument), or by the first word of its name.
VALUES: dict[str, Values] = {
    "person": lambda home: _first(
        models.User.objects.filter(memberships__project=home), "public_id"
    ),
    "help_page.slug": lambda _home: ["annotator", "reference/statistics"],
    "join.token": _link,
    "password_link.person": lambda home: [_forgetful().public_id],
    "password_link.token": lambda home: [people.make_link(user=_forgetful(), now=timezone.now())],
    "workload_leave.person": lambda home: _first(
        models.User.objects.filter(rater__round_places__round__project=home), "public_id"
    ),
    "release": lambda home: _first(models.SystemRelease.objects.filter(system__project=home)),
    "connection": lambda home: _first(models.SystemRelease.objects.filter(system__project=home)),
    "rubric_version": lambda home: [1],
    "fusion_task": lambda home: _first(home.evaluation_tasks, "number"),
    "fusion_task_edit": lambda home: _first(home.evaluation_tasks, "number"),
    "tuning": lambda home: _first(home.tunings, "number"),
    "fusion_new": lambda home: _first(home.evaluation_tasks, "number"),
    "fusion_combine": lambda home: _first(home.evaluation_tasks, "number"),
    "fusion_plan_new": lambda home: _first(home.evaluation_tasks, "number"),
    "fusion_plan_write": lambda home: _first(home.evaluation_tasks, "number"),
    "fusion_plan.number": lambda home: _first(home.evaluation_tasks, "number"),
    "fusion_plan.plan": lambda home: _first(home.evaluation_tasks, "plans__number"),
    "run_fusion": lambda home: _first(home.runs.filter(kind="FUSION"), "number"),
    "run_fusion_csv.number": lambda home: _first(home.runs.filter(kind="FUSION"), "number"),
    "run_fusion_csv.table": lambda home: ["scores"],
    "run_interviews": lambda home: _interviews(home, "number"),
    "run_contamination": lambda home: _interviews(home, "number"),
    "run_dialogue.number": lambda home: _interviews(home, "number"),
    "run_dialogue.pk": lambda home: _interviews(home, "dialogues"),
    "run_dialogues": lambda home: _interviews(home, "number"),
    "run_dialogues_zip": lambda home: _interviews(home, "number"),
    "run_evaluators": lambda home: _interviews(home, "number"),
    "run_judge_again": lambda home: _interviews(home, "number"),
    "run_losses": lambda home: _first(home.runs.filter(kind="LOSSES"), "number"),
    "run_accuracy": lambda home: _first(home.runs.filter(kind="QUIZ"), "number"),
    "run_pairs": lambda home: _first(home.runs.filter(kind="PAIRS"), "number"),
    "run_assistant": lambda home: _first(home.runs.filter(kind="ASSIST"), "number"),
    "run_assistant_answers": lambda home: _first(home.runs.filter(kind="ASSIST"), "number"),
    "run_suite": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_parts.number": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_parts.rater": _suite_raters,
    "run_labels": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_labels": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_labels_svg": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_labels_csv.number": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_labels_csv.table": lambda home: ["overall"],
    "run_suite_svg": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_csv.number": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_csv.table": lambda home: ["metrics"],
    "run_suite_values_csv": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_jsonl": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "run_suite_sqlite": lambda home: _first(home.runs.filter(kind="SUITE"), "number"),
    "suite": lambda home: _first(home.suites, "number"),
    "conversation": lambda home: [
        *_first(_conversations(home)),
        *_first(_conversations(home).filter(n_tool_calls__gt=0)),
    ],
    "drafting": lambda home: _first(home.runs.filter(kind="DRAFT"), "number"),
    "run_metrics": lambda home: _first(home.runs.filter(kind="METRICS"), "number"),
    "release_new": lambda home: _first(home.systems),
    "import_template.kind": lambda home: ["answers"],
    "bank_file": lambda home: _first(home.bank_files.filter(way="OUT"), "number"),
    "batch": lambda home: _each_state(home.batches, "number"),
    "import": lambda home: _first(models.Upload.objects.filter(project=home), "number"),
    "training_example": lambda home: _examples(home),
    "training_trial": lambda home: _first(home.rounds.filter(trial__isnull=False), "number"),
    "trial_report": lambda home: _first(
        home.rounds.filter(trial__isnull=False).exclude(state="DRAFT"), "number"
    ),
    "pool_person.person": lambda home: _annotators(home),
    "pool_say.person": lambda home: _annotators(home),
    "pool_say.pk": lambda home: _first(home.capabilities),
    "pool_rule": lambda home: _first(home.capabilities),
    "example_new": lambda home: _first(home.capabilities.filter(rubric__isnull=False)),
    "inspection": lambda home: _each_state(
        models.QuestionVersion.objects.filter(question__project=home)
    ),
}
#: By argument, whatever the route.
OF_ARGUMENT: dict[str, Values] = {
    "project": lambda home: [home.slug],
    "person": VALUES["person"],
    "key": _rubrics,
    "form": lambda home: ["csv"],
    "place": lambda home: [1],
    "group": lambda home: ["questions", "results-of-a-round"],
    "step": lambda home: ["keys"],
    "why": lambda home: ["all_done", "waiting"],
    "seat": _held,
    "judge": lambda home: _first(Machine.objects.filter(rater__project=home), "rater_id"),
}


def of(project: models.Project, user: models.User | None) -> list[Address]:
    """Return the addresses of every route for this person.

    A route that the project holds no row for has none: tests/e2e/test_every_page.py tells of those
    that no project holds a row for.
    """
    found = []
    for name, names in routes().items():
        with suppress(NoRecipe):
            filled = fillings(name, names, project, user)
            found += [Address(name, reverse(name, kwargs=kwargs)) for kwargs in filled]
    return found


@cache
def routes() -> dict[str, tuple[str, ...]]:
    """Return the arguments of every route that may be a page, by its name."""
    return {
        pattern.name: names
        for pattern, names in _patterns(get_resolver().url_patterns)
        if pattern.name and pattern.name not in PARTS and _is_shown(pattern.name)
    }


def _is_shown(name: str) -> bool:
    return name not in ROWS or 200 in ROWS[name].got


def _patterns(
    entries: list[URLPattern | URLResolver], before: tuple[str, ...] = ()
) -> Iterator[tuple[URLPattern, tuple[str, ...]]]:
    """Yield routes with their arguments, those of what they stand below first."""
    for entry in entries:
        names = (*before, *entry.pattern.converters)
        if isinstance(entry, URLPattern):
            yield entry, names
        elif not str(entry.pattern).startswith("api/"):
            yield from _patterns(entry.url_patterns, names)


def fillings(
    name: str, names: tuple[str, ...], project: models.Project, user: models.User | None
) -> list[dict[str, Any]]:
    """Return what can stand for the arguments of a route in a project.

    Raises:
        NoRecipe: for one of them nothing here knows a value.
    """
    fillings: list[dict[str, Any]] = [{}]
    for each in names:
        is_seat = each == "token" and name not in {"join", "password_link", "set_up"}
        values = _seats(project, user) if is_seat else _values(name, each, project)
        fillings = [{**one, each: value} for one in fillings for value in values]
    return fillings


def _seats(project: models.Project, user: models.User | None) -> list[Any]:
    """Return a seat of somebody for each state and number of criteria: their pages differ."""
    if user is None:
        return []
    seats = models.Assignment.objects.filter(round__project=project, rater__user=user)
    shapes = seats.exclude(token=None).annotate(n=Count("round_item__rubric_version__criteria"))
    rows = shapes.order_by("pk").values_list("state", "round__state", "n", "token")
    return list({row[:3]: row[3] for row in rows}.values())


def _values(name: str, argument: str, project: models.Project) -> list[Any]:
    """Return what stands for an argument of a route in a project.

    Raises:
        NoRecipe: neither the table nor a model's name tells.
    """
    if known := _known(name, argument):
        return known(project)
    for model in _named_in(name):
        if rows := _rows(model, argument, project):
            return rows
    if argument == "number":
        return _rounds(project)
    if _named_in(name):
        return []
    raise NoRecipe(f"VALUES of tests/e2e/addresses.py needs a value for {argument} of {name}.")


def _known(name: str, argument: str) -> Values | None:
    """Return what the tables say: of this argument of the route, of the argument, of the route."""
    tables = [
        VALUES.get(f"{name}.{argument}"),
        OF_ARGUMENT.get(argument),
        VALUES.get(name),
        VALUES.get(name.partition("_")[0]),
    ]
    return next((one for one in tables if one is not None), None)


def _named_in(route: str) -> list[type[Model]]:
    """Return the models that a route's name begins with, the longest name first."""
    beginnings = accumulate(word.title() for word in route.split("_"))
    known = {
        model.__name__: model for app in APPS for model in apps.get_app_config(app).get_models()
    }
    return [known[name] for name in reversed(list(beginnings)) if name in known]


def _rows(model: type[Model], argument: str, project: models.Project) -> list[Any]:
    """Return a value of a model's field for a row of the project, in every state there is."""
    if argument != "pk" and not _has(model, argument):
        return []
    rows = _of_project(model, project)
    if rows is None:
        return []
    return _each_state(rows, argument) if _has(model, "state") else _first(rows, argument)


def _of_project(model: type[Model], project: models.Project) -> QuerySet[Any] | None:
    """Return the rows of a model that belong to a project, over the shortest way there."""
    ways: list[tuple[str, type[Model]]] = [("", model)]
    for way, at in ways:
        for field in at._meta.get_fields():
            if not getattr(field, "many_to_one", False) and not getattr(field, "one_to_one", False):
                continue
            if field.auto_created or field.null:
                continue
            if field.related_model is models.Project:
                return model._default_manager.filter(**{f"{way}{field.name}": project})
            if way.count("__") < 3 and isinstance(field.related_model, type):
                ways.append((f"{way}{field.name}__", field.related_model))
    return None


def _has(model: type[Model], field: str) -> bool:
    try:
        model._meta.get_field(field)
    except FieldDoesNotExist:
        return False
    return True
