"""Which key is sent to which address: one that is sealed in the database, or one of the environment."""

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from evalsite import errors, secrets
from scoring.models import Endpoint

#: Variables that an owner may name without the operator saying more.
PREFIX = "EVALSITE_KEY_"
NAME = re.compile(r"[A-Z][A-Z0-9_]*")


class KeyNotThere(errors.Invalid):
    """The variable may not be used, or holds nothing."""

    code = "key_not_there"


def variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of the variables that hold keys, for whoever may choose one."""
    names = {name for name in environ if name.startswith(PREFIX)} | _listed().keys()
    return sorted(name for name in names if NAME.fullmatch(name) and environ.get(name))


def refuse_variable(name: str, url: str, environ: Mapping[str, str] = os.environ) -> None:
    """Refuse a variable whose key must not go to this address.

    Raises:
        KeyNotThere: nobody allowed it, it is bound to another host, or it is not set.
    """
    listed = _listed()
    if not NAME.fullmatch(name) or not (name.startswith(PREFIX) or name in listed):
        raise _refused(
            _(
                "Keys are read only from variables that begin with %(prefix)s, or that the operator "
                "lists in EVALSITE_ENDPOINT_KEYS."
            )
            % {"prefix": PREFIX}
        )
    hosts = listed.get(name, set())
    if hosts and (urlsplit(url).hostname or "") not in hosts:
        message = _("The operator allows %(name)s only for %(hosts)s.")
        raise _refused(message % {"name": name, "hosts": ", ".join(sorted(hosts))})
    if not environ.get(name):
        message = _("%(name)s is not set where the site runs. Have the operator set it.")
        raise _refused(message % {"name": name})


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
        refuse_variable(endpoint.key_env, endpoint.url, environ)
        key = environ[endpoint.key_env].strip()
        if not is_key(key):
            message = _("%(name)s holds signs that no key has. Have the operator set it again.")
            raise _refused(message % {"name": endpoint.key_env})
        return key
    return secrets.unseal(endpoint.key_sealed) if endpoint.key_sealed else ""


def _listed() -> dict[str, set[str]]:
    """Return the operator's variables, each with the hosts it is bound to; none: any host."""
    found: dict[str, set[str]] = {}
    for entry in settings.ENDPOINT_KEYS:
        name, _at, host = entry.partition("@")
        found.setdefault(name, set()).update({host.lower()} if host else set())
    return found


def _refused(message: str) -> KeyNotThere:
    return KeyNotThere(message, fields={"key_env": [message]})
