"""Endpoints for tests."""

from decimal import Decimal

from annotation import models
from scoring.endpoints import operations
from scoring.endpoints import testing as endpoint_scripts
from scoring.endpoints.models import Endpoint
from scoring.endpoints.operations import EndpointAbout
from tests import make

URL = "https://models.example/v1"
#: Stands for a key; nothing that anybody is shown may hold it.
CANARY = "canary-4711-do-not-show"


def about(name: str = "House model", **more) -> EndpointAbout:
    values = {"url": URL, "model_name": "house-small", "family": "house", **more}
    return EndpointAbout(name=name, **values)


def owner_of(home: models.Project) -> models.User:
    return models.User.objects.get(memberships__project=home, memberships__role="OWNER")


def endpoint(
    name: str = "House model", *, in_: models.Project | None = None, key: str = "", **more
) -> Endpoint:
    """Return a server that was added by the owner of the project."""
    home = in_ or make.project()
    return operations.create(
        project=home, about=about(name, **more), by=owner_of(home), now=make.NOW, key=key
    )


def scripted(in_: models.Project | None = None, **script) -> Endpoint:
    home = in_ or make.project()
    return endpoint_scripts.add_scripted(
        project=home, by=owner_of(home), now=make.NOW, script=script
    )


def priced(**more) -> EndpointAbout:
    return about(prompt_price=Decimal("0.5"), completion_price=Decimal("1.5"), **more)
