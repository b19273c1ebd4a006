"""Look at how an application is to be asked, before an endpoint keeps it."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from evalsite import allowances, errors
from scoring.llm import addresses, rest


class RequestRefused(errors.Invalid):
    """A part of the request cannot be used; `fields` says which."""

    code = "request_refused"


def checked(url: str, given: Mapping[str, Any], project: str) -> rest.Template:
    """Return the template of a request to an application.

    Raises:
        RequestRefused: a part of it cannot be used, or its server may not be asked.
    """
    template = rest.template_of(url.strip(), given)
    try:
        rest.check(template)
        addresses.check(template.origin, allowances.networks_of(project))
    except rest.NotUsable as problem:
        said = _said(problem)
        raise RequestRefused(said, fields={problem.place: [said]}) from problem
    except addresses.AddressRefused as refusal:
        raise RequestRefused(str(refusal), fields={"url": [str(refusal)]}) from refusal
    return template


def _said(problem: rest.NotUsable) -> str:
    names = ", ".join(f"{{{name}}}" for name in rest.NAMES)
    told = {
        "broken": _("This is no address. It looks like https://tutor.example/api/answer."),
        "scheme": _("An address begins with https:// or http://."),
        "host": _("The address names no server, or holds a sign that no address has."),
        "server_is_fixed": _("A placeholder may stand behind the server’s name only."),
        "user": _("An address holds no name and password; set a key instead."),
        "fragment": _("The address must hold no # part."),
        "unknown": _("The method is one of %(names)s.") % {"names": ", ".join(rest.METHODS)},
        "too_many": _("At most %(n)d headers are sent.") % {"n": rest.MOST_HEADERS},
        "name": _("“%(what)s” is no header that can be set here."),
        "value": _("The value of the header “%(what)s” is too long, or not of plain letters."),
        "too_long": _("The body is longer than %(n)d characters.") % {"n": rest.MOST_BODY},
        "none_with_get": _("A GET sends no body. Put {message} into the address, or choose POST."),
        "no_json": _(
            "The body is no JSON (line %(what)s). Texts with placeholders stand in quotes."
        ),
        "too_deep": _("The body is nested too deeply."),
        "key_in_headers_alone": _("{key} may stand in headers alone, where nobody is shown it."),
        "says_nothing": _(
            "The request tells the application nothing. Put {message} or {messages} in."
        ),
        "no_path": _("“%(what)s” is no path. It looks like data.answers[0].text."),
    }
    if problem.code == "placeholder":
        text = _("There is no %(what)s here. There are %(names)s.")
        return text % {"what": problem.detail, "names": names}
    text = told[problem.code]
    return text % {"what": problem.detail} if "%(what)s" in text else text
