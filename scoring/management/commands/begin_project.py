"""Begin a project with its endpoints: manage.py begin_project checks --owner ci --endpoints judges.json."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.people import operations as people
from annotation.people.models import Project, User
from evalsite import records
from scoring.endpoints import operations as connections
from scoring.endpoints import queries as reads
from scoring.endpoints import testing
from scoring.endpoints.api import about_of, key_of
from scoring.endpoints.records import EndpointIn
from scoring.management import endings
from scoring.management.endings import Unusable


class Command(BaseCommand):
    help = (
        "Begin a project, where it is not there yet, and add endpoints, those that are there by name left "
        "as they are. For runners that begin with nothing, such as those of CI."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("--name", default="", help="as people see it; else the short name")
        parser.add_argument("--owner", required=True, help="user name of an account that is there")
        parser.add_argument(
            "--endpoints",
            type=Path,
            help="a JSON file: a list of what the API takes; {“name”, “script”} is a scripted one",
        )

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"], is_active=True).first()
        if owner is None:
            raise Unusable(
                f"There is no active account {options['owner']}. Run create_owner first."
            )
        wanted = _read(options["endpoints"])
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            name = options["name"] or options["project"]
            project = people.create_project(
                slug=options["project"], name=name, by=owner, now=timezone.now()
            )
            self.stdout.write(f"The project {project.slug} is there.")
        for one in wanted:
            self._add(project, one, owner)

    def _add(self, project: Project, one: Mapping[str, Any], owner: User) -> None:
        name = str(one.get("name", ""))
        if reads.endpoints_of(project).filter(name=name).exists():
            self.stdout.write(f"The endpoint {name} was there already.")
            return
        who: Any = {"project": project, "by": owner, "now": timezone.now()}
        if "script" in one:
            testing.add_scripted(name=name, script=one["script"], **who)
        else:
            try:
                given = records.read(EndpointIn, dict(one), sent=True)
            except records.NoSuchRecord as problem:
                raise Unusable(f"The endpoint {name or '?'} cannot be used: {problem}") from None
            key: Any = key_of(given)
            connections.create(about=about_of(given), **key, **who)
        self.stdout.write(f"The endpoint {name} is there.")


def _read(path: Path | None) -> list[Mapping[str, Any]]:
    if path is None:
        return []
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise Unusable(f"{path} cannot be read as JSON.") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise Unusable(f"{path} holds no list of endpoints.")
    return found
