"""Fields of forms in which something is named."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models.names import fault_of


def check(name: str) -> None:
    """Refuse a name that deceives the eye.

    Raises:
        ValidationError: it holds a sign that nobody sees.
    """
    if fault := fault_of(name):
        raise ValidationError(fault, code="bad_name")


class NameField(forms.CharField):
    """A text of one line that names something."""

    default_validators = [check]


class UserNameField(forms.RegexField):
    """A user name: letters, digits and . @ + - _ and nothing else."""

    default_validators = [check]

    def __init__(self, **given: Any) -> None:
        super().__init__(r"\A[\w.@+-]+\Z", **given)
