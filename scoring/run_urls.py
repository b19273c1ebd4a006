"""Addresses of runs."""

from django.urls import path

from scoring.api.run_urls import FILES
from scoring.views import interview_results, run_compare, run_deeds, run_files, run_steps, runs

RUNS = "p/<slug:project>/runs/"
RUN = "p/<slug:project>/runs/<int:number>/"
urlpatterns = [
    path(RUNS, runs.runs, name="runs"),
    path(f"{RUNS}compare/", run_compare.runs_compare, name="runs_compare"),
    path(RUN, runs.run, name="run"),
    path(f"{RUN}live/", runs.run_live, name="run_live"),
    path(f"{RUN}pause/", run_deeds.run_pause, name="run_pause"),
    path(f"{RUN}resume/", run_deeds.run_resume, name="run_resume"),
    path(f"{RUN}cancel/", run_deeds.run_cancel, name="run_cancel"),
    path(f"{RUN}retry/", run_deeds.run_retry, name="run_retry"),
    path(f"{RUN}budget/", run_deeds.run_budget, name="run_budget"),
    path(f"{RUN}figures/again/", run_deeds.run_figures_again, name="run_figures_again"),
    path(
        f"{RUN}interviews/tables/<slug:table>.csv",
        interview_results.run_interviews_table,
        name="run_interviews_table",
    ),
    path(f"{RUN}steps/", run_steps.run_steps, name="run_steps"),
    path(f"{RUN}steps/<int:place>/", run_steps.run_step, name="run_step"),
    *(
        path(f"{RUN}files/{form}", run_files.run_export, {"form": form}, name=f"run_{name}")
        for name, form in FILES
    ),
]
