"""Put a refusal where the person who was refused will look for it.

* Filters of lists, as they stand in the URL. What cannot be read is as if it were not there.
* Fields of forms in which something is named.
"""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.common.fields import fault_of
from evalsite.errors import Refusal


def show(form: forms.BaseForm, refusal: Refusal) -> None:
    """Add what a refusal says to the fields it names, or to the form as a whole."""
    placed = False
    for name, messages in refusal.fields.items():
        if name in form.fields:
            form.add_error(name, messages)
            placed = True
    if not placed:
        form.add_error(None, refusal.message)


def status_of(*shown: Any) -> int:
    """Return 422 if one of the forms was sent and cannot be used, else 200."""
    return 422 if any(form.is_bound and form.errors for form in shown) else 200


class Filter(forms.Form):
    """A form whose bad values are left out instead of being refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["auto_id"] = "filter_%s"
        super().__init__(*args, **kwargs)

    def given(self, name: str) -> Any:
        self.is_valid()
        return self.cleaned_data.get(name) or None

    @property
    def is_set(self) -> bool:
        return any(self.given(name) for name in self.fields)


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
