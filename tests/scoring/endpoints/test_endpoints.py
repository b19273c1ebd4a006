from dataclasses import replace
from decimal import Decimal

import pytest

from annotation import models
from annotation.people.models import AuditEvent
from evalsite import errors
from evalsite.db import secrets
from scoring.endpoints import operations as endpoints
from scoring.endpoints import queries as reads
from scoring.endpoints import testing as endpoint_tests
from scoring.endpoints.models import Endpoint, EndpointTest, Judge
from scoring.endpoints.operations import EndpointAbout
from tests import make
from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY

pytestmark = pytest.mark.django_db


def by(of: Endpoint) -> models.User:
    return endpoint_rows.owner_of(of.project)


def edit(of: Endpoint, **changes) -> Endpoint:
    about = replace(EndpointAbout.of(of), **changes)
    return endpoints.edit(endpoint=of, about=about, by=by(of), now=make.at(1))


def set_key(of: Endpoint, **given) -> Endpoint:
    return endpoints.set_key(endpoint=of, by=by(of), now=make.at(1), **given)


def judged_by(of: Endpoint) -> Judge:
    """Let a judge rest on an endpoint, so that it is used."""
    rater = models.Rater.objects.create(
        project=of.project, kind=models.RaterKind.JUDGE, ref="j", created_at=make.NOW
    )
    return Judge.objects.create(
        project=of.project,
        rater=rater,
        name="j",
        protocol="direct/v1",
        endpoint=of,
        config_sha="x",
        created_at=make.NOW,
    )


def found_of(of: Endpoint, **values) -> Endpoint:
    """Store findings as a test that is over would; None: could not be found out."""
    found = {name: {"value": value, "how": "seen"} for name, value in values.items()}
    test = EndpointTest.objects.create(
        endpoint=of, found=found, asked_by=by(of), asked_at=make.NOW, state="DONE"
    )
    return endpoints.store_findings(test=test, now=make.at(2))


class TestCreate:
    def test_keeps_the_base_of_an_address(self):
        made = endpoint_rows.endpoint(url="https://models.example/v1/chat/completions")

        assert made.url == "https://models.example/v1"
        assert (made.number, made.kind) == (1, "SERVER")

    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("models.example", "begins with https://"),
            ("https://ada@models.example/v1", "set a key instead"),
            ("https://models.example/v1?a=1", "base address alone"),
            ("http://127.0.0.1:8000/v1", "EVALSITE_ENDPOINT_NETWORKS"),
            ("http://localhost:8000/v1", "EVALSITE_ENDPOINT_NETWORKS"),
            ("http://2130706433/v1", "four decimal numbers"),
        ],
    )
    def test_refuses_an_address_and_says_how_to_mend_it(self, url, said):
        with pytest.raises(endpoints.EndpointAddressRefused, match=said) as refused:
            endpoint_rows.endpoint(url=url)

        assert refused.value.fields.keys() == {"url"}
        assert not Endpoint.objects.exists()

    def test_takes_a_private_address_where_the_operator_allows_it(self, settings):
        settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]

        assert endpoint_rows.endpoint(url="http://127.0.0.1:8000/v1").url

    def test_takes_it_in_the_projects_alone_that_the_operator_names(self, settings):
        settings.ENDPOINT_NETWORKS = ["127.0.0.0/8@southport"]
        url = "http://127.0.0.1:8000/v1"

        made = endpoint_rows.endpoint(url=url, in_=make.project("southport"))

        assert reads.config_of(made).networks == ("127.0.0.0/8",)
        with pytest.raises(endpoints.EndpointAddressRefused):
            endpoint_rows.endpoint(url=url)

    def test_refuses_a_name_that_is_in_use(self):
        endpoint_rows.endpoint("House")

        with pytest.raises(errors.NameTaken):
            endpoint_rows.endpoint("House")

    def test_goes_on_counting_after_one_that_was_retired(self):
        first = endpoint_rows.endpoint("House")
        endpoints.retire(endpoint=first, by=by(first), now=make.at(1))

        assert endpoint_rows.endpoint("House").number == 2

    def test_seals_the_key_that_comes_with_it(self):
        made = endpoint_rows.endpoint(key=CANARY)

        assert secrets.unseal(made.key_sealed) == CANARY
        assert CANARY not in made.key_sealed

    def test_adds_nothing_when_the_key_is_refused(self):
        with pytest.raises(errors.Invalid):
            endpoint_rows.endpoint(key="two words")

        assert not Endpoint.objects.exists()


class TestCreateScripted:
    def test_finds_a_free_name(self):
        names = [endpoint_rows.scripted().name for _ in range(3)]

        assert names == ["Scripted", "Scripted 2", "Scripted 3"]

    def test_costs_nothing_and_has_no_address(self):
        made = endpoint_rows.scripted()

        assert (made.prompt_price, made.url) == (Decimal(0), "")

    def test_refuses_a_script_that_cannot_be_played(self):
        with pytest.raises(endpoints.ScriptRefused):
            endpoint_rows.scripted(nonsense=1)


class TestEdit:
    def test_changes_one_that_was_never_used_in_place(self):
        old = found_of(endpoint_rows.endpoint(), json_schema=True)

        made = edit(old, model_name="house-large")

        assert (made.pk, made.number, made.model_name) == (old.pk, 1, "house-large")
        assert made.found == {}
        assert made.tested_at is None

    def test_ends_a_test_of_what_it_was(self):
        old = endpoint_rows.endpoint()
        test = EndpointTest.objects.create(endpoint=old, asked_at=make.NOW)

        edit(old, max_in_flight=2)
        test.refresh_from_db()
        assert test.state == "MOVING"

        edit(old, model_name="house-large")
        test.refresh_from_db()
        assert (test.state, test.ended_at) == ("FAILED", make.at(1))

    def test_gives_one_that_was_used_the_next_number(self):
        old = found_of(endpoint_rows.endpoint(key=CANARY), json_schema=True)
        judge = judged_by(old)

        made = edit(old, model_name="house-large")

        old.refresh_from_db()
        assert (made.number, made.name, made.found) == (2, old.name, {})
        assert (old.model_name, old.retired_at) == ("house-small", make.at(1))
        assert secrets.unseal(made.key_sealed) == CANARY
        assert judge.endpoint == old

    def test_leaves_its_key_to_the_old_number_for_runs_that_go_on(self):
        old = endpoint_rows.endpoint(key=CANARY)
        judged_by(old)

        edit(old, url="https://elsewhere.example/v1")

        old.refresh_from_db()
        assert reads.config_of(old).key == CANARY
        assert set_key(old, key="rotated").retired_at is not None

    def test_changes_prices_and_limits_of_one_that_was_used_in_place(self):
        old = found_of(endpoint_rows.endpoint(), json_schema=True)
        judged_by(old)

        made = edit(old, prompt_price=Decimal("0.25"), max_in_flight=2, name="Renamed")

        assert (made.pk, made.number) == (old.pk, 1)
        assert made.found["json_schema"]["value"] is True

    def test_takes_no_key_to_another_host(self):
        made = edit(endpoint_rows.endpoint(key=CANARY), url="https://elsewhere.example/v1")

        assert made.key_sealed == ""

    def test_takes_no_key_to_another_host_under_a_new_number(self):
        old = endpoint_rows.endpoint(key=CANARY)
        judged_by(old)

        assert edit(old, url="https://elsewhere.example/v1").key_sealed == ""

    def test_refuses_an_address_that_the_variable_is_not_for(self, monkeypatch, settings):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@*"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)
        old = set_key(endpoint_rows.endpoint(), variable="EVALSITE_KEY_HOUSE")

        with pytest.raises(reads.KeyNotThere):
            edit(old, url="https://elsewhere.example/v1")

        assert edit(old, url="https://models.example/v2").key_env == "EVALSITE_KEY_HOUSE"

    def test_keeps_the_key_for_another_path_of_its_host(self):
        assert edit(endpoint_rows.endpoint(key=CANARY), url="https://models.example/v2").key_sealed

    def test_writes_down_what_changed_and_no_key(self):
        old = endpoint_rows.endpoint(key=CANARY)

        edit(old, model_name="house-large", prompt_price=Decimal("0.25"))

        event = AuditEvent.objects.get(verb="endpoint.changed")
        assert event.data["changed"] == {
            "model_name": ["house-small", "house-large"],
            "prompt_price": [None, "0.25"],
        }

    def test_writes_nothing_where_nothing_changed(self):
        edit(endpoint_rows.endpoint())

        assert not AuditEvent.objects.filter(verb="endpoint.changed").exists()

    def test_refuses_the_name_of_another(self):
        endpoint_rows.endpoint("Other")

        with pytest.raises(errors.NameTaken):
            edit(endpoint_rows.endpoint("House"), name="Other")

    def test_counts_on_from_one_that_had_the_name_before(self):
        first = endpoint_rows.endpoint("Other")
        endpoints.retire(endpoint=first, by=by(first), now=make.at(1))

        assert edit(endpoint_rows.endpoint("House"), name="Other").number == 2

    def test_refuses_one_that_is_retired(self):
        old = endpoint_rows.endpoint()
        endpoints.retire(endpoint=old, by=by(old), now=make.at(1))

        with pytest.raises(endpoints.Retired):
            edit(old, name="Renamed")

    def test_leaves_a_scripted_one_without_an_address(self):
        made = edit(endpoint_rows.scripted(), name="Rehearsal", url="https://models.example")

        assert (made.name, made.url) == ("Rehearsal", "")


class TestRetire:
    def test_forgets_the_key(self):
        old = endpoint_rows.endpoint(key=CANARY)

        endpoints.retire(endpoint=old, by=by(old), now=make.at(1))

        old.refresh_from_db()
        assert (old.retired_at, old.key_sealed) == (make.at(1), "")

    def test_refuses_a_second_time(self):
        old = endpoint_rows.endpoint()
        endpoints.retire(endpoint=old, by=by(old), now=make.at(1))

        with pytest.raises(endpoints.Retired):
            endpoints.retire(endpoint=old, by=by(old), now=make.at(2))


class TestSetKey:
    def test_replaces_what_was_set(self, monkeypatch, settings):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", "from-outside")
        made = set_key(endpoint_rows.endpoint(key=CANARY), variable="EVALSITE_KEY_HOUSE")

        assert (made.key_sealed, made.key_env) == ("", "EVALSITE_KEY_HOUSE")
        assert set_key(made, key="new").key_env == ""
        assert set_key(made).key_sealed == ""

    def test_drops_spaces_around_a_key(self):
        made = set_key(endpoint_rows.endpoint(), key=f" {CANARY}\n")

        assert secrets.unseal(made.key_sealed) == CANARY

    @pytest.mark.parametrize("key", ["two words", "line\nbreak", "clé", "tab\tkey"])
    def test_refuses_what_cannot_be_sent_and_does_not_repeat_it(self, key):
        with pytest.raises(errors.Invalid) as refused:
            set_key(endpoint_rows.endpoint(), key=key)

        assert key not in refused.value.message

    @pytest.mark.parametrize("variable", ["SECRET_KEY", "EVALSITE_KEY_HOUSE"])
    def test_refuses_a_variable_that_nobody_allowed(self, variable, monkeypatch):
        monkeypatch.setenv("EVALSITE_KEY_HOUSE", CANARY)

        with pytest.raises(reads.KeyNotThere):
            set_key(endpoint_rows.endpoint(), variable=variable)

    def test_refuses_a_scripted_endpoint(self):
        with pytest.raises(endpoints.Scripted):
            set_key(endpoint_rows.scripted(), key=CANARY)

    def test_writes_down_that_it_was_set_and_not_what(self):
        set_key(endpoint_rows.endpoint(), key=CANARY)

        event = AuditEvent.objects.get(verb="endpoint.key_set")
        assert event.data["kept"] == "sealed"
        assert "canary" not in str(event.data)


class TestStoreFindings:
    def test_keeps_what_was_found_and_when(self):
        made = found_of(endpoint_rows.endpoint(), json_schema=True, logprobs=None)

        assert made.found["json_schema"]["value"] is True
        assert made.found["logprobs"]["value"] is None
        assert made.tested_at == make.at(2)

    def test_lets_stand_what_could_not_be_found_out_again(self):
        old = found_of(endpoint_rows.endpoint(), json_schema=True)

        assert found_of(old, json_schema=None).found["json_schema"]["value"] is True

    def test_gives_one_that_was_used_a_new_number_when_it_is_to_be_asked_in_another_way(self):
        old = found_of(endpoint_rows.endpoint(key=CANARY), json_schema=True)
        judged_by(old)

        made = found_of(old, json_schema=False)

        old.refresh_from_db()
        assert (old.number, old.found["json_schema"]["value"]) == (1, True)
        assert (made.number, made.found["json_schema"]["value"]) == (2, False)
        assert old.retired_at is not None
        assert reads.config_of(made).key == CANARY

    def test_leaves_the_number_of_a_script_whose_words_no_finding_changes(self):
        old = endpoint_rows.scripted()
        judged_by(old)

        assert found_of(old, json_schema=True).pk == old.pk

    def test_leaves_the_number_where_only_its_speed_changed(self):
        old = found_of(endpoint_rows.endpoint(), json_schema=True, latency=1.0)
        judged_by(old)

        assert found_of(old, json_schema=True, latency=9.0).pk == old.pk


class TestHowAServerIsAsked:
    def test_keeps_only_what_is_not_as_usual(self):
        made = endpoint_rows.endpoint(options={"api": "chat", "effort": "low", "query": {}})

        assert made.options == {"effort": "low"}

    def test_is_no_part_of_an_application_or_a_script(self):
        made = endpoint_rows.scripted()

        assert (made.options, made.header_names) == ({}, [])

    @pytest.mark.parametrize("name", ["temperature", "messages", "max_tokens", "stream"])
    def test_says_nothing_of_what_runs_decide(self, name):
        with pytest.raises(endpoints.RequestRefused) as refused:
            endpoint_rows.endpoint(options={"body": {name: 1}})

        assert name in refused.value.fields["body"][0]

    def test_makes_another_number_once_it_was_used(self):
        old = endpoint_rows.endpoint()
        judged_by(old)

        made = edit(old, options={"effort": "high"})

        assert (made.number, made.options) == (2, {"effort": "high"})

    def test_goes_to_whoever_asks(self):
        made = endpoint_rows.endpoint(
            options={"api": "responses"}, headers={"api-key": "{key}"}, key=CANARY
        )

        asked = reads.config_of(made)
        assert (asked.api, asked.headers, asked.key) == ("responses", {"api-key": "{key}"}, CANARY)

    def test_refuses_a_text_that_is_no_certificate(self):
        with pytest.raises(endpoints.RequestRefused) as refused:
            endpoint_rows.endpoint(certificates="-----BEGIN NOTHING-----")

        assert "certificates" in refused.value.fields


class TestHeaders:
    def test_are_sealed_and_shown_by_name_alone(self):
        made = endpoint_rows.endpoint(headers={"X-Team": CANARY})

        assert made.headers == {"X-Team": "•••"}
        assert CANARY not in made.headers_sealed
        assert reads.headers_of(made) == {"X-Team": CANARY}
        assert CANARY not in str(list(AuditEvent.objects.values_list("data", flat=True)))

    def test_stay_where_their_place_is_sent_back(self):
        made = endpoint_rows.endpoint(headers={"X-Team": CANARY, "X-Old": "1"})

        made = edit(made, headers={"X-Team": "•••", "X-New": "2"})

        assert reads.headers_of(made) == {"X-Team": CANARY, "X-New": "2"}
        changed = AuditEvent.objects.filter(verb="endpoint.changed").get().data["changed"]
        assert changed == {"headers": [["X-Old", "X-Team"], ["X-New", "X-Team"]]}

    def test_do_not_go_along_to_another_host(self):
        made = endpoint_rows.endpoint(headers={"X-Team": CANARY})

        made = edit(made, url="https://elsewhere.example/v1")

        assert (made.header_names, made.headers_sealed) == ([], "")

    def test_are_forgotten_by_an_endpoint_that_retires(self):
        made = endpoint_rows.endpoint(headers={"X-Team": CANARY})

        endpoints.retire(endpoint=made, by=by(made), now=make.at(1))

        made.refresh_from_db()
        assert made.headers_sealed == ""

    @pytest.mark.parametrize("given", [{"Host": "x"}, {"X Y": "1"}, {"X": "a\nb"}, {"X": "{no}"}])
    def test_that_cannot_be_sent_are_refused(self, given):
        with pytest.raises(endpoints.RequestRefused) as refused:
            endpoint_rows.endpoint(headers=given)

        assert "headers" in refused.value.fields

    def test_are_sealed_anew_with_the_keys(self, settings):
        made = endpoint_rows.endpoint(headers={"X-Team": CANARY}, key=CANARY)
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another-secret-key-of-some-length"

        told = endpoint_tests.reseal_keys()

        made.refresh_from_db()
        assert (told.n_sealed, told.broken) == (2, ())
        assert reads.headers_of(made) == {"X-Team": CANARY}


class TestFindings:
    def test_keep_the_number_where_a_test_only_confirms_how_requests_are_written(self):
        old = endpoint_rows.endpoint()
        judged_by(old)

        same = found_of(old, temperature=True, thinking=False)
        other = found_of(same, temperature=False, thinking=600)

        assert (same.number, other.number) == (1, 2)
