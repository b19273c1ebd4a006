import pytest

from scoring.endpoints import queries as endpoint_keys
from tests import make
from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY, URL

ENVIRON = {"EVALSITE_KEY_HOUSE": CANARY, "HOUSE": CANARY, "SECRET_KEY": "x", "EVALSITE_KEY_": ""}


def refuse(name: str, url: str = URL, project: str = "northport") -> None:
    endpoint_keys.refuse_variable(name, url, project, ENVIRON)


@pytest.fixture
def listed(settings):
    settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]


class TestVariables:
    def test_are_those_that_the_operator_lists_for_the_project(self, settings):
        settings.ENDPOINT_KEYS = [
            "HOUSE@models.example@northport",
            "EVALSITE_KEY_HOUSE@models.example@*",
            "NOT_SET@models.example@*",
        ]

        assert endpoint_keys.variables("northport", ENVIRON) == ["EVALSITE_KEY_HOUSE", "HOUSE"]
        assert endpoint_keys.variables("another", ENVIRON) == ["EVALSITE_KEY_HOUSE"]

    def test_are_none_where_the_operator_lists_none(self):
        assert endpoint_keys.variables("northport", ENVIRON) == []


class TestRefuseVariable:
    def test_lets_one_pass_that_is_listed_for_address_and_project(self, listed):
        refuse("EVALSITE_KEY_HOUSE")

    @pytest.mark.parametrize(
        "entry",
        [
            "EVALSITE_KEY_HOUSE",
            "EVALSITE_KEY_HOUSE@models.example",
            "EVALSITE_KEY_HOUSE@models.example@southport",
            "HOUSE@models.example@northport",
        ],
    )
    def test_refuses_one_that_is_not_listed_and_says_what_to_add(self, settings, entry):
        settings.ENDPOINT_KEYS = [entry]

        said = "EVALSITE_KEY_HOUSE@models.example@northport to EVALSITE_ENDPOINT_KEYS"
        with pytest.raises(endpoint_keys.KeyNotThere, match=said):
            refuse("EVALSITE_KEY_HOUSE")

    @pytest.mark.parametrize("name", ["SECRET_KEY", "PATH", "evalsite_key_x", ""])
    def test_refuses_any_other(self, listed, name):
        with pytest.raises(endpoint_keys.KeyNotThere, match="EVALSITE_ENDPOINT_KEYS"):
            refuse(name)

    def test_refuses_one_that_is_not_set(self, settings):
        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_OTHER@models.example@*"]

        with pytest.raises(endpoint_keys.KeyNotThere, match="is not set"):
            refuse("EVALSITE_KEY_OTHER")

    def test_refuses_every_address_but_those_listed(self, listed):
        with pytest.raises(endpoint_keys.KeyNotThere, match=r"only for https://models\.example"):
            refuse("EVALSITE_KEY_HOUSE", "https://elsewhere.example/v1")

    @pytest.mark.parametrize(
        ("url", "address"),
        [
            ("http://models.example/v1", "http://models.example"),
            ("https://models.example:8443/v1", "models.example:8443"),
        ],
    )
    def test_lets_a_host_alone_be_asked_by_https_only_and_says_what_else_needs(
        self, settings, listed, url, address
    ):
        needed = f"EVALSITE_KEY_HOUSE@{address}@northport"
        with pytest.raises(endpoint_keys.KeyNotThere, match=f"needs {needed}"):
            refuse("EVALSITE_KEY_HOUSE", url)

        settings.ENDPOINT_KEYS = [needed]
        refuse("EVALSITE_KEY_HOUSE", url)


@pytest.mark.django_db
class TestTrouble:
    def test_is_that_of_an_endpoint_whose_variable_is_not_listed(self, settings):
        made = endpoint_rows.endpoint()
        assert endpoint_keys.trouble(made, ENVIRON) == ""

        made.key_env = "EVALSITE_KEY_HOUSE"
        assert "EVALSITE_ENDPOINT_KEYS" in endpoint_keys.trouble(made, ENVIRON)

        settings.ENDPOINT_KEYS = ["EVALSITE_KEY_HOUSE@models.example@northport"]
        assert endpoint_keys.trouble(made, ENVIRON) == ""


@pytest.mark.django_db
class TestOf:
    def test_opens_a_sealed_key(self):
        assert endpoint_keys.key_of(endpoint_rows.endpoint(key=CANARY), ENVIRON) == CANARY

    def test_reads_a_variable(self, listed):
        made = endpoint_rows.endpoint()
        made.key_env = "EVALSITE_KEY_HOUSE"

        assert endpoint_keys.key_of(made, ENVIRON) == CANARY

    def test_gives_a_variable_to_no_project_that_it_is_not_listed_for(self, listed):
        made = endpoint_rows.endpoint(in_=make.project("southport"))
        made.key_env = "EVALSITE_KEY_HOUSE"

        with pytest.raises(endpoint_keys.KeyNotThere):
            endpoint_keys.key_of(made, ENVIRON)

    def test_shows_nothing_of_a_variable_that_holds_no_key(self, listed):
        made = endpoint_rows.endpoint()
        made.key_env = "EVALSITE_KEY_HOUSE"

        with pytest.raises(endpoint_keys.KeyNotThere) as refused:
            endpoint_keys.key_of(made, {"EVALSITE_KEY_HOUSE": "two words"})

        assert "two words" not in refused.value.message

    def test_is_empty_where_none_is_set(self):
        assert endpoint_keys.key_of(endpoint_rows.endpoint(), ENVIRON) == ""
