"""Why a start is refused: one sentence with its remedy."""

from evalsite import errors


class CannotStart(errors.Refusal):
    """The site cannot be started as things are."""

    code = "cannot_start"


class AlreadyRunning(CannotStart):
    """Another supervisor holds this data folder."""

    code = "already_running"


class GaveUp(CannotStart):
    """A process ends again and again."""

    code = "gave_up"
