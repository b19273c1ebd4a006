import pytest

from scoring.kinds.suites.protocol import catalogue
from scoring.kinds.suites.protocol import evaluating as linking
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.definition import Dependency, Entry, UnusableSuite

METRICS = catalogue.builtin()


def entry(name, *depends, level=Level.TURN, kind="function", **kwargs):
    return Entry(kind, name, level, kwargs, tuple(depends), 3)


def link(*entries):
    return linking.link(entries, METRICS)


class TestLink:
    def test_prefers_the_own_level(self):
        found = link(
            entry("latency", Dependency("string_length")),
            entry("string_length", level=Level.MESSAGE),
            entry("string_length"),
        )

        assert found[0].depends_on[0].target == 2

    def test_adds_what_is_not_there(self):
        found = link(
            entry("latency", Dependency("is_role", kwargs={"role": "user"}), level=Level.MESSAGE)
        )

        assert (found[1].key, found[1].level) == ("is_role(role='user')", Level.MESSAGE)

    @pytest.mark.parametrize(
        ("entries", "why"),
        [
            (
                [
                    entry("latency", Dependency("is_role")),
                    entry("is_role", role="user"),
                    entry("is_role", role="assistant"),
                ],
                "could be 2 metrics",
            ),
            ([entry("latency"), entry("latency")], "there twice"),
            (
                [
                    entry("latency", Dependency("is_role", level="Message")),
                    entry("is_role", level=Level.MESSAGE, role="user"),
                ],
                "there may be several",
            ),
            (
                [
                    entry("latency", Dependency("count_turns", level="Thread", relative=-1)),
                    entry("count_turns", level=Level.CONVERSATION),
                ],
                "of the same level",
            ),
            (
                [entry("latency", Dependency("kind")), entry("kind", kind="rubric")],
                "cannot wait for the rubric",
            ),
            ([entry("latency", Dependency("kind", type="rubric"))], "no rubric “kind”"),
            (
                [
                    entry("latency", Dependency("string_length")),
                    entry("string_length", Dependency("latency")),
                ],
                "wait for each other",
            ),
            ([entry("latency", Dependency("latency"))], "wait for each other"),
        ],
    )
    def test_refuses_what_cannot_be_resolved(self, entries, why):
        with pytest.raises(UnusableSuite, match=why):
            link(*entries)


class TestOrder:
    def test_puts_each_after_what_it_waits_for(self):
        found = link(
            entry("latency", Dependency("string_length")),
            entry("string_length", Dependency("count_messages")),
        )

        order = linking.order(found)

        assert order.index(2) < order.index(1) < order.index(0)
