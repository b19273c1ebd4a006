"""What an annotator is answered does not depend on what an annotator must not know."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise, zip_longest

import numpy as np
import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.grading import seating
from annotation.rounds import drafting, drawing, opening
from annotation.rounds.rules import Draw
from tests import blindness, make
from tests.blindness import Answer, Flavour
from tests.undoing import undone

pytestmark = pytest.mark.django_db

PLAIN = Flavour()
OTHER = Flavour(
    systems=("Zugspitze-Ω 9000 ultra", "m", "Another name, with <b>signs</b> & more"),
    label="2031-12 nightly",
    burnt=771_000_000,
    backwards=True,
    details={"provider": "Someone else", "latency_ms": 81234, "finish_reason": "length"},
    file_name="other.jsonl",
    notes="A note.",
    made_at=datetime(1987, 6, 5, 4, 3, tzinfo=UTC),
)
WATCHED = Flavour(watched=True)
CANARY = Flavour(
    systems=("CanaryAlpha", "CanaryBeta", "CanaryGamma"),
    label="canary-release",
    burnt=771_000_000,
    details={"provider": "CanaryProvider", "id": "canary-0123", "created": "1987-06-05T04:03"},
    file_name="canary.csv",
    notes="canary note",
    made_at=datetime(1987, 6, 5, 4, 3, tzinfo=UTC),
)


@pytest.fixture
def fixed(monkeypatch):
    """Stop the clock and fix what forms are signed with."""
    monkeypatch.setattr(
        "django.middleware.csrf.get_random_string",
        lambda length, allowed_chars: allowed_chars[7] * length,
    )
    with time_machine.travel(make.at(40), tick=False):
        yield


def signed_in(name: str = "ann-1") -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(models.User.objects.get(username=name))
    return client


def told(flavour: Flavour, asking: Callable[[Client], Iterator[Answer]]) -> list[Answer]:
    """Return what ann-1 is answered in a world of this flavour."""
    answers: list[Answer] = []
    with undone():
        blindness.build(flavour)
        answers += asking(signed_in())
    return answers


def harmful(client: Client) -> Iterator[Answer]:
    """Send every changing request to every address, each to an untouched world."""
    for method, url in blindness.harm(client):
        with undone():
            answer = blindness.ask(client, method, url)
        yield answer


def differences(one: list[Answer], other: list[Answer]) -> list[str]:
    return [
        f"{a and a.request}: {a and a.status} / {b and b.status}\n{_first(a, b)}"
        for a, b in zip_longest(one, other)
        if a != b
    ]


def _first(a: Answer | None, b: Answer | None) -> str:
    """Return the first place where two answers part."""
    if a is None or b is None or a.request != b.request:
        return f"asked {a and a.request} and {b and b.request}"
    if a.headers != b.headers:
        return f"{set(a.headers) ^ set(b.headers)}"
    place = next((i for i, (x, y) in enumerate(zip(a.body, b.body, strict=False)) if x != y), 0)
    return f"…{a.body[max(0, place - 80) : place + 80]!r}\n…{b.body[max(0, place - 80) : place + 80]!r}"


#: What is sent to break something says little that the others do not: the bytes of it are compared at night.
AT_NIGHT = pytest.param(harmful, marks=pytest.mark.nightly)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("fixed")
class TestAnAnnotator:
    @pytest.mark.parametrize("asking", [blindness.crawl, AT_NIGHT, blindness.journey])
    def test_is_answered_the_same_to_the_byte_whoever_the_systems_are(self, asking):
        one, other = told(PLAIN, asking), told(OTHER, asking)

        assert differences(one, other)[:3] == []
        assert {answer.status for answer in one} & {200, 302}
        # No worker is there, as /healthz rightly says.
        failed = [answer.request for answer in one if answer.status >= 500]
        assert not [request for request in failed if "/healthz" not in request]

    # What is the same to the byte whoever the systems are holds no name of one: looked for at night.
    @pytest.mark.nightly
    @pytest.mark.parametrize("asking", [blindness.crawl, harmful, blindness.journey])
    def test_never_gets_to_see_a_canary(self, asking):
        # 77…: the ids of the world's rows; uuids: those of other people and of raters.
        forbidden = re.compile(
            rb"(?i)canary|(?<![\w-])1987(?!\w)|77[12]\d{6}|In way \d[^<]*ChatGPT|"
            + b"|".join(_uuid(place) for place in (0, 2, 3))
        )

        found = [
            f"{answer.request}: {hit.group()!r}"
            for answer in told(CANARY, asking)
            if (hit := forbidden.search(repr(answer.headers).encode() + answer.body))
        ]

        assert found[:5] == []


@pytest.mark.usefixtures("fixed")
class TestAnAnnotatorWhoChooses:
    """Which of two answers is better, and who is given which pair when, says nothing of the systems."""

    @pytest.mark.slow
    @pytest.mark.timeout(600)
    @pytest.mark.parametrize(
        "asking", [pytest.param(blindness.crawl, marks=pytest.mark.nightly), blindness.journey]
    )
    def test_is_answered_the_same_to_the_byte_whoever_the_systems_are(self, asking):
        one, other = (told(replace(of, of_pairs=True), asking) for of in (PLAIN, OTHER))

        assert differences(one, other)[:3] == []
        assert any(b"data-pairs" in answer.body for answer in one)


@pytest.mark.usefixtures("fixed")
class TestAnAnnotatorWhoIsWatched:
    """Gold, and what reviewers and curators made of somebody's grades, changes nothing they get."""

    @pytest.mark.slow
    @pytest.mark.timeout(600)
    @pytest.mark.parametrize(
        "asking",
        [
            pytest.param(blindness.crawl, marks=pytest.mark.nightly),
            AT_NIGHT,
            blindness.journey,
        ],
    )
    def test_is_answered_the_same_to_the_byte_wherever_they_look(self, asking):
        assert differences(told(PLAIN, asking), told(WATCHED, asking))[:3] == []

    def test_cannot_tell_a_repeat_by_its_page(self):
        """The page of a repeat is made like that of the first time, to the last attribute."""
        round_ = make.draft_round(n_items=6, n_annotators=1, n_seats=1)
        draw = replace(Draw.from_json(round_.draw), repeats=50)
        drafting.choose_draw(round_=round_, draw=draw, by=round_.created_by, now=make.NOW)
        drawing.prepare(round_=round_, now=make.NOW)
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        opening.open_round(round_=round_, now=make.NOW)
        [rater] = make.annotators(round_)
        client = Client()
        client.force_login(make.account(rater))
        shapes: dict[tuple[int, int], str] = {}
        for minute in range(9):
            seat = make.claim(round_, rater, now=make.at(minute))
            page = client.get(reverse("grade", args=["northport", seat.token])).content.decode()
            place = seat.round_item
            shapes[place.item_id, place.occasion] = shape(page, seat.token)
            make.submit(seat, now=make.at(minute))

        repeated = [item for item, occasion in shapes if occasion == 2]
        assert len(repeated) == 3
        for item in repeated:
            assert shapes[item, 1] == shapes[item, 2]


def shape(page: str, token: str) -> str:
    """Return the markup of a grading page: what stands in it, and how far one is, left out.

    The order of responses is dealt anew, so the words of responses are left out as well.
    """
    main = re.search(r"<main.*</main>", page, flags=re.DOTALL)
    assert main is not None
    bare = re.sub(r">[^<]*<", "><", main.group().replace(token, ""))
    bare = re.sub(
        r'(value|max|datetime|data-[\w-]+|content|style|href|aria-label)="[^"]*"', "", bare
    )
    return re.sub(r"\s+", " ", bare)


def _uuid(place: int) -> bytes:
    return f"00000000-0000-0000-0000-{1000 + place:012x}".encode()


@pytest.mark.slow
@pytest.mark.usefixtures("fixed")
class TestTheProbe:
    def test_would_notice_a_name(self):
        with undone():
            blindness.build(CANARY)
            owner = signed_in("owner")
            body = owner.get(reverse("systems", args=[blindness.SLUG])).content

        assert b"CanaryAlpha" in body

    def test_would_notice_an_id(self):
        with undone():
            blindness.build(CANARY)
            pk = models.Item.objects.earliest("pk").pk

        assert re.fullmatch(r"77[12]\d{6}", str(pk))


class TestAddresses:
    def test_of_one_response_differ_between_annotators_and_share_nothing(self):
        round_ = make.open_round(n_items=4)
        seats = []
        for rater in make.annotators(round_):
            for _ in range(4):
                seats.append(make.claim(round_, rater))
                make.submit(seats[-1])
        by_response: dict[int, set[str]] = {}
        for seat in seats:
            for response in seat.slots.values_list("round_response", flat=True):
                by_response.setdefault(response, set()).add(seat.token or "")

        assert {len(tokens) for tokens in by_response.values()} == {3}
        assert longest_shared_start([seat.token or "" for seat in seats]) < 6


def longest_shared_start(texts: list[str]) -> int:
    """Return how many first signs any two texts share at most."""
    ordered = sorted(texts)
    pairs = pairwise(ordered)
    return max(next(i for i in range(99) if a[i : i + 1] != b[i : i + 1]) for a, b in pairs)


def information(one: np.ndarray, other: np.ndarray) -> float:
    """Return the mutual information of two columns of codes, in bits."""
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1)
    joint = table / table.sum()
    apart = joint.sum(axis=1, keepdims=True) @ joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())


def codes(values: list[str]) -> np.ndarray:
    return np.unique(np.array(values), return_inverse=True)[1]


@pytest.mark.nightly
@pytest.mark.timeout(300)
class TestWhatIsServed:
    N_ITEMS, N_RELEASES = 84, 8  # × 3 seats: 2,016 slots

    def test_tells_no_more_of_the_system_than_chance_does(self):
        columns = self.serve()
        systems = codes(columns.pop("system"))
        assert len(systems) >= 2_000
        rng = np.random.default_rng(20260302)
        pages = np.arange(len(systems)).reshape(-1, self.N_RELEASES)
        shuffled = [systems[rng.permuted(pages, axis=1)].ravel() for _ in range(400)]

        for name, column in columns.items():
            told = information(codes(column), systems)
            by_chance = np.quantile([information(codes(column), one) for one in shuffled], 0.99)
            assert told <= by_chance, f"{name}: {told:.5f} bits, by chance {by_chance:.5f}"

    def serve(self) -> dict[str, list[str]]:
        """Claim every seat, look at its page, and note all that comes with each of its slots."""
        round_ = make.open_round(n_items=self.N_ITEMS, n_releases=self.N_RELEASES)
        columns: dict[str, list[str]] = {}
        for rater in make.annotators(round_):
            client = Client()
            client.force_login(make.account(rater))
            for _ in range(self.N_ITEMS):
                seat = seating.claim_next(round_=round_, rater=rater, now=make.NOW)
                response = client.get(reverse("grade", args=[round_.project.slug, seat.token]))
                assert response.status_code == 200
                self.note(columns, seat, response)
                models.Assignment.objects.filter(pk=seat.pk).update(
                    state="SUBMITTED", submitted_at=make.NOW
                )
        return columns

    def note(self, columns, seat, response) -> None:
        page = response.content.decode()
        articles = re.findall(r'<article class="resp".*?</article>', page, flags=re.DOTALL)
        rows = seat.slots.order_by("position").values_list("round_response__release", flat=True)
        headers = repr(sorted(response.headers.items()))
        assert len(articles) == self.N_RELEASES
        for place, (article, release) in enumerate(zip(articles, rows, strict=True)):
            letter = "ABCDEFGH"[place]
            shape = re.sub(r'<div class="prose"[^>]*>.*?</div>', "", article, flags=re.DOTALL)
            shape = shape.replace(seat.token, "").replace(letter, "?")
            address = hashlib.sha256(f"{seat.token}{letter}".encode()).digest()
            features = {
                "system": str(release),
                "letter": letter,
                "first sign of the token": seat.token[0],
                "last sign of the token": seat.token[-1],
                "length of the token": str(len(seat.token)),
                "address": str(address[0] % 8),
                "token and letter": str((ord(seat.token[1]) + place) % 8),
                "order of the fields": " ".join(re.findall(r'name="(\w+)-', article)),
                "markup": shape,
                "headers": hashlib.sha256(headers.encode()).hexdigest(),
                "seat": str(seat.seat),
            }
            for name, value in features.items():
                columns.setdefault(name, []).append(value)
