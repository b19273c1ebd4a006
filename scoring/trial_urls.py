"""Pages of trials that need figures."""

from django.urls import path

from scoring.views import trials

TRIAL = "p/<slug:project>/rounds/<int:number>/trial/"
urlpatterns = [
    path(TRIAL, trials.trial_report, name="trial_report"),
    path(TRIAL + "decide/", trials.trial_decide, name="trial_decide"),
]
