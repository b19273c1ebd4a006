"""Filters of a page's form, held more strictly by the API: a page leaves out what it cannot read."""

from typing import TypeVar

from django import forms
from django.utils.translation import gettext as _

from evalsite.contract.calls import InvalidParameter

Form = TypeVar("Form", bound=forms.Form)


def readable(form: Form) -> Form:
    """Return a form of filters all of whose values can be used.

    Raises:
        InvalidParameter: one cannot, such as a capability that there is not; by parameter.
    """
    found = {name: [str(one) for one in said] for name, said in form.errors.items()}
    for name in form.base_fields.keys() - form.fields.keys():
        if form.data.get(name):
            found[name] = [_("There is nothing to choose from. Leave it out.")]
    if found:
        message = _("Parameters have values that they cannot have: %(names)s.")
        raise InvalidParameter(message % {"names": ", ".join(sorted(found))}, fields=found)
    return form
