"""What the bank refuses, and why."""

from evalsite import errors


class NotNow(errors.Conflict):
    """The question is not in a state that allows this, or it is not theirs to do."""


class Incomplete(errors.Invalid): ...
