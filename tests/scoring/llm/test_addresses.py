from ipaddress import ip_address

import pytest

from evalsite.outside import addresses

#: Ways to write this machine's own address, or to have another write it.
LOOPBACK = (
    "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.0.0.1",
    "0x7f.1", "0177.0.0.1", "0177.1", "017700000001", "127.0.0.0x1", "127.00.000.01", "0", "00.0.0.0",
    "0.0.0.0",  # noqa: S104
    "localhost", "LOCALHOST", "localhost.", "foo.localhost", "localhost.localdomain", "ip6-localhost",
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[fe80::1%25lo]", "[::1%25lo]", "１２７.0.0.1", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "127%2e0.0.1",
    "ⓛocalhost", "127.0.0.1%00.example.org", "127.0.0.1\\@example.org", "example.org@127.0.0.1", "[::1]x", "",
)  # fmt: skip
CLOSED = (
    "10.0.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16",
    "192.0.0.192", "198.18.0.1", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "100::1", "2001::1", "2001:db8::1", "2002::1",
    "3fff::1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "::8.8.8.8", "4000::1",
)  # fmt: skip


class TestCheck:
    @pytest.mark.parametrize("host", LOOPBACK)
    def test_refuses_every_spelling_of_loopback(self, host):
        with pytest.raises(addresses.AddressNotAllowed):
            addresses.check(f"http://{host}:8000/v1")

    def test_knows_more_than_26_of_them(self):
        assert len(set(LOOPBACK)) > 26

    @pytest.mark.parametrize("ip", CLOSED)
    def test_refuses_addresses_that_are_not_public(self, ip):
        host = f"[{ip}]" if ":" in ip else ip

        with pytest.raises(addresses.AddressNotAllowed, match="EVALSITE_ENDPOINT_NETWORKS"):
            addresses.check(f"https://{host}/v1")

    @pytest.mark.parametrize(
        "url",
        [
            "https://models.example.org/v1",
            "https://xn--bcher-kva.example:8443/api/v1",
            "http://8.8.8.8/v1",
            "http://[2606:4700::1111]:80/v1",
            "https://my_server.example.org/v1",
        ],
    )
    def test_lets_public_addresses_and_names_pass(self, url):
        assert addresses.check(url).scheme in {"http", "https"}

    @pytest.mark.parametrize(
        ("url", "networks"),
        [
            ("http://127.0.0.1:8000/v1", ("127.0.0.0/8",)),
            ("http://localhost:8000/v1", ("127.0.0.0/8", "::1/128")),
            ("http://[::ffff:127.0.0.1]/v1", ("127.0.0.0/8",)),
            ("http://[::1]/v1", ("::1/128",)),
            ("http://10.1.2.3/v1", ("10.0.0.0/8", "192.168.0.0/16")),
        ],
    )
    def test_lets_pass_what_the_operator_allows(self, url, networks):
        assert addresses.check(url, networks).port > 0

    @pytest.mark.parametrize("host", ["0.0.0.1", "10.0.0.1", "[::1]", "[64:ff9b::7f00:1]", "127.1"])
    def test_allows_one_network_and_no_other(self, host):
        with pytest.raises(addresses.AddressNotAllowed):
            addresses.check(f"http://{host}/v1", ("127.0.0.0/8",))

    @pytest.mark.parametrize(
        "url",
        [
            "ftp://example.org", "file:///etc/passwd", "gopher://example.org", "//example.org", "example.org/v1",
            "http://user@example.org", "http://user:" + "word@example.org", "https://example.org/v1#x",
            "https://example.org/v1#", "https://example.org/v1?x=1", "http://example.org:0", "http://example.org:99999",
            "http://example.org:", "http://example.org:x", "http://exa mple.org", "http://exam\nple.org",
            "http://example.org\t", " http://example.org", "http://[::1", "http://a..b", "http://-a.org", "http://",
            "http://" + "a" * 600, "http://" + "a" * 64 + ".org",
        ],
    )  # fmt: skip
    def test_refuses_what_is_no_plain_url_of_a_server(self, url):
        with pytest.raises(addresses.AddressNotAllowed):
            addresses.check(url)


class TestParse:
    def test_returns_where_a_connection_goes(self):
        found = addresses.parse("https://Models.Example.org./v1")

        assert (found.host, found.port, found.path) == ("models.example.org", 443, "/v1")


class TestCheckIp:
    @pytest.mark.parametrize("ip", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
    def test_lets_public_addresses_pass(self, ip):
        addresses.check_ip(ip_address(ip), ())


class TestNetworksOf:
    @pytest.mark.parametrize("word", ["10.0.0.0/99", "10.0.0.1/8", "here"])
    def test_refuses_what_is_no_network(self, word):
        with pytest.raises(ValueError, match="EVALSITE_ENDPOINT_NETWORKS"):
            addresses.networks_of((word,))
