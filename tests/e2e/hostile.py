"""A project in which every text that a person or a file can bring in is hostile."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from django.utils import timezone

from annotation import models
from annotation.bank import operations as bank
from annotation.common import names as naming
from annotation.common import texts as contents
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening
from evalsite import env
from tests import make

N_RELEASES = 8
NUL = "\0"  # a database refuses it; the importer takes it out of files


def entries() -> list[dict[str, Any]]:
    path = env.BASE_DIR / "fixtures" / "examples" / "hostile_texts.json"
    read: list[dict[str, Any]] = json.loads(path.read_text())
    return read


def payloads() -> list[str]:
    """Return the hostile texts, as a database can hold them."""
    texts = [entry["text"].replace(NUL, "") for entry in entries() if "text" in entry]
    return [text.encode(errors="ignore").decode() for text in texts]


def bombs() -> list[str]:
    """Return texts that are long for the sake of whoever reads them."""
    return [entry["unit"] * entry["times"] for entry in entries() if "unit" in entry]


def nameable(text: str) -> str:
    """Return a text without what no name may hold: that is refused at every door."""
    while sign := naming.unseen_in(text):
        text = text.replace(sign, " ")
    return text


def short(texts: Iterator[str], length: int, seen: set[str]) -> str:
    """Return the next text that fits a name of this length and was not taken yet."""
    while True:
        text = nameable(next(texts).strip()[:length]).strip()
        if text and text not in seen:
            seen.add(text)
            return text


@dataclass(frozen=True)
class World:
    """The hostile project: an open round, and a draft whose names are to be decided."""

    project: models.Project
    open_round: models.Round
    draft: models.Round
    n_items: int


def build(slug: str) -> World:
    """Make the project. Every payload stands in a response, a question and a standard answer."""
    texts = payloads()
    names = cycle(texts)
    home = make.project(slug, owner=make.user(f"{slug}-owner", short(names, 100, set())))
    home.name, home.subtitle = short(names, 100, set()), short(names, 100, set())
    home.save(update_fields=["name", "subtitle"])
    owner = models.User.objects.get(username=f"{slug}-owner")
    for number in (1, 2, 3):
        make.user(f"{slug}-{number}", short(names, 100, set()))
        make.member(Role.ANNOTATOR, in_=home, username=f"{slug}-{number}")
    capability = _rubric(home, names)
    releases = _releases(home, names)
    n_items = _items(home, releases, capability, texts) + _long_answers(home, releases)
    opened = _round(home, owner, releases, short(names, 100, set()), n_items)
    opening.request_opening(round_=opened, by=owner, now=make.NOW)
    opening.open_round(round_=opened, now=make.NOW)
    draft = _round(home, owner, releases, short(names, 100, set()), 5, decide=False)
    _bank(home, owner, texts)
    return World(home, opened, draft, n_items)


def grade(world: World, n_seats: int) -> None:
    """Let the second annotator grade some questions, each with a comment."""
    rater = make.annotators(world.open_round)[1]
    said = cycle(payloads())
    for _each in range(n_seats):
        now = timezone.now()
        seat = make.claim(world.open_round, rater, now=now)
        values = dict(zip("ABCDEFGH", cycle((1, 2)), strict=False))
        make.submit(seat, values, comments={"A": next(said)}, now=now)


def _rubric(home: models.Project, names: Iterator[str]) -> models.Capability:
    version = make.rubric_version(in_=home)
    version.rubric.name = short(names, 100, set())
    version.rubric.save(update_fields=["name"])
    version.principle = "\n\n".join(payloads()[:60])
    version.save(update_fields=["principle"])
    for criterion in version.criteria.all():
        criterion.name, criterion.description = short(names, 100, set()), next(names)
        criterion.save(update_fields=["name", "description"])
        for level in criterion.levels.all():
            level.label, level.description = short(names, 100, set()), short(names, 900, set())
            level.save(update_fields=["label", "description"])
    domain = models.Domain.objects.create(project=home, name=short(names, 100, set()))
    capability = make.capability(short(names, 100, set()), in_=home)
    capability.definition = f"{next(names)} {domain.name}"
    capability.save(update_fields=["definition"])
    return capability


def _releases(home: models.Project, names: Iterator[str]) -> list[models.SystemRelease]:
    seen: set[str] = set()
    return [
        make.release(short(names, 100, seen), short(names, 60, set()), in_=home)
        for _each in range(N_RELEASES)
    ]


def _items(
    home: models.Project,
    releases: list[models.SystemRelease],
    capability: models.Capability,
    texts: list[str],
) -> int:
    rows = [texts[start : start + N_RELEASES] for start in range(0, len(texts), N_RELEASES)]
    rows[-1] += texts[: N_RELEASES - len(rows[-1])]
    seen: set[str] = set()
    for row in rows:
        asked = make.item(
            short(iter([*row, *texts]), 60, seen),
            in_=home,
            question="\n\n".join(row),
            reference="\n\n".join(reversed(row)),
            capability_=capability,
            earlier=[*contents.as_messages(row[0]), {"role": "assistant", "content": row[1]}],
            key_points=row,
        )
        for text, release in zip(row, releases, strict=True):
            make.response(asked, release, text)
    return len(rows)


def _bank(home: models.Project, owner: models.User, texts: list[str]) -> None:
    """Write questions into the bank, in every state, with sources and comments."""
    names = cycle(texts)
    seen: set[str] = set()
    domain = models.Domain.objects.filter(project=home).earliest("pk")
    for state in ("DRAFT", "SUBMITTED", "RETURNED", "ACCEPTED"):
        said = make.source_version(short(names, 200, seen), in_=home)
        row = [next(names) for _ in range(6)]
        text = make.question_text(
            "\n".join(row),
            "\n".join(reversed(row)),
            in_=home,
            key_points=row,
            domain_id=domain.pk,
            tags=[nameable(one)[:60] for one in row],
            principle=row[0],
            as_of=short(names, 40, set()),
            cited=(bank.Cited(said.pk, short(names, 200, set())),),
        )
        version = make.question_version(state, in_=home, text=text)
        bank.comment(question=version.question, text=row[1], by=owner, now=make.NOW)


def _long_answers(home: models.Project, releases: list[models.SystemRelease]) -> int:
    texts = bombs()
    rows = [texts[start : start + N_RELEASES] for start in range(0, len(texts), N_RELEASES)]
    for number, row in enumerate(rows, start=1):
        asked = make.item(f"long {number}", in_=home, question="How long may it be?")
        for text, release in zip(row, releases, strict=False):
            make.response(asked, release, text)
        for release in releases[len(row) :]:
            make.response(asked, release, "Not longer.")
    return len(rows)


def _round(
    home: models.Project,
    owner: models.User,
    releases: list[models.SystemRelease],
    name: str,
    n_items: int,
    *,
    decide: bool = True,
) -> models.Round:
    round_ = drafting.create_round(
        project=home, name=name, seed=name[:40], secret=make.SECRET, by=owner, now=make.NOW
    )
    settings = drafting.RoundSettings(name=name, n_seats=3, instructions=payloads()[0])
    drafting.configure(round_=round_, settings=settings, by=owner, by_owner=True, now=make.NOW)
    drafting.choose_releases(round_=round_, releases=releases, by=owner, now=make.NOW)
    version = make.rubric_version(in_=home)
    drafting.choose_rubrics(round_=round_, by_capability={}, rest=version, by=owner, now=make.NOW)
    drafting.choose_draw(round_=round_, draw=drafting.Draw(n_items=n_items), by=owner, now=make.NOW)
    users = [models.User.objects.get(username=f"{home.slug}-{number}") for number in (1, 2, 3)]
    drafting.invite(round_=round_, users=users, by=owner, by_owner=True, now=make.NOW, override="")
    # A preparation that seems to be old is begun once more by the site's sweeper.
    drawing.prepare(round_=round_, now=timezone.now())
    if decide:
        drawing.decide(
            round_=round_,
            undecided_only=True,
            decision=models.IdentityHit.Decision.KEEP,
            by=owner,
            now=make.NOW,
        )
    return round_
