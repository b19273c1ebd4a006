import pytest
from django.urls import reverse

from annotation.people.models import Role
from scoring.endpoints.models import Endpoint
from tests import make
from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY, URL

pytestmark = pytest.mark.django_db

SENT = {"name": "House", "url": f"{URL}/", "model_name": "house-small", "prompt_price": "0.5"}


@pytest.fixture
def home(client):
    made = make.project()
    client.force_login(endpoint_rows.owner_of(made))
    return made


def at(name, /, *args):
    return reverse(name, args=["northport", *args])


def post(client, address, /, *args, **sent):
    return client.post(at(address, *args), sent, content_type="application/json")


class TestEndpoints:
    def test_are_added_with_a_key_that_is_not_given_back(self, client, home):
        answer = post(client, "api_endpoints", **SENT, key=CANARY)

        assert answer.status_code == 201
        said = answer.json()
        assert (said["key"], said["url"], said["scripted"]) == ("sealed", URL, False)
        assert CANARY not in answer.content.decode()
        assert CANARY not in client.get(at("api_endpoints")).content.decode()

    def test_are_refused_field_by_field(self, client, home):
        answer = post(client, "api_endpoints", **{**SENT, "url": "nowhere", "timeout": 5})

        assert answer.status_code == 422
        assert answer.json()["code"] == "address_refused"
        assert answer.json()["fields"].keys() == {"url"}

    def test_take_a_key_or_a_variable(self, client, home):
        answer = post(client, "api_endpoints", **SENT, key="k", variable="EVALSITE_KEY_HOUSE")

        assert answer.status_code == 400
        assert answer.json()["fields"].keys() == {"variable"}

    def test_say_where_a_variable_may_not_be_used(self, client, home, settings, monkeypatch):
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)
        sent = {**SENT, "variable": "EVALSITE_KEY_HOUSE"}
        refused = post(client, "api_endpoints", **sent)
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]
        taken = post(client, "api_endpoints", **sent)
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example"]

        (there,) = client.get(at("api_endpoints")).json()["results"]

        assert (refused.status_code, refused.json()["code"]) == (422, "key_not_there")
        assert (taken.status_code, taken.json()["key_trouble"]) == (201, "")
        assert "EVALSITE_KEY_HOUSE@models.example@northport" in there["key_trouble"]


class TestAScriptedEndpoint:
    def test_says_that_it_is_one(self, client, home):
        answer = post(client, "api_endpoint_scripted", script={"seed": 7})

        assert answer.status_code == 201
        assert answer.json()["scripted"] is True
        assert Endpoint.objects.get().script == {"seed": 7}

    def test_is_refused_where_its_script_cannot_be_played(self, client, home):
        answer = post(client, "api_endpoint_scripted", script={"nonsense": 7})

        assert answer.json()["code"] == "script_refused"


class TestAnEndpoint:
    def test_keeps_what_a_change_leaves_out(self, client, home):
        made = endpoint_rows.endpoint(in_=home)

        answer = post(client, "api_endpoint", made.pk, model_name="house-large")

        assert answer.json()["model_name"] == "house-large"
        assert answer.json()["name"] == "House model"

    @pytest.mark.parametrize("sent", ["[]", "null", '"x"'])
    def test_survives_a_body_that_is_no_object(self, client, home, sent):
        made = endpoint_rows.endpoint(in_=home)

        answer = client.post(at("api_endpoint", made.pk), sent, content_type="application/json")

        assert answer.status_code < 500

    def test_gets_and_loses_its_key(self, client, home):
        made = endpoint_rows.endpoint(in_=home)

        assert post(client, "api_endpoint_key", made.pk, key=CANARY).json()["key"] == "sealed"
        assert post(client, "api_endpoint_key", made.pk).json()["key"] == "none"

    def test_is_tested_by_a_worker(self, client, home):
        made = endpoint_rows.endpoint(in_=home)
        assert client.get(at("api_endpoint_test", made.pk)).json() == {"test": None}

        answer = post(client, "api_endpoint_test", made.pk)

        assert (answer.status_code, answer.headers["Location"]) == (
            202,
            at("api_endpoint_test", made.pk),
        )
        assert client.get(at("api_endpoint_test", made.pk)).json()["test"]["state"] == "MOVING"

    def test_is_retired_once(self, client, home):
        made = endpoint_rows.endpoint(in_=home)

        assert post(client, "api_endpoint_retire", made.pk).json()["retired_at"]
        assert post(client, "api_endpoint_retire", made.pk).json()["code"] == "retired"

    def test_is_only_read_by_an_analyst(self, client):
        made = endpoint_rows.endpoint()
        client.force_login(make.member(Role.ANALYST))

        assert client.get(at("api_endpoint", made.pk)).status_code == 200
        assert post(client, "api_endpoint", made.pk, name="X").status_code == 403


class TestHowAServerIsAsked:
    def test_is_set_and_told_without_what_headers_hold(self, client, home):
        options = {"api": "responses", "effort": "low", "query": {"api-version": "2024-10-21"}}

        answer = post(client, "api_endpoints", **SENT, options=options, headers={"api-key": CANARY})

        said = answer.json()
        assert (answer.status_code, said["options"]) == (201, options)
        assert said["headers"] == {"api-key": "•••"}
        assert CANARY not in answer.content.decode()

    def test_stays_where_a_change_does_not_name_it(self, client, home):
        made = endpoint_rows.endpoint(options={"effort": "low"}, headers={"X-Team": CANARY})

        answer = post(client, "api_endpoint", made.pk, timeout=60)

        made.refresh_from_db()
        assert answer.json()["options"] == {"effort": "low"}
        assert (made.timeout, made.header_names) == (60, ["X-Team"])

    @pytest.mark.parametrize(
        "options", [{"api": "chats"}, {"effort": "much"}, {"leave_out": ["model"]}, {"what": 1}]
    )
    def test_is_refused_where_it_is_not_known(self, client, home, options):
        answer = post(client, "api_endpoints", **SENT, options=options)

        assert answer.status_code == 400
        assert not Endpoint.objects.exists()
