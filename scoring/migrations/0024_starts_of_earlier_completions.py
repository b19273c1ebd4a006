"""Conversations that systems completed before are told where the recorded start ends."""

import hashlib

from django.db import migrations

from evalsite.db.guards import Guard

ASSISTANTS = {"assistant", "ai", "tool", "function", "gpt", "bot", "chatbot"}
PROMPTS = {"system", "developer"}
CHUNK = 200


#: Lost on SQLite, where the column before made the table anew; lifted elsewhere for what follows.
GUARD = Guard(
    "a_conversation_stays",
    table="scoring_conversation",
    before="UPDATE",
    when="OLD.id IS NOT NULL",
    message="a conversation stays as it came in",
    again=True,
)


def _is_users(message):
    role = message.get("role", message.get("from", message.get("type")))
    plain = role.strip().casefold() if isinstance(role, str) else ""
    return plain not in ASSISTANTS and plain not in PROMPTS


def _n_before(messages, start):
    """Return how many messages a start has: up to the user's last turn that was recorded, or the first."""
    spoken = [
        at for at, one in enumerate(messages) if _is_users(one) and not one.get("played")
    ]
    if not spoken:
        return 0
    end = spoken[0] if start == "first" else spoken[-1]
    while end + 1 < len(messages) and end + 1 in spoken:
        end += 1
    return end + 1


def forward(apps, schema_editor):
    Run = apps.get_model("scoring", "Run")
    Conversation = apps.get_model("scoring", "Conversation")
    for statement in GUARD.take_off(schema_editor.connection.vendor):
        schema_editor.execute(statement, None)
    for run in Run.objects.filter(kind="SUITE").only("pk", "config", "project").iterator():
        starts = {one["release"]: one["start"] for one in run.config.get("completions") or ()}
        if not starts:
            continue
        key = hashlib.sha256(f"completions of run {run.pk}".encode()).hexdigest()
        mine = Conversation.objects.filter(batch__key=key, set__project=run.project_id, n_before=0)
        last = 0
        while rows := list(
            mine.filter(pk__gt=last).select_related("response").defer("text").order_by("pk")[:CHUNK]
        ):
            for row in rows:
                row.n_before = _n_before(row.response.messages, starts.get(row.response.release_id))
            Conversation.objects.bulk_update(rows, ["n_before"])
            last = rows[-1].pk


class Migration(migrations.Migration):
    dependencies = [("scoring", "0023_conversations_know_their_start")]

    operations = [migrations.RunPython(forward, migrations.RunPython.noop), GUARD]
