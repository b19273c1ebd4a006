"""What scoring puts into annotation's pages about systems and their answers."""

from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.models import Round, SystemRelease
from annotation.permissions import Scope
from annotation.queries.collecting import Wanted
from scoring.models import Publication
from scoring.queries import answers, connections


def of_release(*, scope: Scope, release: SystemRelease, **_context: Any) -> SafeString:
    """Say what answers as a release."""
    context = {
        "scope": scope,
        "release": release,
        "connection": connections.current([release.pk]).get(release.pk),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render_to_string("scoring/parts/release_connection.html", context)


def of_published(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Say of a round what it was made of, if it was made of outputs of machines."""
    if not scope.may(permissions.UNBLINDED):
        return None
    one = Publication.objects.filter(round=round).select_related("run").first()
    if one is None:
        return None
    return render_to_string("scoring/parts/published.html", {"scope": scope, "one": one})


def of_missing_answers(
    *, scope: Scope, wanted: Wanted, round: Round | None, query: str, **_context: Any
) -> SafeString | None:
    """Lead from missing answers to the systems that can be asked for them."""
    if not wanted.n_missing:
        return None
    offers = [one for one in answers.offers(wanted) if one.n_missing]
    url = (
        reverse("round_answers", args=[scope.project.slug, round.number])
        if round
        else reverse("answers", args=[scope.project.slug]) + (f"?{query}" if query else "")
    )
    context = {
        "scope": scope,
        "offers": offers,
        "n_ready": sum(one.is_ready for one in offers),
        "url": url,
    }
    return render_to_string("scoring/parts/collect_answers.html", context)
