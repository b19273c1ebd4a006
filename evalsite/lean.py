"""What the web process does without."""

import sys

from django.db import connection


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
