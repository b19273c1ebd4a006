import pytest

from scoring.queries import endpoint_keys
from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY, URL

ENVIRON = {"EVALSITE_KEY_HOUSE": CANARY, "HOUSE": CANARY, "SECRET_KEY": "x", "EVALSITE_KEY_": ""}


class TestVariables:
    def test_are_those_with_the_prefix_and_those_the_operator_lists(self, settings):
        settings.ENDPOINT_KEYS = ["HOUSE@models.example", "NOT_SET"]

        assert endpoint_keys.variables(ENVIRON) == ["EVALSITE_KEY_HOUSE", "HOUSE"]


class TestRefuseVariable:
    def test_lets_a_variable_with_the_prefix_pass(self):
        endpoint_keys.refuse_variable("EVALSITE_KEY_HOUSE", URL, ENVIRON)

    @pytest.mark.parametrize("name", ["SECRET_KEY", "PATH", "evalsite_key_x", "EVALSITE_KEY", ""])
    def test_refuses_any_other(self, name):
        with pytest.raises(endpoint_keys.KeyNotThere, match="EVALSITE_ENDPOINT_KEYS"):
            endpoint_keys.refuse_variable(name, URL, ENVIRON)

    def test_refuses_one_that_is_not_set(self):
        with pytest.raises(endpoint_keys.KeyNotThere, match="is not set"):
            endpoint_keys.refuse_variable("EVALSITE_KEY_OTHER", URL, ENVIRON)

    def test_sends_one_that_is_bound_to_its_host_alone(self, settings):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example", "HOUSE@Models.example"]

        endpoint_keys.refuse_variable("EVALSITE_KEY_HOUSE", URL, ENVIRON)
        endpoint_keys.refuse_variable("HOUSE", URL, ENVIRON)
        for name in ("EVALSITE_KEY_HOUSE", "HOUSE"):
            with pytest.raises(endpoint_keys.KeyNotThere, match=r"only for models\.example"):
                endpoint_keys.refuse_variable(name, "https://elsewhere.example/v1", ENVIRON)


@pytest.mark.django_db
class TestOf:
    def test_opens_a_sealed_key(self):
        assert endpoint_keys.of(endpoint_rows.endpoint(key=CANARY), ENVIRON) == CANARY

    def test_reads_a_variable(self):
        made = endpoint_rows.endpoint()
        made.key_env = "EVALSITE_KEY_HOUSE"

        assert endpoint_keys.of(made, ENVIRON) == CANARY

    def test_shows_nothing_of_a_variable_that_holds_no_key(self):
        made = endpoint_rows.endpoint()
        made.key_env = "EVALSITE_KEY_HOUSE"

        with pytest.raises(endpoint_keys.KeyNotThere) as refused:
            endpoint_keys.of(made, {"EVALSITE_KEY_HOUSE": "two words"})

        assert "two words" not in refused.value.message

    def test_is_empty_where_none_is_set(self):
        assert endpoint_keys.of(endpoint_rows.endpoint(), ENVIRON) == ""
