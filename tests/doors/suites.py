"""Conversations, suites, and what their runs found."""

from typing import Any

from tests.doors.row import CURATORS, UNBLINDED, Row, row


def of_suite(*args: Any, **kwargs: Any) -> Row:
    return row(*args, number=lambda world: world.suite_run.config["suite"], **kwargs)


def of_run(**kwargs: Any) -> Row:
    return row(UNBLINDED, number=lambda world: world.suite_run.number, **kwargs)


def talk(world: Any) -> int:
    return world.suite_run.judgments.earliest("pk").response.conversations.get().pk


def rater(world: Any) -> int:
    return world.suite_run.config["raters"]["0"]


SUITES: dict[str, Row] = {
    "conversations": row(UNBLINDED),
    "conversations_new": row(CURATORS, CURATORS),
    "conversation": row(UNBLINDED, pk=talk),
    "suites": row(UNBLINDED),
    "suite_new": row(CURATORS, CURATORS),
    "suite_build": row(CURATORS, CURATORS),
    "suite": of_suite(UNBLINDED),
    "suite_edit": of_suite(CURATORS, CURATORS),
    "suite_schedule": of_suite(UNBLINDED, CURATORS),
    "suite_metrics": row(UNBLINDED),
    "suite_run": of_suite(CURATORS, CURATORS),
    "run_suite": of_run(),
    "run_labels": of_run(),
    "run_suite_labels": of_run(got=[301]),
    "run_suite_parts": of_run(rater=rater),
    "run_suite_svg": of_run(got=[302]),
    "run_suite_csv": of_run(got=[302], table=lambda world: "metrics"),
    "run_labels_svg": of_run(got=[302]),
    "run_labels_csv": of_run(got=[302], table=lambda world: "overall"),
    "run_suite_values_csv": of_run(),
    "run_suite_jsonl": of_run(),
    "run_suite_sqlite": of_run(),
}
#: Part of the API's table.
SUITES_API: dict[str, Row] = {
    "api_conversations": row(UNBLINDED, CURATORS, done=[400]),
    "api_conversation": row(UNBLINDED, pk=talk),
    "api_suites": row(UNBLINDED, CURATORS, done=[400]),
    "api_suite": of_suite(UNBLINDED, CURATORS, done=[400]),
    "api_schedules": row(UNBLINDED),
    "api_schedule": of_suite(UNBLINDED, CURATORS, done=[400]),
    # It has no schedule.
    "api_schedule_pause": of_suite(UNBLINDED, CURATORS, got=[], done=[404]),
    "api_schedule_resume": of_suite(UNBLINDED, CURATORS, got=[], done=[404]),
    "api_schedule_run": of_suite(UNBLINDED, CURATORS, got=[], done=[404]),
    "api_suite_metrics": row(UNBLINDED),
    "api_suite_run": of_suite(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_run_suite": of_run(got=[202]),
    "api_run_labels": of_run(),
    "api_run_suite_csv": of_run(),
    "api_run_suite_jsonl": of_run(),
    "api_run_suite_sqlite": of_run(),
}
