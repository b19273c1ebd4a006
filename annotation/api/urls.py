"""Addresses of the API, below /api/v1/."""

from django.urls import path

from annotation.api import draws, reads, rounds

urlpatterns = [
    path("", reads.index, name="api_index"),
    path("me/", reads.me, name="api_me"),
    path("projects/", reads.projects, name="api_projects"),
    path("projects/<slug:project>/items/", reads.items, name="api_items"),
    path("projects/<slug:project>/items/<int:pk>/", reads.item, name="api_item"),
    path("projects/<slug:project>/systems/", reads.systems, name="api_systems"),
    path("projects/<slug:project>/rubrics/", reads.rubrics, name="api_rubrics"),
    path(
        "projects/<slug:project>/rubrics/<slug:key>/<int:number>/",
        reads.rubric,
        name="api_rubric",
    ),
    path("projects/<slug:project>/rounds/", rounds.rounds, name="api_rounds"),
    path("projects/<slug:project>/rounds/<int:number>/", rounds.round_, name="api_round"),
    path("projects/<slug:project>/rounds/<int:number>/draw/", draws.draw, name="api_draw"),
    path(
        "projects/<slug:project>/rounds/<int:number>/manifest/",
        draws.manifest,
        name="api_manifest",
    ),
]
