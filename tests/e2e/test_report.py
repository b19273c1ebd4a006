"""The report of a round and the files of its tabs, in a browser."""

import re
import struct

import pytest

from tests.e2e import sweeps

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
AT = "/p/northport/rounds/1/results/"
PHONE = {"viewport": {"width": 390, "height": 844}}


def wait(visitor, path):
    """Open a page of results and wait until its figures are there."""
    visitor.go(path)
    visitor.page.locator("#figures[aria-busy]").wait_for(state="detached", timeout=240_000)
    visitor.page.wait_for_load_state()
    return visitor.page


class TestTheReport:
    def test_shows_by_itself_and_fits_phone_and_paper(self, enter):
        analyst = enter("noor", **PHONE)
        page = wait(analyst, f"{AT}report/")

        page.locator("#versions").wait_for()
        drawn = page.locator(".picture .plot").first
        assert drawn.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.emulate_media(media="print")
        assert not page.locator(".side").is_visible()
        assert not page.locator(".tabs").is_visible()
        assert drawn.is_visible()
        assert analyst.foreign() == []

    def test_can_be_used_by_all(self, enter):
        page = wait(enter("noor"), f"{AT}report/")

        assert sweeps.faults(page, narrow=False, dark=False) == []
        assert sweeps.faults(page, narrow=True, dark=True) == []

    def test_goes_on_paper_without_an_empty_page(self, enter):
        analyst = enter("noor")
        page = wait(analyst, f"{AT}report/")

        paper = page.pdf(format="A4", prefer_css_page_size=True)

        n_pages = len(re.findall(rb"/Type\s*/Page\b", paper))
        assert paper.startswith(b"%PDF")
        assert 4 <= n_pages <= 14

    def test_is_one_file_that_opens_from_a_disk_and_fetches_nothing(
        self, enter, chromium, tmp_path
    ):
        analyst = enter("noor")
        wait(analyst, f"{AT}report/")
        answer = analyst.context.request.get(f"{analyst.site.url}{AT}report.html")
        file = tmp_path / "report.html"
        file.write_bytes(answer.body())

        asked = []
        page = chromium.new_context(offline=True).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())

        assert asked == [file.as_uri()]
        assert page.locator(".picture .plot").first.is_visible()
        assert "Methods" in page.inner_text("main")
        page.context.close()

    def test_leaves_annotators_out(self, enter):
        analyst = enter("noor")
        page = wait(analyst, f"{AT}report/")

        page.select_option("[name=annotators]", "none")
        analyst.press("Show")

        assert "annotators=none" in page.url
        assert page.locator("#annotators").count() == 0
        assert page.locator("#agreement").is_visible()


class TestThePlots:
    def test_are_saved_as_png_by_the_browser_under_our_policy(self, enter):
        analyst = enter("noor")
        page = wait(analyst, f"{AT}agreement/")

        with page.expect_download() as waiting:
            page.locator('a[data-picture="agreement.png"]').click()
        bytes_ = waiting.value.path().read_bytes()

        assert waiting.value.suggested_filename == "agreement.png"
        assert bytes_.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", bytes_[16:24])
        assert width > 1600  # twice the drawing
        assert height > 300

    def test_stand_on_the_page_without_scripts_and_come_as_svg(self, enter):
        wait(enter("noor"), f"{AT}plan/")
        page = enter("noor", java_script_enabled=False).go(f"{AT}plan/")

        assert page.locator(".picture .plot").last.is_visible()
        assert page.get_by_role("link", name="SVG").first.is_visible()
        assert not page.get_by_role("link", name="PNG").first.is_visible()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="SVG").first.click()
        assert waiting.value.path().read_text().startswith("<svg")
