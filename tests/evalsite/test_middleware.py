"""Who is not signed in comes back to a page that can be opened."""

import pytest
from django.test import Client


@pytest.mark.django_db
class TestSignedOut:
    def test_comes_back_to_the_page_that_was_asked_for(self):
        answer = Client().get("/p/north/rounds/")

        assert answer.headers["Location"] == "/login/?next=/p/north/rounds/"

    def test_comes_back_to_the_form_that_was_sent(self):
        page = "http://testserver/p/north/rounds/2/"

        answer = Client().post("/p/north/rounds/2/pause/", headers={"Referer": page})

        assert answer.headers["Location"] == "/login/?next=/p/north/rounds/2/"

    def test_never_goes_to_another_site(self):
        answer = Client().post(
            "/p/north/rounds/2/pause/", headers={"Referer": "https://elsewhere.example/p/"}
        )

        assert answer.headers["Location"] == "/login/?next=/"
