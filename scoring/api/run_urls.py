"""Addresses of runs for programs."""

from django.urls import path

from scoring.api import names
from scoring.api import run_deeds as deeds
from scoring.api import runs as api

#: The files of a run: what their addresses are called, and how they end.
FILES = (("steps_csv", "steps.csv"), ("calls_csv", "calls.csv"), ("jsonl", "run.jsonl"))
API = "projects/<slug:project>/runs/"
API_RUN = f"{API}<int:number>/"
api_patterns = [
    path(API, api.runs, name="api_runs"),
    path(f"{API}<int:before>/<int:after>/", api.compare, name="api_runs_compare"),
    path(API_RUN, api.run, name="api_run"),
    path(f"{API_RUN}steps/", api.run_steps, name="api_run_steps"),
    path(f"{API_RUN}calls/", api.run_calls_, name="api_run_calls"),
    *(
        path(f"{API_RUN}files/{form}", api.files, {"form": form}, name=f"api_run_{name}")
        for name, form in FILES
    ),
    path(f"{API_RUN}figures/again/", names.run_figures_again, name="api_run_figures_again"),
    path(f"{API_RUN}budget/", deeds.budget, name="api_run_budget"),
    path(f"{API_RUN}retry/", deeds.retry, name="api_run_retry"),
    *(path(f"{API_RUN}{name}/", deeds.deed(name), name=f"api_run_{name}") for name in deeds.DEEDS),
]
