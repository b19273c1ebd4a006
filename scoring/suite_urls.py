"""Addresses of conversations and suites."""

from django.urls import path

from scoring.views import (
    conversations,
    suite_builder,
    suite_labels,
    suite_results,
    suite_schedules,
    suites,
)

TALKS = "p/<slug:project>/conversations/"
SUITES = "p/<slug:project>/suites/"
RUN = "p/<slug:project>/runs/<int:number>/suite/"
urlpatterns = [
    path(TALKS, conversations.conversations, name="conversations"),
    path(f"{TALKS}new/", conversations.conversations_new, name="conversations_new"),
    path(f"{TALKS}<int:pk>/", conversations.conversation, name="conversation"),
    path(SUITES, suites.suites, name="suites"),
    path(f"{SUITES}new/", suites.suite_new, name="suite_new"),
    path(f"{SUITES}form/", suite_builder.suite_build, name="suite_build"),
    path(f"{SUITES}metrics/", suites.suite_metrics, name="suite_metrics"),
    path(f"{SUITES}<int:number>/", suites.suite, name="suite"),
    path(f"{SUITES}<int:number>/edit/", suites.suite_edit, name="suite_edit"),
    path(f"{SUITES}<int:number>/run/", suites.suite_run, name="suite_run"),
    path(f"{SUITES}<int:number>/schedule/", suite_schedules.suite_schedule, name="suite_schedule"),
    path(RUN, suite_results.run_suite, name="run_suite"),
    path(f"{RUN}labels/", suite_labels.run_suite_labels, name="run_suite_labels"),
    path(f"{RUN}parts/<int:rater>/", suite_results.run_suite_parts, name="run_suite_parts"),
    path(f"{RUN}figures.csv", suite_results.run_suite_figures, name="run_suite_figures"),
    path(f"{RUN}plot.svg", suite_results.run_suite_svg, name="run_suite_svg"),
    *(
        path(f"{RUN}{form}", suite_results.run_suite_file, {"form": form}, name=name)
        for form, name in (
            ("results.csv", "run_suite_csv"),
            ("results.jsonl", "run_suite_jsonl"),
            ("results.sqlite", "run_suite_sqlite"),
        )
    ),
]
