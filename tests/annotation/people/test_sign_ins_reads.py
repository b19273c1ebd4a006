import pytest

from annotation.people import queries as sign_ins


class TestNameOf:
    @pytest.mark.parametrize(
        ("agent", "name"),
        [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) Chrome/120.0 Safari/537.36 Edg/120.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) Version/17.0 Safari/605.1",
                "Safari on macOS",
            ),
            (
                "Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            ("Firefox", "Firefox"),
            ("", "An unnamed device"),
        ],
    )
    def test_calls_a_browser_and_its_system_as_people_do(self, agent, name):
        assert sign_ins.name_of(agent) == name
