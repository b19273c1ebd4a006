"""Addresses of accuracy and contamination."""

from django.urls import path

from scoring.views import contamination, quizzes

CONTAMINATION = "p/<slug:project>/runs/<int:number>/contamination/"
RUN = "p/<slug:project>/runs/<int:number>/accuracy/"
urlpatterns = [
    path("p/<slug:project>/accuracy/new/", quizzes.quiz_new, name="quiz_new"),
    path(RUN, quizzes.run_accuracy, name="run_accuracy"),
    path(f"{RUN}accuracy.csv", quizzes.run_accuracy_csv, name="run_accuracy_csv"),
    path(f"{RUN}accuracy.svg", quizzes.run_accuracy_svg, name="run_accuracy_svg"),
    path(CONTAMINATION, contamination.run_contamination, name="run_contamination"),
    path(
        f"{CONTAMINATION}contamination.csv",
        contamination.run_contamination_csv,
        name="run_contamination_csv",
    ),
]
