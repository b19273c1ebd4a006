"""On PostgreSQL words are found in the texts of questions by trigrams, where its extension can be had.

Without it, and for one or two letters, the table is read through: it holds nothing but the texts.
"""

from typing import Any

#: The extension is trusted: whoever may make schemas in the database may have it.
MAY_HAVE = (
    "SELECT has_database_privilege(current_database(), 'CREATE') "
    "AND EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm')"
)
INDEX = (
    "CREATE INDEX IF NOT EXISTS question_text_by_trigram "
    "ON annotation_questiontext USING gin (said gin_trgm_ops)"
)


def add(_apps: Any, editor: Any) -> None:
    if editor.connection.vendor != "postgresql":
        return
    with editor.connection.cursor() as cursor:
        cursor.execute(MAY_HAVE)
        if cursor.fetchone()[0]:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            cursor.execute(INDEX)


def remove(_apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        with editor.connection.cursor() as cursor:
            cursor.execute("DROP INDEX IF EXISTS question_text_by_trigram")
