"""Which key is sent to which address: one that is sealed in the database, or one of the environment."""

import os
import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from evalsite import allowances, errors, secrets
from scoring.models import Endpoint

NAME = re.compile(r"[A-Z][A-Z0-9_]*")


class KeyNotThere(errors.Invalid):
    """The variable may not be used, or holds nothing."""

    code = "key_not_there"


def variables(project: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of the variables whose keys the operator lets a project send somewhere."""
    names = {one.variable for one in allowances.key_entries() if one.is_for(project)}
    return sorted(name for name in names if NAME.fullmatch(name) and environ.get(name))


def refuse_variable(
    name: str,
    url: str,
    project: str,
    environ: Mapping[str, str] = os.environ,
    *,
    field: str = "variable",
) -> None:
    """Refuse a variable whose key this project must not send to this address.

    Args:
        field: what the person has entered, or changed, that cannot be.

    Raises:
        KeyNotThere: the operator does not list it for both, or it is not set.
    """
    mine = [one for one in allowances.key_entries() if one.variable == name and one.is_for(project)]
    if not NAME.fullmatch(name) or not mine:
        raise _refused(
            _(
                "The operator does not allow the variable %(name)s in this project. Set a key instead, "
                "or have the operator add %(entry)s to EVALSITE_ENDPOINT_KEYS."
            )
            % {"name": name, "entry": allowances.entry(name, url, project)},
            field,
        )
    if not any(one.leads_to(url) for one in mine):
        message = _(
            "The operator allows %(name)s only for %(hosts)s. For this address EVALSITE_ENDPOINT_KEYS "
            "needs %(entry)s."
        )
        hosts = ", ".join(sorted({one.place for one in mine}))
        needed = allowances.entry(name, url, project)
        raise _refused(message % {"name": name, "hosts": hosts, "entry": needed}, field)
    if not environ.get(name):
        message = _("%(name)s is not set where the site runs. Have the operator set it.")
        raise _refused(message % {"name": name}, field)


def trouble(endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> str:
    """Say why the variable that an endpoint names is not read; empty where it is, or none is named."""
    if not endpoint.key_env:
        return ""
    try:
        refuse_variable(endpoint.key_env, endpoint.url, endpoint.project.slug, environ)
    except KeyNotThere as refusal:
        return refusal.message
    return ""


def is_key(text: str) -> bool:
    """Say whether a text may be sent as a key: an error about one that may not would show it."""
    return text.isascii() and text.isprintable() and " " not in text


def of(endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> str:
    """Return the key of an endpoint; "" where none is set. Show it to nobody.

    Raises:
        KeyNotThere: its variable may not be used, or holds nothing.
        SealBroken: the sealed key does not open.
    """
    if endpoint.key_env:
        refuse_variable(endpoint.key_env, endpoint.url, endpoint.project.slug, environ)
        key = environ[endpoint.key_env].strip()
        if not is_key(key):
            message = _("%(name)s holds signs that no key has. Have the operator set it again.")
            raise _refused(message % {"name": endpoint.key_env})
        return key
    return secrets.unseal(endpoint.key_sealed) if endpoint.key_sealed else ""


def _refused(message: str, field: str = "variable") -> KeyNotThere:
    return KeyNotThere(message, fields={field: [message]})
