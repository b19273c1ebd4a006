"""What scoring puts into annotation's pages about systems and their answers.

* Forms about who answers as a release, and about collecting its answers.
* Have connected releases give the answers they have not given: of a draft, or of all that can be drawn.
"""

from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from annotation.imports.collecting import WantedAnswers
from annotation.people import permissions
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from annotation.systems.models import SystemRelease
from scoring.endpoints import queries as connections
from scoring.kinds.collect import operations as collect
from scoring.publishing.models import Publication


def of_release(*, scope: Scope, release: SystemRelease, **_context: Any) -> SafeString:
    """Say what answers as a release."""
    context = {
        "scope": scope,
        "release": release,
        "connection": connections.current([release.pk]).get(release.pk),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render_to_string("scoring/kinds/collect/parts/release_connection.html", context)


def of_published(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Say of a round what it was made of, if it was made of outputs of machines."""
    if not scope.may(permissions.UNBLINDED):
        return None
    one = Publication.objects.filter(round=round).select_related("run").first()
    if one is None:
        return None
    return render_to_string(
        "scoring/kinds/collect/parts/published.html", {"scope": scope, "one": one}
    )


def of_missing_answers(
    *, scope: Scope, wanted: WantedAnswers, round: Round | None, query: str, **_context: Any
) -> SafeString | None:
    """Lead from missing answers to the systems that can be asked for them."""
    if not wanted.n_missing:
        return None
    offers = [one for one in collect.offers(wanted) if one.n_missing]
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
    return render_to_string("scoring/kinds/collect/parts/collect_answers.html", context)
