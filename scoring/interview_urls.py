"""Addresses of interviews."""

from django.urls import path

from scoring.views import dialogue_files as files
from scoring.views import interview_evaluators, interview_results, interviews

RUN = "p/<slug:project>/runs/<int:number>/interviews/"
EVALUATORS = "p/<slug:project>/runs/<int:number>/evaluators/"
DIALOGUES = "p/<slug:project>/runs/<int:number>/dialogues/"
urlpatterns = [
    path("p/<slug:project>/interviews/new/", interviews.interviews_new, name="interviews_new"),
    path("p/<slug:project>/interviews/import/", files.interviews_import, name="interviews_import"),
    path(RUN, interview_results.run_interviews, name="run_interviews"),
    path(f"{RUN}scores.csv", interview_results.run_interviews_csv, name="run_interviews_csv"),
    path(f"{RUN}scores.svg", interview_results.run_interviews_svg, name="run_interviews_svg"),
    path(EVALUATORS, interview_evaluators.run_evaluators, name="run_evaluators"),
    path(
        f"{EVALUATORS}scores.csv",
        interview_evaluators.run_evaluators_csv,
        name="run_evaluators_csv",
    ),
    path(f"{EVALUATORS}again/", interview_evaluators.run_judge_again, name="run_judge_again"),
    path(f"{DIALOGUES}dialogues.zip", files.run_dialogues_zip, name="run_dialogues_zip"),
    path(DIALOGUES, interviews.run_dialogues, name="run_dialogues"),
    path(f"{DIALOGUES}<int:pk>/", interviews.run_dialogue, name="run_dialogue"),
]
