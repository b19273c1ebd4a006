"""Stock the demo's bank: its questions are written, handed in and accepted before the first round."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from annotation.models import Capability, Domain, Project, QuestionVersion, SourceVersion, User
from annotation.operations.bank import inspecting, writing
from annotation.operations.demo.inspections import Cast, add_source
from annotation.rules.checklists import Checked

#: A question is handed in so long after the one before it; it is inspected a day later.
STEP, LOOK = timedelta(minutes=40), timedelta(hours=23)
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
        _accept(version, cast.inspector, at + LOOK)
        if version.state == QuestionVersion.State.SUBMITTED:
            _accept(version, cast.second, at + 2 * LOOK)


@dataclass(frozen=True)
class _Shelf:
    """What the questions name, by name."""

    capabilities: Mapping[str, int]
    domains: Mapping[str, int]
    corpus: Mapping[str, SourceVersion]
    #: The words of a source that questions rest on, where they are known.
    passages: Mapping[str, str]

    def text(self, entry: Mapping[str, Any]) -> writing.Text:
        return writing.Text(
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
