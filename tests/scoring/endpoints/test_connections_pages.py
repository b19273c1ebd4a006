import pytest
from django.urls import reverse

from scoring.endpoints.models import Endpoint, SystemConnection
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


def url(release, name: str = "connection") -> str:
    return reverse(name, args=["northport", release.pk])


class TestConnection:
    def test_is_made_with_the_parameters_that_were_filled_in(self, client, curator):
        release, endpoint = make.release(), connected.endpoint()

        answer = client.post(
            url(release),
            {"endpoint": endpoint.pk, "temperature": "0.2", "stop": "END\n\nSTOP"},
            follow=True,
        )

        made = SystemConnection.objects.get()
        assert made.settings == {"temperature": 0.2, "stop": ["END", "STOP"]}
        page = answer.content.decode()
        assert "temperature = 0.2" in page
        assert "Demo: made by a script." in page

    def test_is_shown_with_what_was_there_before(self, client, curator):
        connected.connection(temperature=0.1)
        made = connected.connection(system_prompt="Be brief.")

        page = client.get(url(made.release)).content.decode()

        assert "Be brief." in page
        assert "temperature = 0.1" in page

    def test_says_where_to_begin_when_there_is_no_endpoint(self, client, curator):
        page = client.get(url(make.release())).content.decode()

        assert "No endpoint yet" in page

    def test_says_that_its_endpoint_was_retired(self, client, curator):
        made = connected.connection()
        Endpoint.objects.update(retired_at=make.NOW)

        assert "Connect the release again" in client.get(url(made.release)).content.decode()

    def test_refuses_an_endpoint_of_another_project(self, client, curator):
        foreign = connected.endpoint(in_=make.project("southgate"))

        answer = client.post(url(make.release()), {"endpoint": foreign.pk})

        assert answer.status_code == 422
        assert not SystemConnection.objects.exists()

    def test_is_ended(self, client, curator):
        made = connected.connection()

        client.post(url(made.release, "connection_end"))

        made.refresh_from_db()
        assert made.ended_at is not None

    def test_stands_on_the_page_of_its_release(self, client, curator):
        made = connected.connection()

        page = client.get(reverse("release", args=["northport", made.release_id])).content.decode()

        assert "Scripted" in page
        assert url(made.release) in page
