"""Find what is to be translated, bring catalogues up to date and compile them; say what is missing."""

from pathlib import Path
from typing import Any, Final

import django
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import to_locale

from evalsite.text import catalogues
from evalsite.text.catalogues import Catalogue

#: Every file that has words.
WHOLE_SITE: Final = (
    "annotation/**/*.py",
    "evalsite/**/*.py",
    "scoring/**/*.py",
    "templates/**/*.html",
    "!*/migrations/*.py",
)
#: So many messages are named of those that lack something.
NAMED: Final = 20


class Command(BaseCommand):
    help = (
        "Find the messages of the pages that are translated, bring each language's catalogue up to date, "
        "compile it, and say what is missing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--language", metavar="CODE", help="one language; a new one gets its catalogue"
        )
        parser.add_argument(
            "--check", action="store_true", help="write nothing; fail if anything is missing"
        )
        parser.add_argument("--home", type=Path, default=settings.BASE_DIR, help="of the site")

    def handle(self, *_args: Any, language: str | None, **options: Any) -> None:
        home, is_check = options["home"], options["check"]
        codes = [language] if language else [one for one, _n in settings.LANGUAGES if one != "en"]
        try:
            wanted = catalogues.found(home, catalogues.pages(home))
            whole = catalogues.found(home, WHOLE_SITE)
            lacking = [code for code in codes if not self._one(home, code, wanted, is_check)]
        except catalogues.BadCatalogue as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(
            f"Messages of these pages: {len(wanted)}; of the whole site: {len(whole)}."
        )
        if lacking:
            raise CommandError(f"Not complete: {', '.join(lacking)}.")

    def _one(
        self, home: Path, code: str, wanted: dict[catalogues.Message, list[str]], is_check: bool
    ) -> bool:
        """Bring one catalogue up to date; return whether nothing is missing."""
        path = catalogues.place(home, code)
        text = path.read_text("utf-8") if path.is_file() else ""
        old = catalogues.read(text) if text else Catalogue(_header(code))
        new = catalogues.merged(old, wanted)
        said, made = catalogues.written(new), catalogues.compiled(new)
        compiled = path.with_suffix(".mo")
        is_new = said != text or not compiled.is_file() or made != compiled.read_bytes()
        if is_new and not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(said, "utf-8")
            compiled.write_bytes(made)
        missing = catalogues.lacking(new)
        gone = len(old.entries.keys() - new.entries.keys())
        self.stdout.write(
            f"{code}: {len(new.entries) - len(missing)} of {len(new.entries)} translated"
            + (f", {gone} no longer used" if gone else "")
            + (", out of date" if is_new and is_check else "")
            + "."
        )
        for line in missing[:NAMED]:
            self.stdout.write(f"  {line}")
        if len(missing) > NAMED:
            self.stdout.write(f"  … and {len(missing) - NAMED} more, in {path}")
        return not missing and not (is_check and is_new)


def _header(code: str) -> str:
    """Return the head of a new catalogue; how a language counts is known to Django."""
    theirs = Path(django.__file__).parent / "conf/locale" / to_locale(code)
    known = theirs / "LC_MESSAGES/django.po"
    if not known.is_file():
        raise CommandError(
            f"“{code}” is no language that Django knows. Name one such as de, fr or zh-hant."
        )
    of_django = catalogues.read(known.read_text("utf-8")).header
    plural = next(line for line in of_django.splitlines() if line.startswith("Plural-Forms:"))
    return (
        f"Language: {to_locale(code)}\nMIME-Version: 1.0\n"
        f"Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n{plural}\n"
    )
