"""A project with many rows of everything: long lists, long names, texts in every direction.

Made in bulk, past the operations that people use, so that it takes seconds. What the pages of a
round need to agree with each other is made by the operations: tests/e2e/crowd_rounds.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.contrib.auth.hashers import make_password

from annotation import models
from annotation.common import texts as contents
from annotation.people import operations as people
from annotation.people.models import Role
from tests import make

#: One of each: plain, without a place to break, from right to left, without spaces, with signs.
NAMES = (
    "Customs and bonded warehouses",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "الشحن البحري والتخليص الجمركي للبضائع العابرة",
    "国际货物运输代理与保税仓储管理制度研究",
    "carriage_of_dangerous_goods_by_road_and_inland_waterway_annex_a_part_3_table_2",
    "מכס ומחסני ערובה",
    "国際複合一貫輸送における運送人の責任と約款",
    "Freight & <b>duty</b> “quoted” — 100 % 🚢",
)
TEXTS = (
    "A consignee may refuse the goods if the bill of lading does not describe them. " * 4,
    "VersicherungsvertragsgesetzänderungsverordnungX" * 6,
    "يجوز للمرسل إليه رفض البضاعة إذا لم يصفها سند الشحن وصفا صحيحا. " * 5,
    "提单是承运人收到货物的收据，也是货物所有权的凭证，收货人凭提单提货。" * 6,
    "| Term | Who pays |\n|---|---|\n| FOB | the buyer |\n| CIF | the seller |\n\n```\n"
    + "x" * 240
    + "\n```",
    "השטר הוא קבלה על הטובין וגם ראיה לבעלות עליהם. " * 5,
    "https://example.org/" + "a-very-long-path-without-an-end/" * 8,
    "$$\\sum_{i=1}^{n} \\frac{a_i + b_i}{c_i} = \\int_0^1 f(x)\\,dx$$ and **so on**.",
)
ROLES = {
    Role.OWNER: 2,
    Role.CURATOR: 3,
    Role.DESIGNER: 14,
    Role.INSPECTOR: 8,
    Role.ANNOTATOR: 30,
    Role.ANALYST: 3,
}
N_RUBRICS, N_CAPABILITIES, N_SYSTEMS, N_ITEMS = 40, 24, 8, 400
DEPTH, BREADTH = 9, 12


def name(place: int, most: int = 200) -> str:
    """Return a name of its own: every eighth of a kind."""
    return f"{place + 1} {NAMES[place % len(NAMES)]}"[:most]


def text(place: int) -> str:
    return f"{place + 1}. {TEXTS[place % len(TEXTS)]}"


def user_name(role: str, place: int = 0) -> str:
    return f"crowd-{role.lower()}" + (f"-{place + 1}" if place else "")


@dataclass(frozen=True)
class Crowd:
    """The project and what its parts refer to."""

    home: models.Project
    people: dict[str, list[models.User]]
    capabilities: list[models.Capability]
    domains: list[models.Domain]
    releases: list[models.SystemRelease]
    version: models.RubricVersion


def build(slug: str = "crowd") -> Crowd:
    """Make the project without its rounds and its bank."""
    users = _users()
    owner = users[Role.OWNER][0]
    home = people.create_project(slug=slug, name=name(1), subtitle=name(4), by=owner, now=make.NOW)
    home.note = text(1)
    home.noted_at = make.NOW
    home.save(update_fields=["note", "noted_at"])
    _memberships(home, users)
    rubrics, version = _rubrics(home)
    capabilities = _capabilities(home, rubrics)
    domains = list(_domains(home))
    releases = _releases(home)
    _items(home, capabilities, domains, releases)
    return Crowd(home, users, capabilities, domains, releases, version)


def _users() -> dict[str, list[models.User]]:
    password = make_password(make.PASSWORD)  # one for all: it takes a second each
    made: dict[str, list[models.User]] = {}
    for role, n_people in ROLES.items():
        made[role] = models.User.objects.bulk_create(
            models.User(username=user_name(role, place), password=password)
            for place in range(n_people)
        )
    models.Person.objects.bulk_create(
        models.Person(user=user, name=name(place), email=f"{user.username}@example.org")
        for place, user in enumerate(one for users in made.values() for one in users)
    )
    return made


def _memberships(home: models.Project, users: dict[str, list[models.User]]) -> None:
    models.Membership.objects.bulk_create(
        models.Membership(
            project=home,
            user=user,
            role=role,
            created_at=make.NOW,
            # Of every seventh annotator the role has ended.
            ended_at=make.at(60) if role == Role.ANNOTATOR and place % 7 == 6 else None,
        )
        for role, of_role in users.items()
        for place, user in enumerate(of_role)
        if (role, place) != (Role.OWNER, 0)
    )
    models.Rater.objects.bulk_create(
        models.Rater(
            project=home, kind="PERSON", ref=str(user.public_id), user=user, created_at=make.NOW
        )
        for user in users[Role.ANNOTATOR]
    )


def _rubrics(home: models.Project) -> tuple[list[models.Rubric], models.RubricVersion]:
    rubrics = models.Rubric.objects.bulk_create(
        models.Rubric(project=home, key=f"rubric-{place}", name=name(place), created_at=make.NOW)
        for place in range(N_RUBRICS)
    )
    versions = models.RubricVersion.objects.bulk_create(
        models.RubricVersion(
            rubric=rubric, number=number, principle=text(place), created_at=make.NOW
        )
        for place, rubric in enumerate(rubrics)
        for number in range(1, 4 if place else 2)
    )
    criteria = models.Criterion.objects.bulk_create(
        models.Criterion(
            rubric_version=version,
            key=f"criterion-{position}",
            name=name(place + position),
            description=text(place + position),
            position=position,
            maximum=Decimal(4),
            pass_at=Decimal(2),
        )
        for place, version in enumerate(versions)
        for position in range(3)
    )
    models.Level.objects.bulk_create(
        models.Level(
            criterion=criterion,
            value=Decimal(value),
            label=name(place + value, 120),
            description=text(place + value),
            examples=[text(value)],
        )
        for place, criterion in enumerate(criteria)
        for value in range(5)
    )
    return rubrics, versions[0]


def _capabilities(
    home: models.Project, rubrics: Sequence[models.Rubric]
) -> list[models.Capability]:
    made: list[models.Capability] = []
    for place in range(N_CAPABILITIES):
        made.append(
            models.Capability(
                project=home,
                parent=made[place - place % 8] if place % 8 in {1, 2} else None,
                name=name(place),
                kind="GENERAL" if place % 3 else "DOMAIN",
                definition=text(place),
                difficulties={
                    one: {"definition": text(place), "example": text(place + 1)}
                    for one in models.Difficulty.values
                },
                rubric=rubrics[place % len(rubrics)],
                position=place,
            )
        )
        made[-1].save()
    return made


def _domains(home: models.Project) -> Iterator[models.Domain]:
    """Yield a tree that is both deep and broad."""
    parent: models.Domain | None = None
    for depth in range(DEPTH):
        row = models.Domain.objects.bulk_create(
            models.Domain(
                project=home,
                parent=parent,
                name=name(depth * BREADTH + place),
                definition=text(place),
                completeness_note=text(depth),
                priority=models.Priority.values[(depth + place) % 4],
                in_scope=place % 5 != 4,
                position=place,
            )
            for place in range(BREADTH)
        )
        yield from row
        parent = row[depth % 3]


def _releases(home: models.Project) -> list[models.SystemRelease]:
    systems = models.System.objects.bulk_create(
        models.System(
            project=home,
            name=name(place),
            aliases=[NAMES[place], f"system {place}"],
            colour=place % 8 + 1,
            created_at=make.NOW,
        )
        for place in range(N_SYSTEMS)
    )
    return models.SystemRelease.objects.bulk_create(
        models.SystemRelease(
            system=system, label=name(label, 120), notes=text(place), created_at=make.NOW
        )
        for label in range(2)
        for place, system in enumerate(systems)
    )


def _items(
    home: models.Project,
    capabilities: Sequence[models.Capability],
    domains: Sequence[models.Domain],
    releases: Sequence[models.SystemRelease],
) -> None:
    items = models.Item.objects.bulk_create(
        (
            _item(home, place, capabilities[place % N_CAPABILITIES], domains[place % len(domains)])
            for place in range(N_ITEMS)
        ),
        batch_size=500,
    )
    models.Response.objects.bulk_create(
        (
            _response(item, release, place + number)
            for place, item in enumerate(items)
            for number, release in enumerate(releases[:N_SYSTEMS])
        ),
        batch_size=500,
    )


def _item(
    home: models.Project, place: int, capability: models.Capability, domain: models.Domain
) -> models.Item:
    asked = contents.as_messages(text(place))
    if place % 3 == 0:
        asked = [
            *contents.as_messages(text(place + 1)),
            {"role": "assistant", "content": text(place + 2)},
            *asked,
        ]
    reference = text(place + 3)
    return models.Item(
        project=home,
        external_id=name(place),
        group=name(place),
        content_sha=contents.content_sha(asked, reference, {}),
        prompt_sha=contents.prompt_sha(asked),
        messages=asked,
        reference=reference,
        key_points=[NAMES[place % 8], NAMES[(place + 1) % 8]],
        capability=capability,
        domain=domain,
        difficulty=models.Difficulty.values[place % 3],
        question_type=models.QuestionType.values[place % 2],
        as_of="2026-01",
        created_at=make.NOW,
    )


def _response(item: models.Item, release: models.SystemRelease, place: int) -> models.Response:
    # Every tenth names a system.
    said = text(place) + (f" As {NAMES[place % 8]} I know." if place % 10 == 0 else "")
    messages = [{"role": "assistant", "content": said}]
    return models.Response(
        item=item,
        release=release,
        content_sha=contents.response_sha(messages),
        messages=messages,
        created_at=make.NOW,
    )
