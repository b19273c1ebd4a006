import pytest
from django.urls import reverse

from annotation.people.models import AuditEvent, Role
from evalsite import queue
from scoring.endpoints import testing as endpoint_tests
from scoring.endpoints.models import Endpoint
from tests import make
from tests.scoring import endpoint_rows, run_rows
from tests.scoring.endpoint_rows import CANARY

pytestmark = pytest.mark.django_db

SENT = {
    "name": "House model",
    "url": "https://models.example/v1",
    "model_name": "house-small",
    "currency": "EUR",
    "max_in_flight": "8",
    "timeout": "120",
}


@pytest.fixture
def owner(client):
    home = make.project()
    client.force_login(endpoint_rows.owner_of(home))
    return home


@pytest.fixture
def curator(client):
    home = make.project()
    client.force_login(make.member(Role.CURATOR, in_=home))
    return home


def at(name, *args):
    return reverse(name, args=["northport", *args])


def page(client, name, *args):
    answer = client.get(at(name, *args))
    assert answer.status_code == 200
    return answer.content.decode()


def after_a_test(of):
    test = endpoint_tests.request(endpoint=of, by=endpoint_rows.owner_of(of.project), now=make.NOW)
    endpoint_tests.carry_out(test_id=test.pk, clock=lambda: make.at(1))
    of.refresh_from_db()
    return of


class TestEndpoints:
    def test_say_how_to_begin_when_there_are_none(self, client, owner):
        shown = page(client, "endpoints")

        assert "No endpoints yet" in shown
        assert "no measurement" in shown
        assert at("endpoint_new") in shown

    def test_offer_nothing_to_who_may_not_add_one(self, client, curator):
        shown = page(client, "endpoints")

        assert "Owners add endpoints" in shown
        assert at("endpoint_new") not in shown

    def test_show_those_in_use_and_fold_the_retired_ones(self, client, owner):
        old = endpoint_rows.endpoint("Old house", in_=owner)
        client.post(at("endpoint_retire", old.pk))
        after_a_test(endpoint_rows.scripted(owner))

        shown = page(client, "endpoints")

        assert "Not in use any more" in shown
        assert "JSON schema, log-probabilities, seed, prompt log-probabilities" in shown

    def test_show_how_the_newest_test_went(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner)
        made.tests.create(asked_at=make.NOW, state="DONE")
        made.tests.create(asked_at=make.NOW, state="FAILED")
        endpoint_rows.scripted(owner)

        shown = page(client, "endpoints")

        assert "Unreachable at the last test" in shown
        assert "Being tested" in shown

    def test_are_in_the_menu(self, client, curator):
        shown = page(client, "judges")

        assert at("endpoints") in shown


class TestNewEndpoint:
    def test_is_added_with_its_key(self, client, owner):
        answer = client.post(at("endpoint_new"), {**SENT, "key": CANARY}, follow=True)

        made = Endpoint.objects.get()
        assert (made.name, made.currency, made.prompt_price) == ("House model", "EUR", None)
        shown = answer.content.decode()
        assert "set, stored encrypted" in shown
        assert "Not tested yet." in shown

    def test_takes_its_key_from_a_variable(self, client, owner, monkeypatch, settings):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)

        answer = client.post(
            at("endpoint_new"), {**SENT, "variable": "EVALSITE_KEY_HOUSE"}, follow=True
        )

        assert "in the variable EVALSITE_KEY_HOUSE" in answer.content.decode()

    def test_refuses_a_key_and_a_variable(self, client, owner, monkeypatch, settings):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)

        answer = client.post(
            at("endpoint_new"), {**SENT, "key": "k", "variable": "EVALSITE_KEY_HOUSE"}
        )

        assert answer.status_code == 422
        assert "not both" in answer.content.decode()

    def test_offers_no_variable_that_is_for_another_project(
        self, client, owner, monkeypatch, settings
    ):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@southport"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)

        answer = client.post(at("endpoint_new"), {**SENT, "variable": "EVALSITE_KEY_HOUSE"})

        assert not Endpoint.objects.filter(key_env="EVALSITE_KEY_HOUSE").exists()
        assert "EVALSITE_KEY_HOUSE" not in answer.content.decode()

    def test_says_at_the_variable_that_its_key_is_not_for_this_address(
        self, client, owner, monkeypatch, settings
    ):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@elsewhere.example@northport"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)

        answer = client.post(at("endpoint_new"), {**SENT, "variable": "EVALSITE_KEY_HOUSE"})

        assert "only for https://elsewhere.example" in answer.context["form"].errors["variable"][0]

    def test_says_at_the_address_what_is_wrong_with_it(self, client, owner):
        answer = client.post(at("endpoint_new"), {**SENT, "url": "http://127.0.0.1/v1"})

        assert answer.status_code == 422
        assert "EVALSITE_ENDPOINT_NETWORKS" in answer.content.decode()


class TestScriptedEndpoint:
    def test_is_added_with_one_click_and_tested(self, client, owner):
        answer = client.post(at("endpoint_scripted"), follow=True)

        made = Endpoint.objects.get()
        assert made.is_scripted
        assert "Demo: made by a script." in answer.content.decode()
        assert made.tests.count() == 1

    def test_has_no_page_for_a_key(self, client, owner):
        made = endpoint_rows.scripted(owner)

        answer = client.post(at("endpoint_key", made.pk), {"key": CANARY})

        assert answer.status_code == 422
        assert at("endpoint_key", made.pk) not in page(client, "endpoint", made.pk)


class TestAnEndpointWithAVariableThatIsNotListed:
    """As it was made before the operator said which project the variable is for."""

    @pytest.fixture
    def made(self, owner, monkeypatch):
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)
        made = endpoint_rows.endpoint(in_=owner)
        Endpoint.objects.update(key_env="EVALSITE_KEY_HOUSE")
        return made

    def test_says_so_in_the_list_and_on_its_page(self, client, made):
        entry = "EVALSITE_KEY_HOUSE@models.example@northport"

        assert entry in page(client, "endpoints")
        assert entry in page(client, "endpoint", made.pk)

    def test_is_not_tested(self, client, made):
        answer = client.post(at("endpoint_try", made.pk), follow=True)

        assert "does not allow the variable EVALSITE_KEY_HOUSE" in answer.content.decode()
        assert not made.tests.exists()

    def test_is_not_asked_by_a_worker_that_was_rung_for_before(self, client, made):
        test = made.tests.create(asked_at=make.NOW)

        endpoint_tests.carry_out(test_id=test.pk, clock=lambda: make.at(1))

        test.refresh_from_db()
        assert (test.state, test.trouble, test.n_asked) == ("FAILED", "KEY", 0)


class TestAnEndpoint:
    def test_is_tested_by_a_worker_while_its_page_looks_on(
        self, client, curator, django_capture_on_commit_callbacks
    ):
        made = endpoint_rows.scripted(curator)
        made.tests.all().delete()
        with django_capture_on_commit_callbacks(execute=True):
            client.post(at("endpoint_try", made.pk))

        waiting = client.get(at("endpoint", made.pk), headers={"HX-Request": "true"})
        assert "step 0 of 12" in waiting.content.decode()
        assert "<html" not in waiting.content.decode()

        assert queue.burst("runs") == 1
        over = client.get(at("endpoint", made.pk), headers={"HX-Request": "true"})
        assert over.headers["HX-Refresh"] == "true"
        shown = page(client, "endpoint", made.pk)
        assert "Replies follow a JSON schema" in shown
        assert "Seen in a reply." in shown
        assert "hx-get" not in shown

    def test_says_what_to_do_about_a_test_that_failed(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner)
        made.tests.create(
            asked_at=make.NOW, state="FAILED", trouble="KEY", problem="The key was not accepted."
        )

        shown = page(client, "endpoint", made.pk)

        assert "The key was not accepted." in shown
        assert "sets another key" in shown

    def test_says_when_it_was_found_what_the_test_that_failed_did_not_find(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner)
        Endpoint.objects.filter(pk=made.pk).update(tested_at=make.NOW)
        assert "Tested" in page(client, "endpoint", made.pk)
        made.tests.create(asked_at=make.at(9), state="FAILED", trouble="EMPTY", problem="Nothing.")

        shown = page(client, "endpoint", made.pk)

        assert "Found on" in shown
        assert "Tested" not in shown

    def test_leads_to_the_number_that_took_its_place(self, client, owner):
        old = endpoint_rows.endpoint(in_=owner)
        old.retired_at = make.NOW
        old.save(update_fields=["retired_at"])
        endpoint_rows.endpoint(in_=owner)

        assert "Go to number 2" in page(client, "endpoint", old.pk)

    def test_takes_a_key_after_its_time_while_a_run_waits_for_it(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner)
        run = run_rows.run(in_=owner, state="PAUSED")
        run_rows.call(run_rows.step(run), endpoint=made)
        client.post(at("endpoint_retire", made.pk))

        assert at("endpoint_key", made.pk) in page(client, "endpoint", made.pk)
        run.state = "DONE"
        run.save(update_fields=["state"])
        assert at("endpoint_key", made.pk) not in page(client, "endpoint", made.pk)

    def test_is_only_looked_at_by_an_analyst(self, client):
        made = endpoint_rows.endpoint()
        client.force_login(make.member(Role.ANALYST))

        shown = page(client, "endpoint", made.pk)

        assert "Test connection" not in shown
        assert "Retire" not in shown
        assert client.post(at("endpoint_try", made.pk)).status_code == 403


class TestEdit:
    def test_saves_and_says_so(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner)

        client.post(at("endpoint_edit", made.pk), {**SENT, "prompt_price": "0.25"}, follow=True)

        made.refresh_from_db()
        assert str(made.prompt_price) == "0.250000"
        assert 'value="0.25"' in page(client, "endpoint_edit", made.pk)

    def test_says_that_the_key_stayed_behind(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner, key=CANARY)

        answer = client.post(
            at("endpoint_edit", made.pk), {**SENT, "url": "https://other.example/v1"}, follow=True
        )

        assert "set the key anew" in answer.content.decode()

    def test_says_at_the_address_that_the_key_in_a_variable_is_not_for_it(
        self, client, owner, monkeypatch, settings
    ):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)
        made = endpoint_rows.endpoint(in_=owner)
        Endpoint.objects.update(key_env="EVALSITE_KEY_HOUSE")

        answer = client.post(
            at("endpoint_edit", made.pk), {**SENT, "url": "https://other.example/v1"}
        )

        assert "only for https://models.example" in answer.context["form"].errors["url"][0]

    def test_refuses_one_that_is_retired(self, client, owner):
        made = endpoint_rows.endpoint(in_=owner)
        client.post(at("endpoint_retire", made.pk))

        assert client.post(at("endpoint_edit", made.pk), SENT).status_code == 422
        assert client.post(at("endpoint_retire", made.pk), follow=True).status_code == 200


class TestTheKey:
    def test_is_on_no_page_and_in_no_answer(self, client, owner, monkeypatch, caplog):
        caplog.set_level("DEBUG")
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)
        made = endpoint_rows.endpoint(in_=owner, key=CANARY)
        endpoint_rows.endpoint("By variable", in_=owner)
        bad = f"{CANARY} with a space"
        answers = [
            client.get(at("endpoints")),
            client.get(at("endpoint", made.pk)),
            client.get(at("endpoint_edit", made.pk)),
            client.get(at("endpoint_key", made.pk)),
            client.get(at("endpoint_new")),
            client.post(at("endpoint_key", made.pk), {"key": bad}),
            client.post(at("endpoint_key", made.pk), {"key": CANARY}, follow=True),
            client.post(at("endpoint_new"), {"key": CANARY}),
            client.post(at("endpoint_new"), {**SENT, "key": CANARY}),
            client.get(at("api_endpoints")),
            client.get(at("api_endpoint", made.pk)),
            client.get(at("audit")),
        ]

        for answer in answers:
            assert CANARY not in answer.content.decode()
            assert CANARY not in str(answer.headers)
            assert made.key_sealed not in answer.content.decode()
        assert CANARY not in caplog.text
        assert CANARY not in str(list(AuditEvent.objects.values_list("data", "note")))


class TestHowAServerIsAsked:
    def test_is_said_on_the_form_and_shown(self, client, owner):
        answer = client.post(
            at("endpoint_new"),
            {
                **SENT,
                "api": "responses",
                "leave_out": ["seed"],
                "own_headers": f"X-Team: {CANARY}",
                "query": "api-version=2024-10-21",
                "own_body": '{"service_tier": "flex"}',
            },
            follow=True,
        )

        made = Endpoint.objects.get()
        assert made.options == {
            "api": "responses",
            "leave_out": ["seed"],
            "query": {"api-version": "2024-10-21"},
            "body": {"service_tier": "flex"},
        }
        shown = answer.content.decode()
        for word in ("/responses", "api-version=2024-10-21", "X-Team", "service_tier"):
            assert word in shown
        assert CANARY not in shown

    def test_keeps_a_key_in_the_query_out_of_sight(self, client, owner):
        sent = {**SENT, "query": "key={key}", "key": CANARY}
        client.post(at("endpoint_new"), sent)
        made = Endpoint.objects.get()

        assert made.options["query"] == {"key": "{key}"}
        assert CANARY not in page(client, "endpoint", made.pk)

        Endpoint.objects.filter(pk=made.pk).update(options={"query": {"key": CANARY}})  # of before
        assert CANARY not in page(client, "endpoint", made.pk)

    def test_comes_back_on_the_form_and_stays_what_it_is(self, client, owner):
        made = endpoint_rows.endpoint(
            options={"query": {"a": "b"}, "body": {"c": 1}}, headers={"X-Team": CANARY}
        )

        shown = page(client, "endpoint_edit", made.pk)
        answer = client.post(
            at("endpoint_edit", made.pk),
            {**SENT, "query": "a=b", "own_body": '{"c": 1}', "own_headers": "X-Team: •••"},
        )

        again = Endpoint.objects.get(pk=made.pk)
        assert "X-Team: •••" in shown
        assert CANARY not in shown
        assert answer.status_code == 302
        assert (again.options, again.headers_sealed) == (made.options, made.headers_sealed)

    @pytest.mark.parametrize(
        ("field", "text", "said"),
        [
            ("own_headers", "no colon here", "is no header"),
            ("query", "no sign here", "is no part of a query"),
            ("query", "api_key=sk-1", "key, and write api_key={key} here."),
            ("own_body", "[1]", "Write a JSON object"),
            ("own_body", "{", "Write a JSON object"),
            ("own_body", '{"a": NaN}', "Write a JSON object"),
            ("own_body", '{"temperature": 1}', "set by runs"),
            ("certificates", "none", "is no certificate"),
        ],
    )
    def test_says_what_is_wrong(self, client, owner, field, text, said):
        answer = client.post(at("endpoint_new"), {**SENT, field: text})

        assert answer.status_code == 422
        assert said in answer.content.decode()

    def test_is_folded_until_something_is_said(self, client, owner):
        made = endpoint_rows.endpoint(options={"body": {"c": 1}})

        new = page(client, "endpoint_new")
        edited = page(client, "endpoint_edit", made.pk)

        assert '<details class="flow" open>' not in new
        assert "null</textarea>" not in new
        assert '<details class="flow" open>' in edited
