"""Boot the web process in a fresh interpreter, use it, and tell what it has imported.

Run as a program: `python -m tests.architecture.web_process [dotted.name.of.a.crawl]`. The crawl is a
function without arguments that asks for pages of the running Django; what it returns is not looked at.
"""

import importlib
import json
import os
import sys

HEAVY = ("pandas", "scipy", "statsmodels", "nltk", "rouge_score", "sacrebleu")
#: Held only by a process that has read a workbook, shown the API's document, called a model and so on.
LATER = (
    "openpyxl",
    "lxml",
    "drf_spectacular",
    "regex",
    "cryptography.fernet",
    "pypdf",
    "docx",
)


def main(crawls: list[str]) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    from django.db import connection
    from django.test.utils import setup_test_environment
    from django.urls import get_resolver

    from evalsite import wsgi

    assert callable(wsgi.application)
    setup_test_environment()
    later = sorted({*LATER} & sys.modules.keys())
    driver = "psycopg" in sys.modules and connection.vendor != "postgresql"
    _load(get_resolver().url_patterns)
    for crawl in crawls:
        module, _, function = crawl.rpartition(".")
        getattr(importlib.import_module(module), function)()
    roots = {name.partition(".")[0] for name in sys.modules}
    found = {"heavy": sorted(roots & set(HEAVY)), "later": later, "driver": driver}
    sys.stdout.write(json.dumps(found))


def _load(patterns: list) -> None:  # type: ignore[type-arg]
    """Import every view, included address lists as well."""
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            _load(pattern.url_patterns)
        else:
            assert callable(pattern.callback)


if __name__ == "__main__":
    main(sys.argv[1:])
