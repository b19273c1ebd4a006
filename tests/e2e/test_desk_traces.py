"""Conversations and traces of agents on the grading page: read, unfolded and graded."""

import pytest

from tests.e2e import sweeps
from tests.e2e.rooms import await_next, keys, saved, token
from tests.scoring import traced

pytestmark = pytest.mark.e2e
N_CALLS = 7


def of(sort):
    """Return what makes an open round of parts of the hard traces."""
    return lambda *, in_, now, **_options: traced.opened(traced.judged(in_=in_), sort, now=now)


def unfold(page):
    """Open every folded part by keyboard; return how many there were."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    n = page.locator(":is(.so-far, .trace) details").count()
    opened = 0
    for _step in range(60):
        keys(page, "Tab")
        folded = page.evaluate(
            """() => {
              const one = document.activeElement;
              const is = one.matches(":is(.so-far, .trace) summary");
              return is && !one.parentElement.open;
            }"""
        )
        if folded:
            keys(page, "Enter")
            opened += 1
    assert opened == n
    return n


class TestToolCalls:
    def test_are_unfolded_and_graded_by_keyboard(self, room):
        here = room("desk-calls", build=of("tool_calls"))
        page = here.sit().page
        seen, n_folded = set(), 0

        for place in range(1, N_CALLS + 1):
            first = token(page)
            assert f"question {place} of {N_CALLS}" in page.inner_text("h1")
            assert page.inner_text(".graded") == "Grade this tool call"
            assert page.locator("[data-response] .tool-call").count() == 1
            seen.add(page.inner_text("[data-response] .tool-call .speaker code"))
            n_folded += unfold(page)
            assert page.evaluate(sweeps.TOO_WIDE) == []
            page.set_viewport_size({"width": 390, "height": 844})
            assert page.evaluate(sweeps.TOO_WIDE) == []
            page.set_viewport_size({"width": 1440, "height": 900})
            keys(page, "1")
            saved(page)
            keys(page, "Control+Enter")
            await_next(page, first)

        assert n_folded > 3
        assert len(seen) == N_CALLS
        assert "Kestrel" not in page.content()
        assert sum(here.grades().values()) == N_CALLS

    def test_have_no_fault_in_any_width_or_theme(self, room):
        page = room("desk-calls-axe", build=of("conversations")).sit().page
        page.evaluate(
            "document.querySelectorAll('.trace details').forEach((one) => one.open = true)"
        )

        found = {
            (narrow, dark): bad
            for narrow in (False, True)
            for dark in (False, True)
            if (bad := sweeps.faults(page, narrow=narrow, dark=dark))
        }
        assert found == {}

    def test_are_read_without_a_script(self, site, enter, room):
        here = room("desk-calls-plain", build=of("turns"))
        who = enter("ann-2", "correct horse battery", java_script_enabled=False)
        page = who.go(f"/p/{here.slug}/grade/")
        who.press("Begin")

        assert page.locator("[data-response]").first.is_visible()
        assert page.inner_text(".graded") == "Grade this turn"
        for summary in page.locator(":is(.so-far, .trace) summary").all():
            summary.click()
        page.check("[name^=mark-A] >> nth=0")
        who.press("Submit and next")
        with site.database():
            assert here.round.assignments.filter(state="SUBMITTED").count() == 1
