import pytest

from evalsite import allowances
from evalsite.allowances import KeyEntry


def leads(address: str, url: str) -> bool:
    return KeyEntry("HOUSE", address, "*").leads_to(url)


class TestKeyEntries:
    def test_are_those_that_name_an_address_and_a_project(self):
        whole = ["HOUSE@models.example@northport", "HOUSE@[::1]:8000@*"]
        broken = [
            "HOUSE",
            "HOUSE@models.example",
            "HOUSE@@northport",
            "HOUSE@*@*@*",
            "A@//:x@*",
            "@a@b",
        ]

        found = allowances.key_entries([*whole, *broken])

        assert [(one.address, one.project) for one in found] == [
            ("models.example", "northport"),
            ("[::1]:8000", "*"),
        ]
        assert allowances.incomplete([*whole, *broken]) == broken

    def test_are_for_one_project_or_for_all_where_that_is_said(self):
        assert KeyEntry("HOUSE", "a.example", "northport").is_for("northport")
        assert not KeyEntry("HOUSE", "a.example", "northport").is_for("northport-2")
        assert KeyEntry("HOUSE", "a.example", "*").is_for("southport")


class TestLeadsTo:
    @pytest.mark.parametrize(
        ("address", "url"),
        [
            ("models.example", "https://models.example/v1"),
            ("Models.Example", "https://models.example:443/v1"),
            ("models.example:8443", "https://models.example:8443"),
            ("models.example:443", "https://models.example/v1"),
            ("https://models.example", "https://models.example:443/v1"),
            ("http://[::1]:8000", "http://[::1]:8000/v1"),
            ("http://models.internal", "http://models.internal:80/v1"),
        ],
    )
    def test_the_address_that_it_names(self, address, url):
        assert leads(address, url)

    @pytest.mark.parametrize(
        ("address", "url"),
        [
            ("models.example", "https://models.example.evil.example/v1"),
            ("models.example", "https://evil.example/models.example"),
            ("models.example", "https://models.example@evil.example/v1"),
            ("models.example", "http://models.example/v1"),
            ("models.example", "https://models.example:8443/v1"),
            ("models.example", "http://models.example:443/v1"),
            ("models.example:8443", "https://models.example/v1"),
            ("models.example:8443", "http://models.example:8443/v1"),
            ("127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
            ("https://models.example", "http://models.example/v1"),
            ("https://models.example", "https://models.example:8443/v1"),
            ("*", "https://models.example/v1"),
            ("models.example", "https://models.example:port/v1"),
        ],
    )
    def test_no_other(self, address, url):
        assert not leads(address, url)


class TestEntry:
    @pytest.mark.parametrize(
        ("url", "address"),
        [
            ("https://models.example/v1", "models.example"),
            ("https://models.example:8443/v1", "models.example:8443"),
            ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000"),
            ("http://[::1]/v1", "http://[::1]"),
            ("", "models.example"),
        ],
    )
    def test_lets_a_key_go_to_an_address(self, url, address):
        written = allowances.entry("HOUSE", url, "northport")

        assert written == f"HOUSE@{address}@northport"
        [read] = allowances.key_entries([written])
        assert not url or read.leads_to(url)


class TestNetworksOf:
    def test_are_those_of_the_project_and_those_of_all(self):
        entries = ["10.0.0.0/8@northport", "127.0.0.0/8", "::1/128@*", "192.168.0.0/16@southport"]

        assert allowances.networks_of("northport", entries) == (
            "10.0.0.0/8",
            "127.0.0.0/8",
            "::1/128",
        )


class TestReserved:
    def test_are_the_projects_that_something_is_allowed_to(self, settings):
        settings.ENDPOINT_KEYS = ["HOUSE@models.example@northport", "HOUSE@models.example@*", "OLD"]
        settings.ENDPOINT_NETWORKS = ["10.0.0.0/8@southport", "127.0.0.0/8"]

        assert allowances.reserved() == {"northport", "southport"}
