"""All that an annotator can open is there in every language: no word of another one, no guess, nothing stale."""

from collections.abc import Callable, Iterable

import pytest
from django.conf import settings
from django.core.management import call_command
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.people.models import Role, User
from evalsite.text import catalogues
from evalsite.web import languages
from tests import blindness, wording
from tests.doors.api import API
from tests.doors.row import Row
from tests.undoing import undone
from tests.who_may import ROWS
from tests.who_may_world import ANONYMOUS, World

OTHERS = [code for code, _name in settings.LANGUAGES if code != "en"]
Look = Callable[[HttpResponseBase], list[str]]


def opened(row: Row, actor: str) -> bool:
    """Whether somebody sees something at an address besides that there is nothing."""
    seen = row.expected(actor, "GET", api=False) if row.got else ()
    return 200 in seen and (row.public or row.for_all or actor in row.see)


def pages_of(actor: str) -> list[str]:
    return sorted(name for name, row in ROWS.items() if name not in API and opened(row, actor))


def looked_at(actor: str, names: Iterable[str], code: str, look: Look) -> dict[str, list[str]]:
    """Return by request what a look finds at what somebody is answered who reads this language.

    Each page is opened, and its form is sent empty.
    """
    world, client = World(), Client(raise_request_exception=False)
    everybody = world.people
    if actor == ANONYMOUS:
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = code
    else:
        User.objects.filter(pk=everybody[actor].pk).update(language=code)
        client.force_login(everybody[actor])
    found = {}
    for name in sorted(names):
        with undone():
            with translation.override("en"):
                url = reverse(name, kwargs=dict(ROWS[name].kwargs(world)))
            for method in ("GET", "POST"):
                with undone():
                    if name != "logout" and (some := look(client.generic(method, url))):
                        found[f"{method} {name}"] = some
    return found


def english(code: str) -> Look:
    """Look for words of the interface that are not in this language."""

    def look(response: HttpResponseBase) -> list[str]:
        texts, language = wording.said(response)
        found = [] if language in {"", code} else [f'lang="{language}"']
        suspects = [text for text in texts if wording.unknown(text)]
        known = wording.content() if suspects else ""
        return found + [one for text in suspects for one in wording.unknown(text, known)]

    return look


def bare(response: HttpResponseBase) -> list[str]:
    """Look for words that were asked for by nobody, so that no language can have them."""
    texts, _language = wording.said(response)
    suspects = [text for text in texts if wording.unworded(text, "")]
    known = wording.content() if suspects else ""
    return [one for text in suspects for one in wording.unworded(text, known)]


class TestThePagesOfAnnotators:
    def test_are_those_that_are_translated(self):
        theirs = {*pages_of(Role.ANNOTATOR), *pages_of(ANONYMOUS)}

        assert sorted(theirs - languages.TRANSLATED) == []
        assert sorted(languages.TRANSLATED - ROWS.keys()) == []

    @pytest.mark.django_db
    @pytest.mark.parametrize("code", OTHERS)
    @pytest.mark.parametrize("actor", [ANONYMOUS, Role.ANNOTATOR, Role.OWNER])
    def test_say_nothing_in_another_language(self, actor, code, monkeypatch):
        asked = wording.Asked(monkeypatch)
        names = languages.TRANSLATED.intersection(pages_of(actor))
        found = looked_at(actor, names, code, english(code))

        assert found == {}
        assert sorted(asked.untranslated) == []

    @pytest.mark.django_db
    @pytest.mark.parametrize("actor", [ANONYMOUS, Role.ANNOTATOR])
    def test_say_nothing_that_no_catalogue_could_have(self, actor, monkeypatch):
        wording.pseudo(monkeypatch)

        names = {*pages_of(actor)} - {"help", "help_page"}  # guides have a language of their own

        assert looked_at(actor, names, "en", bare) == {}

    @pytest.mark.slow
    @pytest.mark.timeout(900)
    @pytest.mark.django_db
    @pytest.mark.parametrize("code", OTHERS)
    @pytest.mark.parametrize("asking", [blindness.journey, blindness.crawl])
    def test_say_nothing_in_another_language_however_one_gets_there(
        self, asking, code, monkeypatch
    ):
        blindness.build(blindness.Flavour())
        asked = wording.Asked(monkeypatch)
        User.objects.filter(username="ann-1").update(language=code)
        client = Speaking(code)
        client.force_login(User.objects.get(username="ann-1"))
        for _answer in asking(client):
            pass

        assert client.found == {}
        assert sorted(asked.untranslated) == []


class Speaking(Client):
    """Somebody who opens pages, and notes each that says something in another language."""

    def __init__(self, code: str) -> None:
        super().__init__(raise_request_exception=False)
        self.found: dict[str, list[str]] = {}
        self._look = english(code)

    def request(self, **request):
        response = super().request(**request)
        path = request["PATH_INFO"]
        # A report is for whoever is sent its link, and not translated yet.
        is_theirs = response.status_code != 405 and not path.startswith(("/api/", "/shared/"))
        if is_theirs and (some := self._look(response)):
            self.found[f"{request['REQUEST_METHOD']} {path}"] = some
        return response


@pytest.mark.parametrize("code", OTHERS)
class TestACatalogue:
    def test_has_every_message_and_no_other(self, code):
        wanted = catalogues.found(settings.BASE_DIR, catalogues.pages(settings.BASE_DIR))
        path = catalogues.place(settings.BASE_DIR, code)
        held = catalogues.read(path.read_text("utf-8"))

        assert catalogues.lacking(catalogues.merged(held, wanted)) == [], "make messages"
        assert sorted(held.entries.keys() - wanted.keys()) == [], "make messages"

    def test_is_compiled_as_it_stands(self, code):
        path = catalogues.place(settings.BASE_DIR, code)
        held = catalogues.read(path.read_text("utf-8"))

        assert path.with_suffix(".mo").read_bytes() == catalogues.compiled(held), "make messages"


@pytest.mark.slow
def test_the_command_agrees():
    call_command("messages", "--check")
