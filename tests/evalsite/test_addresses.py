import pytest

from evalsite.web import addresses


class TestOf:
    def test_is_what_the_proxy_saw_where_there_is_one(self, rf, settings):
        asked = rf.get("/", headers={"X-Forwarded-For": "203.0.113.9, 198.51.100.4"})

        assert addresses.address_of(asked) == "127.0.0.1"
        settings.PRODUCTION = True
        assert addresses.address_of(asked) == "198.51.100.4"


class TestLineOf:
    @pytest.mark.parametrize(
        ("address", "line"),
        [
            ("192.0.2.1", "192.0.2.1"),
            ("192.0.2.1:50123", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("::ffff:c000:201", "192.0.2.1"),
            ("[::ffff:192.0.2.1]:50123", "192.0.2.1"),
            ("64:ff9b::192.0.2.1", "192.0.2.1"),
            ("2002:c000:0201::7", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:DB8:1:2::1", "2001:db8:1:2::/64"),
            ("[2001:db8:1:2::1]", "2001:db8:1:2::/64"),
            ("fe80::1%eth0", "fe80::/64"),
            ("", ""),
            ("unix:", "unix:"),
        ],
    )
    def test_is_what_one_visitor_can_change_at_will(self, address, line):
        assert addresses.line_of(address) == line

    def test_may_be_wider(self):
        assert addresses.line_of("2001:db8:1:2::1", bits=48) == "2001:db8:1::/48"
        assert addresses.line_of("192.0.2.1", bits=48) == "192.0.2.1"
