"""The building as a Django app: its commands and its system checks."""

from django.apps import AppConfig


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        from evalsite import checks  # noqa: F401  registers the checks
