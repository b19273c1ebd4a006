"""What happened to the demo's sources: checked, withdrawn, changed, and put into collections."""

import json
from datetime import date, datetime, timedelta
from pathlib import Path

from annotation.models import Project, Source
from annotation.operations.bank import collections, source_checks, sources
from annotation.operations.demo.inspections import Cast

#: So long after the bank was written somebody looked at its sources again.
LATER = timedelta(days=9)


def play(*, project: Project, fixtures: Path, cast: Cast, now: datetime) -> None:
    """Tell the story of fixtures/demo/corpus_life.json."""
    content = json.loads((fixtures / "demo" / "corpus_life.json").read_text())
    corpus = {one.title: one for one in Source.objects.filter(project=project)}
    people = {"inspector": cast.inspector, "second": cast.second}
    for entry in content["checks"]:
        source_checks.check(
            source=corpus[entry["title"]],
            number=1,
            outcome=entry["outcome"],
            how=entry["how"],
            by=people[entry["by"]],
            now=now + LATER,
        )
    for entry in content["versions"]:
        said = sources.Said(
            text=entry["text"],
            note=entry["note"],
            retrieved_on=date.fromisoformat(entry["retrieved_on"]),
        )
        sources.add_version(
            source=corpus[entry["title"]], said=said, by=cast.designer, now=now + LATER
        )
    for entry in content["collections"]:
        made = collections.create_collection(
            project=project, name=entry["name"], note=entry["note"], by=cast.second, now=now
        )
        if entry["designed"]:
            collections.appoint(collection=made, user=cast.designer, by=cast.second, now=now)
        for title in entry["titles"]:
            collections.move(source=corpus[title], collection=made, by=cast.second, now=now)
