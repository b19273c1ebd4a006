"""Put a refusal where the person who was refused will look for it."""

from typing import Any

from django import forms

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
