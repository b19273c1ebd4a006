"""Nothing in the tree is of one machine, and nothing is secret."""

import re

import pytest

from tests.architecture import sources

TEXT = {
    ".py", ".html", ".js", ".css", ".md", ".toml", ".txt", ".lock", ".yml", ".yaml", ".json", ".jsonl", ".csv",
    ".sh", ".cfg", ".ini", "",
}  # fmt: skip
FORBIDDEN = {
    "a machine's path": re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+)/"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "an API key": re.compile(
        r"\b(?:sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,})"
    ),
    "an address with a password": re.compile(
        # Of `NAME@http://host:8000@project` the number is a port.
        r"\b(?:https?|postgres(?:ql)?|rediss?)://[^\s/:@'\"]+:(?!\d{2,5}@)[^\s/@'\"<{]+@"
    ),
}
ALLOWED = {
    "tests/evalsite/test_env.py": {"an address with a password"}
}  # an invented one, to be read


def looked_at():
    return [
        path
        for path in sources.tracked()
        if path.suffix in TEXT and path != sources.ROOT / "LICENSE"
    ]


class TestFiles:
    @pytest.mark.parametrize("kind", FORBIDDEN)
    def test_hold_none(self, kind):
        found = [
            f"{sources.name_of(path)}: {hit.group()}"
            for path in looked_at()
            if kind not in ALLOWED.get(sources.name_of(path), set())
            and path.name != "test_secrets.py"
            and (hit := FORBIDDEN[kind].search(path.read_text(errors="replace")))
        ]

        assert found == []


class TestLocks:
    @pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
    def test_pin_by_hash_and_name_no_place(self, name):
        lock = (sources.ROOT / name).read_text()
        pins = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]

        assert not re.search(
            r"://|@ |--(?:index-url|extra-index-url|find-links|trusted-host)|/\w+/", lock
        )
        assert pins
        assert all(re.match(r"[a-z0-9._-]+==[^ ]+ ", pin) for pin in pins)
        assert all(pin.endswith("\\") for pin in pins)

    def test_agree_with_each_other(self):
        def versions(name):
            return set(
                re.findall(
                    r"^([a-z0-9._-]+==[^ ]+)", (sources.ROOT / name).read_text(), re.MULTILINE
                )
            )

        assert versions("requirements.lock") <= versions("requirements-test.lock")
