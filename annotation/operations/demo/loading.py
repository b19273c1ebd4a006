"""Load the demo project: people, rubrics, questions, answers, a finished round and an open one."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from annotation.models import Domain, ImportKind, Project, Role, Rubric, SystemRelease, User
from annotation.operations import people, taxonomy
from annotation.operations.demo import (
    corpus,
    grading,
    inspections,
    judging,
    parts,
    planning,
    sketching,
    stocking,
)
from annotation.operations.demo.parts import Part
from annotation.operations.imports import applying, checking, uploading
from annotation.rubrics import operations as rubrics
from annotation.rules.tabular.mappings import AnswerMapping, Place

#: The demo's history begins so long before it is loaded.
AGE = timedelta(days=30)
COLUMNS = (
    "external_id",
    "messages",
    "standard_answer",
    "key_points",
    "capability",
    "domain",
    "difficulty",
    "type",
    "as_of",
    "system",
    "release",
    "response",
)


@dataclass(frozen=True)
class Account:
    username: str
    name: str
    role: Role


@dataclass(frozen=True)
class Content:
    """What the demo's files hold."""

    project: dict[str, Any]
    questions: list[dict[str, Any]]
    responses: list[dict[str, Any]]
    plan: dict[str, Any]
    rubrics: list[dict[str, Any]]

    @classmethod
    def read(cls, fixtures: Path) -> "Content":
        demo = fixtures / "demo"
        return cls(
            project=json.loads((demo / "project.json").read_text()),
            questions=_lines(demo / "questions.jsonl"),
            responses=_lines(demo / "responses.jsonl"),
            plan=json.loads((demo / "grades_plan.json").read_text()),
            rubrics=json.loads((fixtures / "rubrics" / "lalaeval.json").read_text()),
        )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def load(
    *,
    fixtures: Path,
    password: str,
    secrets: Sequence[bytes],
    now: datetime,
    others: Sequence[Part] | None = None,
) -> list[Account]:
    """Load the demo project and return its accounts.

    Args:
        fixtures: the folder that holds demo/ and rubrics/.
        password: of every demo account.
        secrets: one for every round of the demo; with one more, the next round is drafted too.
        now: the demo's history ends here.
        others: what is added by others in the end; by itself all that is registered.

    Raises:
        people.NameTaken: the demo is loaded already.
    """
    content = Content.read(fixtures)
    began = now - AGE
    users = _people(content, password, began)
    owner = next(user for user, account in users if account.role == Role.OWNER)
    plan = content.project
    project = people.create_project(
        slug=plan["slug"], name=plan["name"], subtitle=plan["subtitle"], by=owner, now=began
    )
    people.tell_annotators(project=project, note=plan["note"], by=owner, now=now)
    for user, account in users:
        people.grant(project=project, user=user, role=account.role, by=owner, now=began)
    curator = next(user for user, account in users if account.role == Role.CURATOR)
    _taxonomy(project, content, curator, began)
    planning.write(project=project, entries=plan["plan"], by=curator, now=began)
    cast = _cast(users)
    stocking.stock(
        project=project, fixtures=fixtures, questions=content.questions, cast=cast, now=began
    )
    _answers(project, content, curator, began + stocking.DONE)
    _notes(project, content)
    for entry, secret in zip(plan["rounds"], secrets, strict=False):
        grading.play(
            project=project, entry=entry, plan=content.plan, secret=secret, by=curator, now=now
        )
    judging.judge(project=project, fixtures=fixtures, by=curator, now=now)
    inspections.play(project=project, fixtures=fixtures, cast=cast, now=now)
    corpus.play(project=project, fixtures=fixtures, cast=cast, now=began)
    for secret in secrets[len(plan["rounds"]) :]:
        sketching.sketch(project=project, secret=secret, by=curator, now=now)
    for part in parts.registered() if others is None else others:
        part(project=project, by=owner, now=now)
    return [account for _user, account in users]


def _people(content: Content, password: str, now: datetime) -> list[tuple[User, Account]]:
    made = []
    for one in content.project["people"]:
        account = Account(one["username"], one["display_name"], Role(one["role"]))
        # Who is given what depends on the pseudonyms: always the same, so that the demo is, too.
        user = people.create_account(
            username=account.username,
            name=account.name,
            password=password,
            by=None,
            now=now,
            public_id=uuid5(NAMESPACE_URL, f"evalsite demo {account.username}"),
        )
        made.append((user, account))
    return made


def _cast(users: list[tuple[User, Account]]) -> inspections.Cast:
    by_role = {account.role: user for user, account in users}
    return inspections.Cast(
        designer=by_role[Role.DESIGNER],
        inspector=by_role[Role.INSPECTOR],
        second=by_role[Role.CURATOR],
    )


def _taxonomy(project: Project, content: Content, by: User, now: datetime) -> None:
    rubrics.load_fixture(project=project, entries=content.rubrics, by=by, now=now)
    found = {one.key: one for one in Rubric.objects.filter(project=project)}
    for one in content.project["capabilities"]:
        text = taxonomy.CapabilityText(
            name=one["name"],
            kind=one["kind"].upper(),
            definition=one["definition"],
            difficulties={
                key.upper(): {"definition": words, "example": one["examples"][key]}
                for key, words in one["difficulties"].items()
            },
            weight=Decimal(str(one["weight"])),
            question_type=one["type"].upper(),
            rubric=found[_key(one["rubric"], found)],
        )
        taxonomy.save_capability(project=project, text=text, by=by, now=now)
    for one in content.project["domains"]:
        _domain(project, one, None, by, now)


def _key(written: str, found: dict[str, Rubric]) -> str:
    return written if written in found else written.replace("_", "-")


def _domain(
    project: Project, entry: dict[str, Any], parent: Domain | None, by: User, now: datetime
) -> None:
    text = taxonomy.DomainText(
        name=entry["name"],
        parent=parent,
        definition=entry["note"],
        completeness_note=entry.get("completeness", ""),
        priority=entry["priority"],
        in_scope=entry["in_scope"],
    )
    made = taxonomy.save_domain(project=project, text=text, by=by, now=now)
    for child in entry["children"]:
        _domain(project, child, made, by, now)


def _answers(project: Project, content: Content, by: User, now: datetime) -> None:
    upload = uploading.receive(
        project=project,
        kind=ImportKind.ANSWERS,
        name="demo-answers.jsonl",
        pieces=_pieces(content),
        by=by,
        now=now,
    )
    places = tuple(Place(column, column) for column in COLUMNS)
    uploading.set_mapping(upload=upload, mapping=AnswerMapping(places))
    checking.check(upload=upload, clock=lambda: now)
    upload.refresh_from_db()
    batch = applying.start(upload=upload, by=by, now=now)
    applying.carry_on(batch_id=batch.pk, clock=lambda: now)


def _pieces(content: Content) -> Iterator[bytes]:
    questions = {one["external_id"]: one for one in content.questions}
    for answer in content.responses:
        row = {**questions[answer["external_id"]], **answer, "response": answer["text"]}
        kept = {name: row[name] for name in COLUMNS}
        yield (json.dumps(kept, ensure_ascii=False) + "\n").encode()


def _notes(project: Project, content: Content) -> None:
    for system in content.project["systems"]:
        for release in system["releases"]:
            SystemRelease.objects.filter(
                system__project=project, system__name=system["name"], label=release["label"]
            ).update(notes=release["note"])
