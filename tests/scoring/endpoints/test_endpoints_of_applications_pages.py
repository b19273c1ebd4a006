"""Applications that are asked over REST: added on a page, tested by a worker, changed."""

import pytest
from django.urls import reverse

from scoring.endpoints import operations as endpoints
from scoring.endpoints import testing as endpoint_tests
from scoring.endpoints.models import Endpoint
from scoring.endpoints.operations import EndpointAbout
from tests import make
from tests.scoring import applications, connected, endpoint_rows

pytestmark = pytest.mark.django_db
CANARY = endpoint_rows.CANARY
SENT = {
    "name": "Tutor",
    "url": "https://tutor.example/api/answer?lang=en",
    "method": "POST",
    "headers": "X-Key: {key}",
    "body": applications.REQUEST["body"],
    "answer": "data.answers[0].text",
    "currency": "USD",
    "max_in_flight": 4,
    "timeout": 5,
}


@pytest.fixture
def client(client):
    client.force_login(endpoint_rows.owner_of(make.project()))
    return client


def at(name, *args):
    return reverse(name, args=[make.project().slug, *args])


def added(url=SENT["url"], **given):
    return endpoints.create(
        project=make.project(),
        about=EndpointAbout(name="Tutor", url=url, request=applications.REQUEST, **given),
        by=endpoint_rows.owner_of(make.project()),
        now=make.NOW,
        key=CANARY,
    )


class TestEndpointApplication:
    def test_is_reached_from_the_list(self, client):
        assert at("endpoint_application") in client.get(at("endpoints")).content.decode()

    def test_adds_an_application_and_shows_its_key_to_nobody(self, client):
        answer = client.post(at("endpoint_application"), {**SENT, "key": CANARY}, follow=True)

        made = Endpoint.objects.get()
        shown = answer.content.decode()
        assert (made.kind, made.url) == ("REST", SENT["url"])
        assert made.request["headers"] == {"X-Key": "{key}"}
        assert "X-Key: {key}" in shown
        assert "data.answers[0].text" in shown
        assert CANARY not in shown

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("url", "http://127.0.0.1/ask", "not a public address"),
            ("url", "https://{message}.example", "behind the server"),
            ("body", '{"q": {message}}', "The body is no JSON (line 1"),
            ("body", '{"q": "{wrong}"}', "There is no wrong here."),
            ("headers", "no colon here", "Write it as Name: value."),
            ("headers", "Host: elsewhere", "“Host” is no header"),
            ("answer", "a..b", "“a..b” is no path"),
        ],
    )
    def test_says_what_is_wrong_beside_the_field(self, client, field, value, said):
        answer = client.post(at("endpoint_application"), {**SENT, field: value})

        assert answer.status_code == 422
        assert said in str(answer.context["form"].errors[field][0])
        assert not Endpoint.objects.exists()


class TestEdit:
    def test_shows_the_request_and_keeps_it(self, client):
        made = added()

        form = client.get(at("endpoint_edit", made.pk)).context["form"]
        client.post(at("endpoint_edit", made.pk), {**SENT, "answer": "data"})

        made.refresh_from_db()
        assert form["headers"].value() == "X-Key: {key}"
        assert made.request["answer"] == "data"
        assert made.key_sealed

    def test_makes_the_next_number_of_one_that_answered_as_a_system(self, client):
        made = added()
        connected.connection(to=made)

        client.post(at("endpoint_edit", made.pk), {**SENT, "answer": "data"})

        assert list(Endpoint.objects.order_by("number").values_list("number", "retired_at")) == [
            (1, Endpoint.objects.get(number=1).retired_at),
            (2, None),
        ]
        assert Endpoint.objects.get(number=1).request["answer"] == "data.answers[0].text"


class TestTest:
    def test_greets_it_and_shows_its_answer(self, client, settings):
        settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
        with applications.application() as app:
            made = added(app.url)
            test = endpoint_tests.request(
                endpoint=made, by=endpoint_rows.owner_of(make.project()), now=make.NOW
            )
            endpoint_tests.carry_out(test_id=test.pk, clock=lambda: make.at(1))

        shown = client.get(at("endpoint", made.pk)).content.decode()
        assert "To a greeting it said: “You asked: Hello!" in shown
        assert len(app.asked) == 1

    def test_says_where_the_answer_is_not(self, client, settings):
        settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
        with applications.application(lambda _one: (200, {"reply": "Hi"})) as app:
            made = added(app.url)
            test = endpoint_tests.request(
                endpoint=made, by=endpoint_rows.owner_of(make.project()), now=make.NOW
            )
            endpoint_tests.carry_out(test_id=test.pk, clock=lambda: make.at(1))

        shown = client.get(at("endpoint", made.pk)).content.decode()
        assert "The reply has nothing at “data”. It has the names reply." in shown
