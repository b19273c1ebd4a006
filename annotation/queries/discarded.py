"""What is left of questions whose round was discarded: that they were somebody's, and why they are gone."""

from annotation.models import AuditEvent, Rater, Round
from annotation.rules import tokens


def why(token: str, rater: Rater) -> str | None:
    """Return why the round of a seat was discarded that this person once held; None if it was not."""
    mine = str(rater.public_id)
    events = AuditEvent.objects.filter(project=rater.project_id, verb="round.discarded")
    for event in events.order_by("-pk"):
        held = [(seat, claim) for who, seat, claim in event.data.get("claims", ()) if who == mine]
        if not held:
            continue
        number = int(event.subject.partition(":")[2])
        secret = bytes(Round.everything.get(project=rater.project_id, number=number).secret)
        if any(tokens.seat_token(secret, seat, claim) == token for seat, claim in held):
            return event.note
    return None
