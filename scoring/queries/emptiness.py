"""Why there is no figure although nothing went wrong: what it is made of is not there yet."""


class NothingYet(ValueError):
    """The ratings say nothing on what was asked; the message says what would.

    A figure that ends so is shown as an empty page, not as a failure: trying again changes nothing, more
    ratings or another choice do.
    """
