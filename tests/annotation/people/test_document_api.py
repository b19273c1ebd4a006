"""The OpenAPI document against the routes, a validator, and what the API really answers."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from openapi_spec_validator import OpenAPIV31SpecValidator

from annotation.people.models import Role
from evalsite.contract import components
from evalsite.contract import document as routes
from evalsite.contract.document import document
from tests import make
from tests.doors.api import API

#: What an annotator may call: whoever is signed in may.
FOR_ALL = sorted(name for name, row in API.items() if row.for_all)
#: Words of fields that an annotator must not learn of.
SECRETS = ("system", "release", "seed", "gold", "score", "judge")


class TestTheDocument:
    @pytest.mark.slow
    @pytest.mark.timeout(600)
    def test_is_valid_openapi(self):
        problems = [
            f"{'/'.join(map(str, one.path))}: {one.message}"
            for one in OpenAPIV31SpecValidator(document()).iter_errors()
        ]

        assert problems == []

    def test_has_every_route_and_method_of_the_api_and_no_other(self):
        real = {(one.address, method) for one in routes.routes() for method in one.methods}
        told = {
            (address, method.upper())
            for address, methods in document()["paths"].items()
            for method in methods
        }

        assert told == real
        assert {one.name for one in routes.routes()} == set(API)

    def test_names_no_operation_twice(self):
        names = [
            told["operationId"]
            for methods in document()["paths"].values()
            for told in methods.values()
        ]

        assert len(names) == len(set(names))

    def test_is_json_and_the_same_whenever_it_is_made(self):
        first = json.dumps(document())
        document.cache_clear()

        assert json.dumps(document()) == first

    def test_is_made_without_a_doubt(self):
        document()

        assert components.complaints() == []

    def test_says_what_everything_does(self):
        silent = [
            told["operationId"]
            for methods in document()["paths"].values()
            for told in methods.values()
            if not told["summary"].endswith(".") or len(told["summary"]) > 150
        ]

        assert silent == []

    @pytest.mark.parametrize("name", FOR_ALL)
    def test_tells_an_annotator_of_nothing_they_must_not_know(self, name):
        (address,) = {one.address for one in routes.routes() if one.name == name}
        told = document()["paths"][address]["get"]["responses"]["200"]

        assert not [word for word in SECRETS if word in json.dumps(whole(told)).lower()]

    def test_says_what_everything_in_an_address_is(self):
        silent = {
            (told["operationId"], one["name"])
            for methods in document()["paths"].values()
            for told in methods.values()
            for one in told["parameters"]
            if not one["description"]
        }

        assert silent == set()

    def test_requires_nothing_of_a_change_of_what_is_named(self):
        told = document()["components"]["schemas"]

        assert told["DomainIn"]["required"] == ["name"]
        assert "required" not in told["DomainChangeIn"]
        assert not [
            one for one in told["DomainChangeIn"]["properties"].values() if "default" in one
        ]

    def test_knows_a_file_as_one(self):
        told = document()["components"]["schemas"]["FileBodiesAnswersIn"]["properties"]

        assert told["file"] == {"type": "string", "format": "binary"}
        assert "standard_answer" in told["columns"]["description"]

    def test_names_the_tables_and_plots_of_a_round(self):
        told = document()["paths"]["/api/v1/projects/{project}/rounds/{number}/tables/{table}.csv"]
        (table,) = [one for one in told["get"]["parameters"] if one["name"] == "table"]

        assert {"agreement", "disputes", "fair"} <= set(table["schema"]["enum"])

    def test_names_the_roles_that_may(self):
        told = document()["paths"]["/api/v1/projects/{project}/rounds/"]["get"]

        assert told["x-roles"] == ["ANALYST", "CURATOR", "OWNER"]


def whole(of):
    """Return a part of the document with what it refers to in the place of references."""
    if isinstance(of, dict):
        if "$ref" in of:
            *_way, kind, name = of["$ref"].split("/")
            return {name: whole(document()["components"][kind][name])}
        return {name: whole(one) for name, one in of.items()}
    return [whole(one) for one in of] if isinstance(of, list) else of


@pytest.mark.django_db
class TestOpenapi:
    @pytest.mark.parametrize("role", [Role.OWNER, Role.CURATOR, Role.ANALYST, Role.DESIGNER])
    def test_is_for_those_who_do_more_than_grade(self, role, client):
        client.force_login(make.member(role))

        answer = client.get(reverse("api_openapi"))

        assert answer.json() == document()

    def test_is_nothing_to_somebody_nobody_knows(self):
        assert Client().get(reverse("api_openapi")).status_code == 401


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.django_db
class TestAnUnknownParameter:
    def test_is_refused_by_every_route_by_name(self, client):
        owner = make.project().memberships.get(role=Role.OWNER).user
        client.force_login(owner)
        wrong = []
        for one in routes.routes():
            kwargs = {name: VALUES.get(name, VALUES[kind]) for name, kind in one.parts.items()}
            kwargs["project"] = "northport"
            address = one.address.format(**kwargs)
            for method in one.methods:
                answer = client.generic(method, f"{address}?no_such_thing=1")
                if (answer.status_code, answer.json()["code"]) != (400, "unknown_parameter"):
                    wrong.append(f"{method} {address}: {answer.status_code}")

        assert not wrong, "\n".join(wrong)


#: Of the kinds of parts of an address.
VALUES = {
    "int": 1,
    "slug": "nothing",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "str": "x",
}
