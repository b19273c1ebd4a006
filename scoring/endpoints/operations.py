"""Look at how an application is to be asked, before an endpoint keeps it.

* Write endpoints: the servers that language models are asked at. Only their owner knows their keys.
* Say which endpoint answers as a release of a system.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Max

from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.systems.models import SystemRelease
from evalsite import allowances, errors
from evalsite.db import secrets
from evalsite.outside import addresses
from evalsite.records import plain
from scoring.endpoints import queries as endpoints
from scoring.endpoints.models import HIDDEN, Endpoint, EndpointTest, SystemConnection
from scoring.endpoints.records import EndpointAbout as EndpointAbout
from scoring.endpoints.records import EndpointsOptions
from scoring.llm import certificates, config, rest
from scoring.llm.scripted.script import Script


class RequestRefused(errors.Invalid):
    """A part of the request cannot be used; `fields` says which."""


def checked_request(url: str, given: Mapping[str, Any], project: str) -> rest.RestTemplate:
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
    except addresses.AddressNotAllowed as refusal:
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


SCRIPTED_NAME = "Scripted"
#: What decides replies: an endpoint that was used gets a new number when one of them changes.
DECISIVE = ("url", "model_name", "request", "options")
#: Findings by which requests are written; "how fast" is not among them.
DECISIVE_FINDINGS = (
    "json_schema",
    "json_object",
    "logprobs",
    "temperature",
    "top_p",
    "seed",
    "max_tokens_name",
    "thinking",
)
#: What no copy takes along.
_OWN = {"id", "number", "retired_at", "created_at", "created_by"}


class EndpointAddressRefused(errors.Invalid):
    """The address is none, or none that may be asked."""

    code = "address_refused"


class Retired(errors.Conflict):
    """The endpoint is not in use any more."""


class ScriptRefused(errors.Invalid): ...


class Scripted(errors.Conflict):
    """A scripted endpoint has no address and no key."""


@transaction.atomic
def create(
    *,
    project: Project,
    about: EndpointAbout,
    by: User,
    now: datetime,
    key: str = "",
    variable: str = "",
) -> Endpoint:
    """Add a server or an application, with its key or the variable that holds it, if it wants one.

    Raises:
        NameTaken: an endpoint in use has this name.
        EndpointAddressRefused: its address is none, or none that may be asked.
        endpoint_requests.RequestRefused: the request to an application cannot be used.
        KeyNotThere: the variable may not be used for this address, or holds nothing.
        Invalid: the key holds a character that no key can have.
    """
    kind = Endpoint.Kind.REST if about.request else Endpoint.Kind.SERVER
    made = _add(project, _looked_at(about, kind, project), kind, by, now)
    if key or variable:
        return set_key(endpoint=made, by=by, now=now, key=key, variable=variable)
    return made


@transaction.atomic
def create_scripted(
    *,
    project: Project,
    by: User,
    now: datetime,
    script: Mapping[str, Any] | None = None,
    name: str = SCRIPTED_NAME,
) -> Endpoint:
    """Add a scripted endpoint under this name, or it and a number: no language model, for trying out.

    Raises:
        ScriptRefused: the script names an option that there is not, or a share that is none.
    """
    try:
        Script.of(script or {})
    except (ValueError, TypeError, KeyError) as problem:
        raise ScriptRefused(
            _("This script cannot be played: %(why)s.") % {"why": problem}
        ) from None
    taken = set(endpoints.of_endpoints(project).values_list("name", flat=True))
    stem, n = name, 1
    while name in taken:
        n += 1
        name = f"{stem} {n}"
    free = Decimal(0)
    about = EndpointAbout(
        name=name,
        model_name="scripted",
        family="scripted",
        prompt_price=free,
        completion_price=free,
    )
    return _add(project, about, Endpoint.Kind.SCRIPTED, by, now, script=script)


@transaction.atomic
def edit(*, endpoint: Endpoint, about: EndpointAbout, by: User, now: datetime) -> Endpoint:
    """Change an endpoint; return it, or the one with the next number that takes its place.

    A sealed key stays behind when the address leaves its host: nobody can send it elsewhere.

    Raises:
        Retired: it is not in use any more.
        NameTaken: another endpoint in use has this name.
        EndpointAddressRefused: its address is none, or none that may be asked.
        endpoint_requests.RequestRefused: the request to an application cannot be used.
        KeyNotThere: the variable that holds its key may not be sent to the new address.
    """
    old = _in_use(endpoint)
    about = _looked_at(about, old.kind, old.project)
    was = asdict(EndpointAbout.of(old))
    changed = {name: value for name, value in asdict(about).items() if value != was[name]}
    if not changed:
        return old
    _refuse_double(old.project, about.name, but=old)
    if decisive := changed.keys() & set(DECISIVE):
        changed |= {"found": {}, "tested_at": None}
    if "url" in changed and old.key_env:
        endpoints.refuse_variable(old.key_env, about.url, old.project.slug, field="url")
    changed |= _secrets_left(old, about)
    columns = {name: value for name, value in changed.items() if name != "headers"}
    if decisive and endpoints.is_used(old):
        made = _next(old, columns, by, now)
    else:
        if about.name != old.name:
            columns["number"] = _next_number(old.project, about.name)
        made = _update(old, **columns)
        if decisive:
            _stop_tests(made, now)
    said = {
        name: [_told(name, was[name]), _told(name, value)]
        for name, value in changed.items()
        if name in was
    }
    _record_endpoint("endpoint.changed", made, by, now, changed=said)
    return made


@transaction.atomic
def retire(*, endpoint: Endpoint, by: User, now: datetime) -> None:
    """Take an endpoint out of use. What it answered stays; its key is forgotten, so that runs pause.

    Raises:
        Retired: somebody did it before.
    """
    old = _in_use(endpoint)
    _update(old, retired_at=now, key_sealed="", key_env="", headers_sealed="", header_names=[])
    _record_endpoint("endpoint.retired", old, by, now)


@transaction.atomic
def set_key(
    *, endpoint: Endpoint, by: User, now: datetime, key: str = "", variable: str = ""
) -> Endpoint:
    """Seal a key, or name the variable that holds it; neither: send none. It replaces what was set.

    A retired endpoint may get one as well: a run that is not finished may still ask it.

    Raises:
        Scripted: it takes no key.
        KeyNotThere: the variable may not be used for this address, or holds nothing.
        Invalid: the key holds a character that no key can have.
    """
    old = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
    if old.is_scripted:
        raise Scripted(_("A scripted endpoint takes no key."))
    key = key.strip()
    if not endpoints.is_key(key):
        message = _("A key has no spaces and only plain letters, digits and signs. Copy it again.")
        raise errors.Invalid(message, fields={"key": [message]})
    if variable:
        endpoints.refuse_variable(variable, old.url, old.project.slug)
    sealed = secrets.seal(key) if key and not variable else ""
    made = _update(old, key_sealed=sealed, key_env=variable)
    kept = "variable" if variable else "sealed" if key else "none"
    _record_endpoint("endpoint.key_set", made, by, now, kept=kept, variable=variable)
    return made


@transaction.atomic
def store_findings(*, test: EndpointTest, now: datetime) -> Endpoint:
    """Keep what a test found with its endpoint; return it, or the one that takes its place.

    What could not be found out this time stays as it was known. An endpoint that was used and now
    is to be asked in another way gets a new number: what it answered before stays what it was.
    """
    old = Endpoint.objects.select_for_update().get(pk=test.endpoint_id)
    told = {name: one for name, one in test.found.items() if one.get("value") is not None}
    found = {**{name: one for name, one in test.found.items() if name not in old.found}}
    found = {**old.found, **found, **told}
    values = {"found": found, "tested_at": now}
    asked_otherwise = not old.is_scripted and _differs(old.found, found)
    if old.retired_at is None and asked_otherwise and endpoints.is_used(old):
        made = _next(old, values, test.asked_by, now)
        _record_endpoint(
            "endpoint.changed", made, test.asked_by, now, changed={"found": sorted(told)}
        )
        return made
    return _update(old, **values)


def _add(
    project: Project,
    about: EndpointAbout,
    kind: Endpoint.Kind,
    by: User,
    now: datetime,
    script: Mapping[str, Any] | None = None,
) -> Endpoint:
    Project.objects.select_for_update().get(pk=project.pk)  # one at a time finds a free name
    _refuse_double(project, about.name)
    values = asdict(about)
    values |= _sealed(values.pop("headers"), {})
    made = Endpoint.objects.create(
        project=project,
        kind=kind,
        number=_next_number(project, about.name),
        script=dict(script or {}),
        created_by=by,
        created_at=now,
        **values,
    )
    _record_endpoint("endpoint.added", made, by, now, url=made.url, model=made.model_name)
    return made


def _looked_at(about: EndpointAbout, kind: str, project: Project) -> EndpointAbout:
    """Return what is kept of an endpoint of this kind, if its address may be asked."""
    _check_certificates(about.certificates)
    if kind == Endpoint.Kind.SCRIPTED:
        return replace(about, url="", request={}, options={}, headers={}, certificates="")
    if kind == Endpoint.Kind.SERVER:
        options = _checked_options(about)
        return replace(about, url=_address(about.url, project), request={}, options=options)
    found = checked_request(about.url, about.request, project.slug)
    return replace(about, url=found.url, request=found.as_dict(), options={}, headers={})


def _check_certificates(pem: str) -> None:
    if pem.strip():
        try:
            certificates.check(pem)
        except certificates.CertificatesNotReadable:
            said = _("This is no certificate. Paste the PEM text, from BEGIN to END CERTIFICATE.")
            raise RequestRefused(said, fields={"certificates": [said]}) from None


def _checked_options(about: EndpointAbout) -> dict[str, Any]:
    """Return what is kept of how a server is asked: what is not as usual."""
    try:
        rest.check_headers(_spelled(about.headers), {rest.KEY})
    except rest.NotUsable as problem:
        said = _said(problem)
        raise RequestRefused(said, fields={"headers": [said]}) from problem
    options = {**about.options}
    if bare := sorted(
        name
        for name, value in options.get("query", {}).items()
        if config.is_secret(name) and config.KEY not in value
    ):
        said = _(
            "What stands in the query is shown to whoever sees endpoints. Give the secret as the endpoint’s "
            "key, and write %(name)s={key} here."
        )
        said %= {"name": bare[0]}
        raise RequestRefused(said, fields={"query": [said]})
    if taken := sorted(config.OF_RUNS & options.get("body", {}).keys()):
        said = _("These are set by runs and by this form, not in the body: %(names)s.")
        said %= {"names": ", ".join(taken)}
        raise RequestRefused(said, fields={"body": [said]})
    usual = plain(EndpointsOptions())
    return {name: value for name, value in options.items() if value != usual[name]}


def _spelled(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers to be checked: what is kept of one was checked before."""
    return {name: "" if value == HIDDEN else value for name, value in headers.items()}


def _sealed(given: Mapping[str, str], known: Mapping[str, str]) -> dict[str, Any]:
    """Return headers as columns keep them; what one holds already is taken from those that are known."""
    told = {name: known.get(name, "") if said == HIDDEN else said for name, said in given.items()}
    kept = {name: value for name, value in told.items() if value}
    sealed = secrets.seal(json.dumps(kept)) if kept else ""
    return {"headers_sealed": sealed, "header_names": list(kept)}


def _address(url: str, project: Project) -> str:
    said = {
        "scheme": _("An address begins with https:// or http://."),
        "host": _("The address names no server. It looks like https://models.example/v1."),
        "user": _("An address holds no name and password; set a key instead."),
        "query": _("Give the base address alone; what follows ? belongs in the field Query."),
        "broken": _("This is no address. It looks like https://models.example/v1."),
    }
    try:
        kept = config.base_url(url)
        addresses.check(kept, allowances.networks_of(project.slug))
    except config.NotABase as problem:
        message = said[problem.code]
    except addresses.AddressNotAllowed as refusal:
        message = str(refusal)
    else:
        return kept
    raise EndpointAddressRefused(message, fields={"url": [message]})


def _in_use(endpoint: Endpoint) -> Endpoint:
    found = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
    if found.retired_at is not None:
        raise Retired(_("This endpoint is retired; go to the one that is in use, or add another."))
    return found


def _next(old: Endpoint, changed: dict[str, Any], by: User | None, now: datetime) -> Endpoint:
    """Retire an endpoint and put its successor in its place.

    The old number keeps its key for runs that are not finished: no other can begin with it.
    """
    kept = {
        field.attname: getattr(old, field.attname)
        for field in Endpoint._meta.concrete_fields
        if field.attname not in _OWN
    }
    _update(old, retired_at=now)
    values = {**kept, **changed}
    number = _next_number(old.project, values["name"])
    return Endpoint.objects.create(**values, number=number, created_by=by, created_at=now)


def _stop_tests(endpoint: Endpoint, now: datetime) -> None:
    """End a test that is under way: what it finds is of what the endpoint was."""
    moving = EndpointTest.objects.moving().filter(endpoint=endpoint)
    moving.update(
        state=EndpointTest.State.FAILED,
        ended_at=now,
        lease_until=None,
        problem=_("The endpoint was changed while it was tested."),
    )


def _update(endpoint: Endpoint, **values: Any) -> Endpoint:
    Endpoint.objects.filter(pk=endpoint.pk).update(**values)
    endpoint.refresh_from_db()
    return endpoint


def _next_number(project: Project, name: str) -> int:
    top = endpoints.of_endpoints(project).filter(name=name).aggregate(top=Max("number"))["top"]
    return (top or 0) + 1


def _refuse_double(project: Project, name: str, but: Endpoint | None = None) -> None:
    same = endpoints.of_endpoints(project).filter(name=name, retired_at__isnull=True).first()
    if same not in {None, but}:
        message = _("This project has an endpoint called “%(name)s”. Choose another name.")
        raise errors.NameTaken(
            message % {"name": name}, fields={"name": [message % {"name": name}]}
        )


def _differs(before: dict[str, Any], after: dict[str, Any]) -> bool:
    def values(found: dict[str, Any]) -> list[Any]:
        known = {name: found.get(name, {}).get("value") for name in DECISIVE_FINDINGS}
        # Both are sent, and no room is added, as long as nothing else is known.
        sent = {name: known[name] is not False for name in ("temperature", "top_p")}
        return list((known | sent | {"thinking": known["thinking"] or 0}).values())

    return values(before) != values(after)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value


def _told(name: str, value: Any) -> Any:
    """Return a value as the audit trail keeps it: of headers their names alone."""
    return sorted(value) if name == "headers" else _plain(value)


def _secrets_left(old: Endpoint, about: EndpointAbout) -> dict[str, Any]:
    """Return what becomes of a sealed key and of headers: none goes along to another host."""
    moves = _origin(about.url) != _origin(old.url)
    left: dict[str, Any] = {"key_sealed": ""} if moves else {}
    if about.headers != old.headers or (moves and old.header_names):
        known = {} if moves else endpoints.headers_of(old)
        left |= {"headers": about.headers, **_sealed(about.headers, known)}
    return left


def _record_endpoint(
    verb: str, endpoint: Endpoint, by: User | None, now: datetime, **data: Any
) -> None:
    audit.done(endpoint, verb, by, now, name=endpoint.name, number=endpoint.number, **data)


#: What can be set; everything else is left to the endpoint.
SETTINGS = ("system_prompt", "temperature", "top_p", "max_tokens", "seed", "stop", "effort")
MOST_STOPS = 4


class BadSettings(errors.Invalid):
    code = "bad_connection_settings"


class EndpointNotThere(errors.Invalid): ...


class ReleaseNotConnected(errors.Invalid):
    """Nothing answers as this release."""


class EndpointNotConnected(errors.Conflict):
    code = "not_connected"


@transaction.atomic
def connect(
    *,
    release: SystemRelease,
    endpoint: Endpoint,
    settings: Mapping[str, Any],
    by: User,
    now: datetime,
) -> SystemConnection:
    """Have an endpoint answer as a release. The connection that was there ends; the same one stays.

    Raises:
        EndpointNotThere: it belongs to another project, or is not used any more.
        BadSettings: a parameter is unknown or out of its range.
    """
    kept = checked(settings)
    SystemRelease.objects.select_for_update().get(pk=release.pk)
    if endpoint.project_id != release.system.project_id or endpoint.retired_at is not None:
        message = _("This project has no such endpoint in use. Choose another one.")
        raise EndpointNotThere(message, fields={"endpoint": [message]})
    mine = SystemConnection.objects.filter(release=release, ended_at__isnull=True)
    old = mine.first()
    if old is not None and (old.endpoint_id, old.settings) == (endpoint.pk, kept):
        return old
    mine.update(ended_at=now)
    made = SystemConnection.objects.create(
        release=release, endpoint=endpoint, settings=kept, created_by=by, created_at=now
    )
    _record(release, "release.connected", by, now, endpoint=endpoint.name, settings=kept)
    return made


@transaction.atomic
def disconnect(*, release: SystemRelease, by: User, now: datetime) -> None:
    """End the connection of a release; what was collected through it stays.

    Raises:
        EndpointNotConnected: nothing answers as it.
    """
    if not SystemConnection.objects.filter(release=release, ended_at__isnull=True).update(
        ended_at=now
    ):
        raise EndpointNotConnected(_("No endpoint answers as this release."))
    _record(release, "release.disconnected", by, now)


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they are kept: without what is left to the endpoint.

    Raises:
        BadSettings: a parameter is unknown or out of its range; `fields` says which.
    """
    given = {name: value for name, value in settings.items() if value not in (None, "", [], ())}
    problems = {name: [_("There is no such parameter.")] for name in given.keys() - set(SETTINGS)}
    for name, wanted in _wanted().items():
        if name in given and not _fits(name, given[name]):
            problems[name] = [wanted]
    if problems:
        said = " ".join(f"{name}: {texts[0]}" for name, texts in sorted(problems.items()))
        raise BadSettings(said, fields=problems)
    if "stop" in given:
        given["stop"] = list(given["stop"])
    return given


def _wanted() -> dict[str, str]:
    """Return what is wanted of each parameter."""
    return {
        "system_prompt": _("A text of up to 20,000 characters."),
        "temperature": _("A number from 0 to 2."),
        "top_p": _("A number above 0, up to 1."),
        "max_tokens": _("A whole number from 1."),
        "seed": _("A whole number from 0."),
        "stop": _("Up to four texts, none of them empty."),
        "effort": _("One of these: %(names)s.") % {"names": ", ".join(config.EFFORTS)},
    }


def _fits(name: str, value: Any) -> bool:
    if name == "system_prompt":
        return isinstance(value, str) and len(value) <= 20_000
    if name == "effort":
        return value in config.EFFORTS
    if name == "stop":
        return (
            isinstance(value, list | tuple)
            and len(value) <= MOST_STOPS
            and all(isinstance(one, str) and one for one in value)
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if name in {"max_tokens", "seed"}:
        return isinstance(value, int) and int(name == "max_tokens") <= value < 2**31
    return 0 <= value <= 2 if name == "temperature" else 0 < value <= 1


def _record(release: SystemRelease, verb: str, by: User, now: datetime, **data: Any) -> None:
    system = release.system
    audit.done(system, verb, by, now, release=release.label, **data)
