"""Addresses of help with drafting."""

from django.urls import path

from scoring.views import drafting

AT = "p/<slug:project>/drafting/"
urlpatterns = [
    path(
        "p/<slug:project>/settings/drafting/", drafting.settings_drafting, name="settings_drafting"
    ),
    path(f"{AT}questions/", drafting.draft_questions, name="draft_questions"),
    path(f"{AT}help/<int:pk>/", drafting.draft_help, name="draft_help"),
    path(f"{AT}<int:number>/", drafting.drafting, name="drafting"),
]
