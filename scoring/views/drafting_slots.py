"""What help with drafting puts into the pages of a source and of a draft."""

from typing import Any
from uuid import uuid4

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.models import QuestionVersion, SourceVersion
from annotation.permissions import Scope
from scoring.queries import drafting as reads


def of_source(*, scope: Scope, version: SourceVersion, **context: Any) -> SafeString | None:
    """Offer to have questions proposed from a text, where an endpoint is allowed to."""
    if not scope.may(permissions.DESIGNERS) or not version.text.strip():
        return None
    endpoint = reads.endpoint_of(scope.project)
    asked = reads.of_source(version, scope.user)
    if endpoint is None and not asked:
        return None
    shown = {
        "scope": scope,
        "version": version,
        "endpoint": endpoint,
        "asked": asked,
        "key": uuid4(),
    }
    return render_to_string("scoring/parts/draft_from_source.html", shown, context.get("request"))


def of_draft(*, scope: Scope, version: QuestionVersion, **context: Any) -> SafeString | None:
    """Offer key points, and a look for ambiguity, where an endpoint is allowed to."""
    endpoint = reads.endpoint_of(scope.project)
    asked = reads.of_question(version, scope.user)
    if endpoint is None and not asked:
        return None
    shown = {
        "scope": scope,
        "version": version,
        "endpoint": endpoint,
        "asked": asked,
        "keys": {"points": uuid4(), "ambiguity": uuid4()},
    }
    return render_to_string("scoring/parts/draft_help.html", shown, context.get("request"))
