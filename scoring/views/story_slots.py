"""The loop of a project as its newcomers are told it: the parts that are there, each with the way to it."""

from django.urls import reverse

from annotation import permissions
from annotation.permissions import Scope
from scoring.queries import story as reads


def story(*, scope: Scope) -> list[dict[str, str]] | None:
    """Return title, text and address of each part of the loop, for those who may read results."""
    if not scope.may(permissions.UNBLINDED):
        return None
    return [
        {
            "title": one.title,
            "text": one.text,
            "url": reverse(one.page, args=[scope.project.slug, *one.args])
            + (f"?{one.query}" if one.query else ""),
        }
        for one in reads.chapters(scope.project)
    ]
