"""Addresses of accuracy and contamination."""

from django.urls import path

from scoring.views import contamination, losses, quizzes

CONTAMINATION = "p/<slug:project>/runs/<int:number>/contamination/"
LOSSES = "p/<slug:project>/runs/<int:number>/losses/"
RUN = "p/<slug:project>/runs/<int:number>/accuracy/"
urlpatterns = [
    path("p/<slug:project>/accuracy/new/", quizzes.quiz_new, name="quiz_new"),
    path(RUN, quizzes.run_accuracy, name="run_accuracy"),
    path(f"{RUN}accuracy.csv", quizzes.run_accuracy_csv, name="run_accuracy_csv"),
    path(f"{RUN}accuracy.svg", quizzes.run_accuracy_svg, name="run_accuracy_svg"),
    path("p/<slug:project>/losses/new/", losses.losses_new, name="losses_new"),
    path(LOSSES, losses.run_losses, name="run_losses"),
    path(f"{LOSSES}losses.csv", losses.run_losses_csv, name="run_losses_csv"),
    path(CONTAMINATION, contamination.run_contamination, name="run_contamination"),
    path(
        f"{CONTAMINATION}contamination.csv",
        contamination.run_contamination_csv,
        name="run_contamination_csv",
    ),
]
