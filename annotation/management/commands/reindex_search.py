"""Read all that the search finds anew, and mend what was wrong: manage.py reindex_search."""

from typing import Any

from django.core.management.base import BaseCommand

from annotation.search import operations as searching


class Command(BaseCommand):
    help = (
        "Compare the words that questions, items, sources and responses are found by with what "
        "they say, mend what differs, and say what was found. Harmless at any time."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        found = searching.reindex()
        for kind, one in found.kinds.items():
            self.stdout.write(
                f"{kind.lower()}: {one.n} read, {one.missing} missing, {one.changed} not as "
                f"written, {one.stray} left over."
            )
        if not found.index_was_sound:
            self.stdout.write("The index beside the words was not sound and was made anew.")
        if found.n_mended or not found.index_was_sound:
            self.stdout.write("All of it is mended.")
        else:
            self.stdout.write("Nothing was wrong.")
