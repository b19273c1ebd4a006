"""What the bank refuses, and why."""

from annotation.models import QuestionVersion, User
from annotation.queries import standing
from annotation.rules import questions as rules
from evalsite import errors


class NotNow(errors.Conflict):
    """The question is not in a state that allows this, or it is not theirs to do."""

    code = "not_now"


class StaleDraft(errors.Conflict):
    """The draft was saved in another place since; `rev` is what it is now."""

    code = "stale_draft"

    def __init__(self, message: str, rev: int) -> None:
        super().__init__(message)
        self.rev = rev


class Incomplete(errors.Invalid):
    code = "incomplete"


class IdTaken(errors.Invalid):
    code = "id_taken"


def require(act: rules.Act, version: QuestionVersion, by: User, message: str) -> None:
    """Refuse with this message unless the act is theirs now.

    Raises:
        NotNow: it is not.
    """
    if not rules.allows(act, standing.of(version, by)):
        raise NotNow(message)
