"""An open round of its own, somebody at its grading page, and what one does there."""

import re
from collections import Counter
from urllib.parse import urlsplit

from django.utils import timezone

from annotation import models
from tests import make

SAVED = "[data-save][data-state=saved]"


class Room:
    """An open round of its own project, and those who grade it; `build` makes another round of the project."""

    def __init__(self, site, enter, slug, *, build=make.open_round, **options):
        self.site, self.enter, self.slug = site, enter, slug
        with site.database():
            home = make.project(slug, owner=make.user(f"{slug}-owner"))
            self.round = build(
                in_=home,
                now=timezone.now(),
                **{"n_items": 6, "n_releases": 3, "n_annotators": 3} | options,
            )

    def sit(self, name="ann-1", **options):
        """Let somebody in and take them to their question."""
        who = self.enter(name, make.PASSWORD, **options)
        who.go(f"/p/{self.slug}/grade/")
        if who.page.get_by_role("link", name=re.compile("^Continue")).count():
            who.page.get_by_role("link", name=re.compile("^Continue")).first.click()
        else:
            who.press(re.compile("^(Begin|Continue)"))
        ready(who)
        return who

    def grades(self, name="ann-1"):
        """Return how often each grade is stored: by token, letter, value, late."""
        with self.site.database():
            rows = models.Grade.objects.filter(round=self.round, rater__user__username=name)
            return Counter(
                (row.assignment.token, "ABCDEFGH"[row.slot.position], int(row.value), row.late)
                for row in rows.select_related("assignment", "slot")
                if row.value is not None
            )

    def draft(self, token):
        with self.site.database():
            found = models.Draft.objects.filter(assignment__token=token).first()
            return dict(found.marks) if found else {}


def ready(who):
    who.page.wait_for_selector("body.with-script")


def token(page):
    return urlsplit(page.url).path.rstrip("/").rpartition("/")[2]


def keys(page, *names):
    for name in names:
        page.keyboard.press(name)


def saved(page):
    page.wait_for_selector(SAVED)


def await_next(page, before):
    page.wait_for_url(lambda url: before not in url)


def ahead(page, n=2):
    """Wait until the next questions are at hand."""
    with page.expect_response(re.compile("/ahead/$")) as answer:
        pass
    assert len(answer.value.json()["desks"]) == n


def select(page, letter, words):
    """Select the first letters of a response, as a person without a mouse does with caret browsing."""
    page.evaluate(
        """([letter, n]) => {
          const root = document.querySelector(`#${letter} [data-response]`);
          const text = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          let node = text.nextNode();
          while (!node.data.trim()) node = text.nextNode();
          const from = node.data.search(/\\S/);
          getSelection().setBaseAndExtent(node, from, node, from + n);
        }""",
        [letter, words],
    )


def state(page):
    return page.get_attribute("[data-save]", "data-state")


def in_focus(page):
    return page.evaluate("document.querySelector('.resp[data-now]').id")


def announced(page, words):
    page.wait_for_function(
        "(words) => document.getElementById('announcer').textContent.includes(words)", arg=words
    )
