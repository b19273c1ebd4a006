"""How static files are named and joined: by content, so that a browser may keep them for ever.

* What the web process does without.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.files.base import ContentFile
from django.db import connection
from whitenoise.storage import CompressedManifestStaticFilesStorage

_any_script, _imports = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns
#: `css/site.css` and its like are lists of sheets, which a browser can follow too.
_LISTED = re.compile(r'^@import "(?P<sheet>[\w-]+\.css)";$', re.MULTILINE)


class Storage(CompressedManifestStaticFilesStorage):
    """Hash what our ES modules import as well, so that an upgrade never mixes old and new modules.

    A sheet that lists others is collected as one file, so that a page waits for one request.
    """

    support_js_module_import_aggregation = True
    # Vendored scripts stay untouched.
    _js_module_import_aggregation_patterns = ("js/*.js", _imports)

    def post_process(self, paths: Mapping[str, Any], **options: Any) -> Iterator[Any]:
        if options.get("dry_run"):
            return
        joined = {name: _joined(name, paths) for name in paths if name.startswith("css/")}
        sources = dict(paths)
        for name, text in joined.items():
            if text is not None:
                self.delete(name)
                self._save(name, ContentFile(text.encode()))
                sources[name] = (self, name)
        yield from super().post_process(sources, **options)


def _joined(name: str, paths: Mapping[str, Any]) -> str | None:
    """Return a sheet with those it lists in their places; None if it lists none.

    Raises:
        ValueError: a sheet that it lists does not exist.
    """
    text = _text(name, paths)
    if not _LISTED.search(text):
        return None

    def sheet(found: re.Match[str]) -> str:
        listed = f"css/{found['sheet']}"
        if listed not in paths:
            raise ValueError(f"{name} lists {listed}, which does not exist. Correct the name.")
        return _joined(listed, paths) or _text(listed, paths)

    return _LISTED.sub(sheet, text)


def _text(name: str, paths: Mapping[str, Any]) -> str:
    storage, path = paths[name]
    with storage.open(path) as file:
        text: str = file.read().decode()
    return text


def keep_out() -> None:
    """Keep REST framework from loading libraries that are installed for others.

    On being imported it looks for the fields of PostgreSQL, which none of our serializers has, and
    for what colours its own pages, which we do not show. That costs 10 MB, most of it the driver of a
    database that is not in use. Where they cannot be had, REST framework does without.
    """
    names = {"psycopg", "pygments"} - {"psycopg" if connection.vendor == "postgresql" else ""}
    absent = names - sys.modules.keys()
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # None: not to be had
    try:
        import rest_framework.compat  # noqa: F401
    finally:
        for name in absent:
            del sys.modules[name]
