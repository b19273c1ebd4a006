"""Addresses of conversations and suites in the API, below /api/v1/."""

from django.urls import path

from scoring.api import suite_schedules, suites

TALKS = "projects/<slug:project>/conversations/"
SUITES = "projects/<slug:project>/suites/"
SCHEDULE = f"{SUITES}<int:number>/schedule/"
RUN = "projects/<slug:project>/runs/<int:number>/suite/"
api_patterns = [
    path(TALKS, suites.conversations, name="api_conversations"),
    path(f"{TALKS}<int:pk>/", suites.conversation, name="api_conversation"),
    path(SUITES, suites.suites, name="api_suites"),
    path(f"{SUITES}metrics/", suites.metrics, name="api_suite_metrics"),
    path(f"{SUITES}<int:number>/", suites.suite, name="api_suite"),
    path("projects/<slug:project>/schedules/", suite_schedules.schedules, name="api_schedules"),
    path(SCHEDULE, suite_schedules.schedule, name="api_schedule"),
    path(f"{SCHEDULE}pause/", suite_schedules.pause, name="api_schedule_pause"),
    path(f"{SCHEDULE}resume/", suite_schedules.resume, name="api_schedule_resume"),
    path(f"{SCHEDULE}run/", suite_schedules.run_now, name="api_schedule_run"),
    path(f"{SUITES}<int:number>/run/", suites.run, name="api_suite_run"),
    path(RUN, suites.results, name="api_run_suite"),
    *(
        path(f"{RUN}{form}", suites.file, {"form": form}, name=f"api_{name}")
        for form, name in (
            ("results.csv", "run_suite_csv"),
            ("results.jsonl", "run_suite_jsonl"),
            ("results.sqlite", "run_suite_sqlite"),
        )
    ),
]
