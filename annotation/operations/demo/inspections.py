"""Write and inspect some questions of the demo: some wait, one came back, one is accepted."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from annotation.models import Capability, Domain, Project, QuestionVersion, SourceVersion, User
from annotation.operations.bank import inspecting, sources, writing
from annotation.rules.checklists import Checked

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
    said = sources.Said(
        text=entry["text"],
        retrieved_on=_day(entry.get("retrieved_on")),
        valid_until=_day(entry.get("valid_until")),
    )
    about = sources.About(**{name: entry[name] for name in names})
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

    def _text(self, entry: Mapping[str, Any], **more: Any) -> writing.Text:
        project = self.project
        capability = Capability.objects.get(project=project, name=entry["capability"])
        domain = Domain.objects.get(project=project, name=entry["domain"])
        return writing.Text(
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
