"""Whether a site waits for its first account."""

from annotation.models import User


def is_needed() -> bool:
    """Say whether nobody has an account yet."""
    return not User.objects.exists()
