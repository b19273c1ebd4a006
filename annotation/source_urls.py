"""Addresses of the corpus: what questions are made from."""

from django.urls import path

from annotation.views import source_collections, sources

AT = "p/<slug:project>/sources/"
urlpatterns = [
    path(AT, sources.sources, name="sources"),
    path(f"{AT}new/", sources.source_new, name="source_new"),
    path(f"{AT}<int:pk>/", sources.source, name="source"),
    path(f"{AT}collections/", source_collections.source_collections, name="source_collections"),
    path(
        f"{AT}collections/<int:pk>/",
        source_collections.source_collection,
        name="source_collection",
    ),
]
