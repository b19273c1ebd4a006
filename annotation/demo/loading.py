"""Write the demo's question plan, and ask its designer for some of it.

* The demo's next round: a draft drawn by stratum, with anchors of the first round and repeats.
* Scores of two judges and two metrics for the answers of the demo's finished round.
* Write and inspect some questions of the demo: some wait, one came back, one is accepted.
* What happened to the demo's sources: checked, withdrawn, changed, and put into collections.
* Stock the demo's bank: its questions are written, handed in and accepted before the first round.
* What others add to the demo: annotation knows nothing of numbers and machines, and asks whoever does.
* Load the demo project: people, rubrics, questions, answers, a finished round and an open one.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.utils.module_loading import import_string

from annotation.bank import operations as writing
from annotation.bank.checklists import Checked
from annotation.bank.models import QuestionVersion
from annotation.demo import grading
from annotation.domains import operations as plan
from annotation.domains import operations as taxonomy
from annotation.domains.models import Capability, Domain
from annotation.domains.operations import PlanSpot
from annotation.files.columns import Target
from annotation.files.mappings import AnswerMapping, ColumnTarget
from annotation.files.models import ImportKind
from annotation.files.scores import CRITERION, JUDGE, METRIC, Machine, ScoreMapping
from annotation.imports import operations as imports
from annotation.imports import uploading
from annotation.inspection import operations as inspecting
from annotation.people import operations as people
from annotation.people.models import Project, Role, User
from annotation.rounds import drafting, drawing
from annotation.rounds.models import Round
from annotation.rounds.rules import MOST_RELEASES, DrawHow
from annotation.rubrics import operations as rubrics
from annotation.rubrics.models import Rubric
from annotation.sources import operations as sources
from annotation.sources.models import Source, SourceVersion
from annotation.systems import operations as systems
from annotation.systems.models import System, SystemRelease


def write(
    *, project: Project, entries: Iterable[Mapping[str, Any]], by: User, now: datetime
) -> None:
    """Write the numbers and shares of the demo's file, capabilities and areas by their names.

    The days of a share count from the end of the demo's history, a month from its beginning.
    """
    capabilities = {one.name: one.pk for one in Capability.objects.filter(project=project)}
    domains = {one.name: one.pk for one in Domain.objects.filter(project=project)}
    spots = {
        PlanSpot(
            capabilities[entry["capability"]],
            entry["difficulty"].upper(),
            domains[entry["domain"]] if "domain" in entry else None,
        ): entry
        for entry in entries
    }
    cells = plan.set_wanted(
        project=project,
        wanted={spot: entry["wanted"] for spot, entry in spots.items()},
        by=by,
        now=now,
    )
    for cell in cells:
        entry = spots[PlanSpot(cell.capability_id, cell.difficulty, cell.domain_id)]
        for share in entry.get("shares", []):
            plan.assign(
                cell=cell,
                designer=User.objects.get(username=share["who"]),
                n=share["n"],
                due_on=(now + timedelta(days=30 + share["days"])).date(),
                by=by,
                now=now,
            )


NAME = "Autumn comparison"
SEED = "20260901"
ANNOTATORS = ("lena", "kofi", "mei", "jonas")


def sketch(*, project: Project, secret: bytes, by: User, now: datetime) -> Round:
    """Make the draft and prepare it; it is left to its curator to open it."""
    round_ = drafting.create_round(
        project=project, name=NAME, seed=SEED, secret=secret, by=by, now=now
    )
    releases = SystemRelease.objects.filter(system__project=project).select_related("system")
    drafting.choose_releases(round_=round_, releases=list(releases)[:MOST_RELEASES], by=by, now=now)
    draw = drafting.Draw(
        how=DrawHow.SHARES,
        n_items=10,
        preference="SHORT",
        make_up=True,
        avoid_rounds=1,
        anchors_from=1,
        repeats=10,
    )
    drafting.choose_draw(round_=round_, draw=draw, by=by, now=now)
    grading.choose_rubrics(round_, by, now)
    users = list(User.objects.filter(username__in=ANNOTATORS))
    drafting.invite(round_=round_, users=users, by=by, by_owner=False, now=now, override="")
    drawing.prepare(round_=round_, now=now)
    return round_


#: The careful judge is of the family of a system that it judges.
MACHINES = (
    Machine("Careful judge", JUDGE, "1", "5", family="Harbour"),
    Machine("Hasty judge", JUDGE, "1", "5"),
    Machine("Shared words", METRIC, "0", "1"),
    Machine("Length in words", METRIC, "0", ""),
)
FAMILIES = {
    "Kestrel 4": "Kestrel",
    "Harbour 70B": "Harbour",
    "Dock RAG": "Dock",
    "Meridian L": "Meridian",
}


def judge(*, project: Project, fixtures: Path, by: User, now: datetime) -> None:
    """Bring in fixtures/demo/scores.csv, as a person would."""
    content = (fixtures / "demo" / "scores.csv").read_bytes()
    upload = uploading.receive(
        project=project,
        kind=ImportKind.SCORES,
        name="demo-scores.csv",
        pieces=[content],
        by=by,
        now=now,
    )
    mapping = ScoreMapping(_places(content), MACHINES)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=lambda: now)
    upload.refresh_from_db()
    batch = imports.start(upload=upload, by=by, now=now)
    imports.carry_on(batch_id=batch.pk, clock=lambda: now)
    _tell_families(project, by, now)


def _tell_families(project: Project, by: User, now: datetime) -> None:
    for system in System.objects.filter(project=project, name__in=FAMILIES):
        systems.edit_system(
            system=system,
            name=system.name,
            aliases=system.aliases,
            family=FAMILIES[system.name],
            by=by,
            now=now,
        )


def _places(content: bytes) -> tuple[ColumnTarget, ...]:
    """Return where columns go; one that is no place of an answer is a judge or a metric."""
    known = {Target.ITEM, Target.SYSTEM, Target.RELEASE}
    columns = next(csv.reader([content.decode().partition("\n")[0]]))
    return tuple(
        ColumnTarget(name, name)
        if name in known
        else ColumnTarget(name, Target.SCORE, rater=name, criterion=CRITERION)
        for name in columns
    )


#: How long after it was handed in a question is inspected, and mended.
LOOK, MEND = timedelta(hours=20), timedelta(hours=9)


@dataclass(frozen=True)
class Cast:
    """Who writes, and who inspects: a core domain needs two."""

    designer: User
    inspector: User
    second: User


def play(*, project: Project, fixtures: Path, cast: Cast, now: datetime) -> None:
    """Write the questions of fixtures/demo/inspection.json and take each where its story ends."""
    content = json.loads((fixtures / "demo" / "inspection.json").read_text())
    corpus = {
        one["title"]: add_source(project, one, cast.designer, now) for one in content["sources"]
    }
    for entry in content["questions"]:
        _Story(project, corpus, cast, now - timedelta(days=entry["days_ago"])).tell(entry)


def add_source(
    project: Project, entry: Mapping[str, Any], by: User, now: datetime
) -> SourceVersion:
    """Take a source of the demo's files into the corpus."""
    names = ("title", "kind", "publisher", "licence")
    said = sources.SourceSaid(
        text=entry["text"],
        retrieved_on=_day(entry.get("retrieved_on")),
        valid_until=_day(entry.get("valid_until")),
    )
    about = sources.SourceAbout(**{name: entry[name] for name in names})
    return sources.add_source(project=project, about=about, said=said, by=by, now=now)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


@dataclass(frozen=True)
class _Story:
    project: Project
    corpus: Mapping[str, SourceVersion]
    cast: Cast
    at: datetime

    def tell(self, entry: Mapping[str, Any]) -> None:
        before = entry.get("before")
        version = writing.create_question(
            project=self.project,
            text=self._text({**entry, **(before or {})}),
            external_id=entry["external_id"],
            by=self.cast.designer,
            now=self.at - 2 * (LOOK + MEND),
        )
        if before:
            self._submit(version, self.at - LOOK - MEND)
            self._return(version, before, self.at - MEND)
            version = self._mend(version, entry, before)
        self._submit(version, self.at)
        if entry["story"] == "returned":
            self._return(version, entry, self.at + LOOK)
        elif entry["story"] == "accepted":
            self._decide(version, self.cast.inspector, "ACCEPT", {}, self.at + LOOK)
        elif entry["story"] == "half":
            self._decide(version, self.cast.second, "ACCEPT", {}, self.at + LOOK)

    def _text(self, entry: Mapping[str, Any], **more: Any) -> writing.WholeDraft:
        project = self.project
        capability = Capability.objects.get(project=project, name=entry["capability"])
        domain = Domain.objects.get(project=project, name=entry["domain"])
        return writing.WholeDraft(
            turns=({"role": "user", "content": entry["question"]},),
            answer=entry["answer"],
            key_points=entry["key_points"],
            capability_id=capability.pk,
            domain_id=domain.pk,
            difficulty=entry["difficulty"],
            question_type=entry["type"],
            as_of=entry["as_of"],
            language="en",
            cited=[
                writing.Cited(self.corpus[title].pk, place) for title, place in entry["sources"]
            ],
            **more,
        )

    def _submit(self, version: QuestionVersion, at: datetime) -> None:
        version.refresh_from_db()
        writing.submit(version=version, base_rev=version.rev, by=self.cast.designer, now=at)

    def _mend(
        self, old: QuestionVersion, entry: Mapping[str, Any], before: Mapping[str, Any]
    ) -> QuestionVersion:
        given: dict[str, Any] = {"by": self.cast.designer, "now": self.at - timedelta(minutes=20)}
        made = writing.revise(version=old, **given)
        text = self._text(entry, replies=before["replies"])
        return writing.save_draft(version=made, text=text, base_rev=made.rev, **given)

    def _return(self, version: QuestionVersion, entry: Mapping[str, Any], at: datetime) -> None:
        self._decide(version, self.cast.inspector, "RETURN", entry, at)

    def _decide(
        self,
        version: QuestionVersion,
        by: User,
        verdict: str,
        entry: Mapping[str, Any],
        at: datetime,
    ) -> None:
        found = entry.get("findings", {})
        lines = inspecting.current_checklist(project=self.project, now=at).lines
        inspecting.inspect(
            version=version,
            verdict=verdict,
            checked=[
                Checked(row["key"], "FAIL", *found[row["key"]])
                if row["key"] in found
                else Checked(row["key"], "PASS")
                for row in lines
            ],
            by=by,
            now=at,
            note=entry.get("note", ""),
            suggestion=entry.get("suggestion"),
        )


#: So long after the bank was written somebody looked at its sources again.
LATER = timedelta(days=9)


def play_corpus(*, project: Project, fixtures: Path, cast: Cast, now: datetime) -> None:
    """Tell the story of fixtures/demo/corpus_life.json."""
    content = json.loads((fixtures / "demo" / "corpus_life.json").read_text())
    corpus = {one.title: one for one in Source.objects.filter(project=project)}
    people = {"inspector": cast.inspector, "second": cast.second}
    for entry in content["checks"]:
        sources.check(
            source=corpus[entry["title"]],
            number=1,
            outcome=entry["outcome"],
            how=entry["how"],
            by=people[entry["by"]],
            now=now + LATER,
        )
    for entry in content["versions"]:
        said = sources.SourceSaid(
            text=entry["text"],
            note=entry["note"],
            retrieved_on=date.fromisoformat(entry["retrieved_on"]),
        )
        sources.add_version(
            source=corpus[entry["title"]], said=said, by=cast.designer, now=now + LATER
        )
    for entry in content["collections"]:
        made = sources.create_collection(
            project=project, name=entry["name"], note=entry["note"], by=cast.second, now=now
        )
        if entry["designed"]:
            sources.appoint(collection=made, user=cast.designer, by=cast.second, now=now)
        for title in entry["titles"]:
            sources.move(source=corpus[title], collection=made, by=cast.second, now=now)


#: A question is handed in so long after the one before it; it is inspected a day later.
STEP, STOCK_LOOK = timedelta(minutes=40), timedelta(hours=23)
#: When all of them are accepted, counted from the beginning.
DONE = timedelta(days=3)


def stock(
    *,
    project: Project,
    fixtures: Path,
    questions: Iterable[Mapping[str, Any]],
    cast: Cast,
    now: datetime,
) -> None:
    """Write the sources of fixtures/demo/corpus.json and these questions; all are accepted.

    A source of a question is written "title, place". A core domain gets a second inspector.
    """
    content = json.loads((fixtures / "demo" / "corpus.json").read_text())
    shelf = _Shelf(
        capabilities={one.name: one.pk for one in Capability.objects.filter(project=project)},
        domains={one.name: one.pk for one in Domain.objects.filter(project=project)},
        corpus={one["title"]: add_source(project, one, cast.designer, now) for one in content},
        passages={one["title"]: one["passage"] for one in content if "passage" in one},
    )
    for place, entry in enumerate(questions, start=1):
        at = now + place * STEP
        version = writing.create_question(
            project=project,
            text=shelf.text(entry),
            external_id=entry["external_id"],
            by=cast.designer,
            now=at - STEP,
        )
        version = writing.submit(version=version, base_rev=version.rev, by=cast.designer, now=at)
        _accept(version, cast.inspector, at + STOCK_LOOK)
        if version.state == QuestionVersion.State.SUBMITTED:
            _accept(version, cast.second, at + 2 * STOCK_LOOK)


@dataclass(frozen=True)
class _Shelf:
    """What the questions name, by name."""

    capabilities: Mapping[str, int]
    domains: Mapping[str, int]
    corpus: Mapping[str, SourceVersion]
    #: The words of a source that questions rest on, where they are known.
    passages: Mapping[str, str]

    def text(self, entry: Mapping[str, Any]) -> writing.WholeDraft:
        return writing.WholeDraft(
            turns=entry["messages"],
            answer=entry["standard_answer"],
            key_points=entry["key_points"],
            capability_id=self.capabilities[entry["capability"]],
            domain_id=self.domains[entry["domain"]],
            difficulty=entry["difficulty"].upper(),
            question_type=entry["type"].upper(),
            as_of=entry["as_of"],
            language="en",
            cited=[self._cited(one) for one in entry["sources"]],
        )

    def _cited(self, source: str) -> writing.Cited:
        title, _comma, place = source.partition(", ")
        version, passage = self.corpus[title], self.passages.get(title, "")
        if not passage:
            return writing.Cited(version.pk, place)
        start = version.text.index(passage)
        return writing.Cited(version.pk, place, start, start + len(passage))


def _accept(version: QuestionVersion, by: User, at: datetime) -> None:
    lines = inspecting.current_checklist(project=version.question.project, now=at).lines
    inspecting.inspect(
        version=version,
        verdict="ACCEPT",
        checked=[Checked(row["key"], "PASS") for row in lines],
        by=by,
        now=at,
    )
    version.refresh_from_db()


#: Takes the project, who does it (an owner) and the time, all by name.
Part = Callable[..., None]
_NAMES: list[str] = []


def register(name: str) -> None:
    """Have a function, by its dotted name, called at the end of loading; it is imported only then."""
    if name not in _NAMES:
        _NAMES.append(name)


def registered() -> list[Part]:
    """Return the functions in the order of the registries, so that every demo is loaded in one."""
    return [import_string(name) for name in _NAMES]


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
    write(project=project, entries=plan["plan"], by=curator, now=began)
    cast = _cast(users)
    stock(project=project, fixtures=fixtures, questions=content.questions, cast=cast, now=began)
    _answers(project, content, curator, began + DONE)
    _notes(project, content)
    for entry, secret in zip(plan["rounds"], secrets, strict=False):
        grading.play(
            project=project, entry=entry, plan=content.plan, secret=secret, by=curator, now=now
        )
    judge(project=project, fixtures=fixtures, by=curator, now=now)
    play(project=project, fixtures=fixtures, cast=cast, now=now)
    play_corpus(project=project, fixtures=fixtures, cast=cast, now=began)
    for secret in secrets[len(plan["rounds"]) :]:
        sketch(project=project, secret=secret, by=curator, now=now)
    for part in registered() if others is None else others:
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


def _cast(users: list[tuple[User, Account]]) -> Cast:
    by_role = {account.role: user for user, account in users}
    return Cast(
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
    places = tuple(ColumnTarget(column, column) for column in COLUMNS)
    uploading.set_mapping(upload=upload, mapping=AnswerMapping(places))
    imports.check(upload=upload, clock=lambda: now)
    upload.refresh_from_db()
    batch = imports.start(upload=upload, by=by, now=now)
    imports.carry_on(batch_id=batch.pk, clock=lambda: now)


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
