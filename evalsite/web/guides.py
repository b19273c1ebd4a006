"""The guides of docs/ as pages of the site: a list, a page each, a search, and what a page is explained by.

What is for who changes the program itself stays out.
"""

import functools
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from evalsite.text import markdown

#: The guides by whom they are for, in the order of the list.
GROUPS: Final[tuple[tuple[Promise, tuple[str, ...]], ...]] = (
    (
        _("By what you do"),
        ("annotator", "curator", "analyst", "suites", "operator", "api", "api-tokens"),
    ),
    (
        _("Ten-minute tutorials"),
        tuple(
            f"tutorials/{one}" for one in ("annotator", "owner", "curator", "analyst", "operator")
        ),
    ),
    (
        _("Look up"),
        ("how-to", "glossary", "methods", "reference/statistics", "reference/commands"),
    ),
)
#: By which part of a guide a page is explained: the first beginning of its name in the URLconf that fits.
EXPLAINED: Final[Mapping[str, str]] = {
    "round_new": "curator#3-a-round",
    "round_references": "curator#raters-one-can-trust-training-trial-qualification",
    "round": "curator#3-a-round",
    "rubric": "curator#2a-rubrics",
    "import": "curator#1-bring-in-questions-and-answers",
    "collect": "curator#1-bring-in-questions-and-answers",
    "batch": "curator#1-bring-in-questions-and-answers",
    "capabilit": "curator#2-what-is-evaluated-and-how-much-of-it",
    "domain": "curator#2-what-is-evaluated-and-how-much-of-it",
    "plan": "curator#2-what-is-evaluated-and-how-much-of-it",
    "question": "curator#the-question-bank",
    "source": "curator#sources",
    "inspection": "curator#inspection",
    "checklist": "curator#inspection",
    "bank_file": "curator#the-whole-bank-as-one-file",
    "pool": "curator#raters-one-can-trust-training-trial-qualification",
    "trial": "curator#raters-one-can-trust-training-trial-qualification",
    "example": "curator#raters-one-can-trust-training-trial-qualification",
    "training": "annotator#training-and-trials",
    "grade": "annotator#a-question",
    "grading": "annotator#your-list",
    "results_report": "analyst#the-report",
    "results_review": "curator#the-review-desk",
    "results_explore": "analyst#explore",
    "results_datasets": "analyst#training-data",
    "results_comments": "analyst#comments",
    "results_beside": "analyst#preferences",
    "results": "analyst#what-the-figures-say",
    "review": "curator#the-review-desk",
    "movement": "analyst#score-changes",
    "trend": "analyst#trend",
    "study": "analyst#the-study-sheet-and-the-bundle",
    "tuning": "analyst#a-judge-tuned-by-grades",
    "pairs": "analyst#judges-of-pairs",
    "run_pairs": "analyst#judges-of-pairs",
    "judge": "analyst#judges-vs-people",
    "fusion": "analyst#fusion-eval",
    "endpoint": "curator#endpoints",
    "run": "curator#runs",
    "suite": "suites",
    "people": "curator#start-a-project",
    "person": "curator#start-a-project",
    "invitations": "curator#start-a-project",
    "workload": "curator#who-has-how-much-to-do",
    "settings": "curator#settings-of-a-project",
    "project_settings": "curator#settings-of-a-project",
    "project": "curator#start-a-project",
    "account": "annotator#your-account",
    "preferences": "annotator#by-keyboard",
    "api_docs": "api",
}
_COMMENT: Final = re.compile(r"<!--.*?-->\n?|<picture>.*?</picture>", re.DOTALL)
_PICTURE: Final = re.compile(r"^!\[[^]]*\]\([^)]*\)\s*$", re.MULTILINE)
#: Signs of an excerpt before the first word that was looked for, and in all.
BEFORE, EXCERPT = 60, 220
MOST_FOUND: Final = 30


@dataclass(frozen=True)
class WrittenGuide:
    """A guide: where it is, what it is called, its text, and the language of both."""

    slug: str
    title: str
    text: str
    language: str = settings.LANGUAGE_CODE

    @property
    def url(self) -> str:
        return reverse("help_page", args=[self.slug])


@dataclass(frozen=True)
class GuideHit:
    """A part of a guide in which all words occur."""

    guide: WrittenGuide
    title: str
    url: str
    excerpt: str


def folder(language: str = settings.LANGUAGE_CODE) -> Path:
    docs = Path(settings.BASE_DIR) / "docs"
    return docs if language == settings.LANGUAGE_CODE else docs / language


@functools.cache
def guides(language: str = settings.LANGUAGE_CODE) -> dict[str, WrittenGuide]:
    """Return the guides that are there in a language, by slug."""
    found = {}
    for slug in (slug for _title, slugs in GROUPS for slug in slugs):
        path = folder(language) / f"{slug}.md"
        if path.is_file():
            text = _PICTURE.sub("", _COMMENT.sub("", path.read_text(encoding="utf-8")))
            title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), slug)
            found[slug] = WrittenGuide(slug, title.strip(), text, language)
    return found


def language_of(slug: str) -> str:
    """Return the reader's language if there is a guide in it, else English."""
    mine = translation.get_language() or settings.LANGUAGE_CODE
    return mine if slug in guides(mine) else settings.LANGUAGE_CODE


@functools.cache
def shown(slug: str, language: str = settings.LANGUAGE_CODE) -> markdown.GuideDocument:
    """Return a guide as HTML, its links leading to other guides or to other sites, or nowhere."""
    text = guides(language)[slug].text
    return markdown.document(text, lambda link: _leads_to(slug, link))


def _leads_to(slug: str, link: str) -> str:
    """Return where a link of a guide leads within the site; "" where the site does not show that."""
    if link.startswith(("https://", "http://", "#")):
        return link
    path, _hash, anchor = link.partition("#")
    there = posixpath.normpath(posixpath.join(posixpath.dirname(slug), path)).removesuffix(".md")
    if there not in guides():
        return ""
    return guides()[there].url + (f"#{anchor}" if anchor else "")


def explained(name: str) -> str:
    """Return where a page is explained, by its name in the URLconf; the list of guides, if nowhere."""
    place = next((there for start, there in EXPLAINED.items() if name.startswith(start)), "")
    slug, _hash, anchor = place.partition("#")
    if slug not in guides():
        return reverse("help")
    return guides()[slug].url + (f"#{_same_part(slug, anchor)}" if anchor else "")


def _same_part(slug: str, anchor: str) -> str:
    """Return the anchor of the same part in the reader's language: a translation has the same parts."""
    places = [one.anchor for one in shown(slug).parts]
    there = shown(slug, language_of(slug)).parts
    return there[places.index(anchor)].anchor if anchor in places else anchor


def search(words: str, language: str = settings.LANGUAGE_CODE) -> list[GuideHit]:
    """Return the parts of guides in which all words occur, those with a word in their title first."""
    wanted = words.casefold().split()
    if not wanted:
        return []
    found: list[tuple[int, int, GuideHit]] = []
    for slug, guide in guides(language).items():
        for part in shown(slug, language).parts:
            text = f"{part.title} {part.text}".casefold()
            if all(word in text for word in wanted):
                in_title = sum(word in part.title.casefold() for word in wanted)
                hit = GuideHit(
                    guide, part.title, f"{guide.url}#{part.anchor}", _excerpt(part.text, wanted)
                )
                found.append((-in_title, len(found), hit))
    return [hit for _rank, _place, hit in sorted(found, key=lambda one: one[:2])][:MOST_FOUND]


def _excerpt(text: str, wanted: list[str]) -> str:
    first = min((at for word in wanted if (at := text.casefold().find(word)) >= 0), default=0)
    start = text.rfind(" ", 0, max(0, first - BEFORE)) + 1
    cut = text[start : start + EXCERPT].strip()
    return f"{'… ' if start else ''}{cut}{' …' if start + EXCERPT < len(text) else ''}"


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the guides; with `q`, the parts of them in which these words occur.

    In another language than English those that are there in it, and with `all` the others.
    """
    words = request.GET.get("q", "").strip()[:100]
    mine = translation.get_language() or settings.LANGUAGE_CODE
    is_all = mine == settings.LANGUAGE_CODE or "all" in request.GET
    language = settings.LANGUAGE_CODE if is_all else mine
    there = guides(language)
    listed = [(title, [there[one] for one in slugs if one in there]) for title, slugs in GROUPS]
    context = {
        "groups": [(title, some) for title, some in listed if some],
        "words": words,
        "hits": search(words, language),
        "in_english": "" if language == mine else language,
        "has_more": not is_all,
    }
    return render(request, "help.html", context)


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a guide, in English where there is none in the reader's language."""
    if slug not in guides():
        raise Http404
    language = language_of(slug)
    context = {"guide": guides(language)[slug], "document": shown(slug, language)}
    return render(request, "help_page.html", context)
