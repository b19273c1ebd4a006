"""Have people rate what a run put out: manage.py publish_run northport 12 --rubric quality --n 40 --rule low:7:fit."""

import json
import secrets
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.people.models import Membership, Role
from evalsite import arguments
from evalsite.records import NoSuchRecord, parts, read
from scoring.engine.models import Run
from scoring.management import endings
from scoring.management.endings import Unusable
from scoring.management.starting import project_named, user_named
from scoring.publishing import choosing, operations, outputs
from scoring.publishing.models import Publication
from scoring.publishing.records import PublishAsked

BESIDE = ("key", "rubric", "releases", "name")


class Command(BaseCommand):
    help = (
        "Make the draft of a blind round from what a run put out: all of it, some by lot, or some of it "
        "sooner by a rule, with chances that are kept. --list shows what can be rated, by which rubrics and "
        "rules. The exit code is 0 if all went well, 2 if something given cannot be used."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("run", type=int, help="the run's number")
        parser.add_argument(
            "--list", action="store_true", help="show what there is, and do nothing"
        )
        parser.add_argument("--json", action="store_true", help="for programs")
        parser.add_argument("--name", default="Machines", help="of the round; annotators read it")
        parser.add_argument(
            "--rubric", help="its key; with :NUMBER a version other than the newest"
        )
        parser.add_argument(
            "--release", type=int, action="append", default=[], help="its key; may be repeated"
        )
        for one in parts(PublishAsked):
            if one.name not in BESIDE:
                arguments.add(parser, one)
        parser.add_argument("--key", type=UUID, help="the same key again is the same round")
        parser.add_argument("--by", default="", help="user name of who does this; else the owner")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        run = Run.objects.filter(project=project, number=options["run"]).first()
        if run is None:
            raise Unusable(f"There is no run {options['run']} in the project {project.slug}.")
        run.project = project
        if options["list"]:
            self._list(run, as_json=options["json"])
            return
        user = user_named(project, options["by"])
        owners = Membership.objects.filter(project=project, user=user, role=Role.OWNER)
        made = operations.publish_run(
            run=run,
            asked=_asked(options),
            seed=secrets.token_hex(8),
            secret=secrets.token_bytes(32),
            user=user,
            by_owner=owners.exists(),
            now=timezone.now(),
        )
        kept = Publication.objects.get(round=made)
        told = {
            "round": made.number,
            "n_taken": kept.n_taken,
            "n_units": kept.n_units,
            "rule": kept.rule,
            "seed": kept.seed,
        }
        said = f"Round {made.number}: {kept.n_taken} of {kept.n_units} outputs"
        said += f", sooner by {kept.rule}" if kept.rule else ""
        self.stdout.write(json.dumps(told) if options["json"] else f"{said}. It is being prepared.")

    def _list(self, run: Run, *, as_json: bool) -> None:
        """Write what of a run can be rated, by which rubrics of its own and by which rules."""
        found: dict[str, dict[str, str]] = {
            "sorts": {one.key: str(one.label) for one in outputs.sorts_of(run)},
            "rubrics": {key: str(label) for key, label in operations.rubrics_of(run).items()},
            "rules": {
                one.key: f"{choosing.GROUPS[one.kind]}: {one.label}"
                for one in choosing.rules_of(run)
            },
        }
        if as_json:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=2))
            return
        for title, lines in found.items():
            self.stdout.write(f"{title}:")
            for key, label in lines.items():
                self.stdout.write(f"  {key:<40} {label}")


def _asked(options: Mapping[str, Any]) -> PublishAsked:
    """Return what was asked for, checked as a call of the API is.

    Raises:
        Unusable: no rubric is named, or something is out of its limits.
    """
    if not options["rubric"]:
        raise Unusable("Name the rubric with --rubric; --list shows those of the run.")
    key, _colon, number = options["rubric"].partition(":")
    said = {one.name: options[one.name] for one in parts(PublishAsked) if one.name not in BESIDE}
    said |= {
        "key": str(options["key"] or uuid4()),
        "name": options["name"],
        "rubric": {"key": key, **({"number": number} if number else {})},
        "releases": options["release"],
    }
    try:
        return read(PublishAsked, said, sent=True)
    except NoSuchRecord as problem:
        raise Unusable(str(problem)) from None
