"""Read questions and items anew for the hints at near-duplicates: manage.py reindex_similarity."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.people.models import Project
from annotation.search import similarity


class Command(BaseCommand):
    help = "Read every question and imported item that the hints at near-duplicates do not know."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", default="", help="short name; all projects without it")
        parser.add_argument("--anew", action="store_true", help="read all of them again")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = Project.objects.order_by("slug")
        if options["project"]:
            projects = projects.filter(slug=options["project"])
            if not projects:
                raise CommandError(f"There is no project {options['project']}.")
        for project in projects:
            n = similarity.index_rest(project=project, anew=options["anew"])
            self.stdout.write(f"{project.slug}: {n} read.")
