"""The pages of annotators in every other language: at any width, in both themes, for everybody, nothing cut."""

import pytest
from django.conf import settings

from annotation.people.models import Role, User
from tests.e2e import addresses, sweeps, worlds
from tests.e2e.worlds import DEMO

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
OTHERS = [code for code, _name in settings.LANGUAGES if code != "en"]

#: Words that do not fit where they stand, and are not meant to be shortened.
CUT = """
() => [...document.querySelectorAll("button, .btn, label, th, .tag, .state, h1, h2, nav a")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth
    && getComputedStyle(one).overflowX !== "visible" && getComputedStyle(one).textOverflow !== "ellipsis"
    && !one.closest(".sr"))
  .slice(0, 3).map((one) => "cut: " + one.outerHTML.slice(0, 120))
"""


@pytest.mark.parametrize("code", OTHERS)
class TestAnAnnotator:
    def test_can_use_every_page_in_their_language(self, site, enter, code):
        world = worlds.build(site, DEMO)
        with world.inside(Role.ANNOTATOR) as (home, user):
            User.objects.filter(pk=user.pk).update(language=code)
            pages = addresses.of(home, user)
        visitor = world.let_in(enter, Role.ANNOTATOR)
        try:
            found = sweeps.Sweep(new_kinds=True).over(visitor, pages, sweeps.ALL)
            visitor.go("/p/northport/grade/")
            assert visitor.page.locator("html").get_attribute("lang") == code
            for width, height in (sweeps.WIDE, sweeps.NARROW):
                visitor.page.set_viewport_size({"width": width, "height": height})
                for path in (
                    "/p/northport/grade/",
                    "/p/northport/training/",
                    "/account/",
                    "/help/",
                ):
                    visitor.go(path)
                    found += [f"{path} {width}: {one}" for one in visitor.page.evaluate(CUT)]
        finally:
            with world.inside(Role.ANNOTATOR):
                User.objects.filter(pk=user.pk).update(language="")
        assert not found, "\n".join(found)

    def test_chooses_it_without_scripts_before_signing_in(self, site, chromium, code):
        name = dict(settings.LANGUAGES)[code]
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{site.url}/login/")
        page.get_by_role("button", name=name).click()

        assert page.locator("html").get_attribute("lang") == code
        page.get_by_role("button", name="English").click()
        assert page.locator("html").get_attribute("lang") == "en"
        context.close()
