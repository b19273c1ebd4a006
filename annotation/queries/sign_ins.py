"""Where somebody is signed in, in words."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.sessions.models import Session
from django.utils.translation import gettext as _

from annotation.models import SignIn, User

#: A sign in what a browser says of itself, and what it is called; the first that fits.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True)
class Device:
    pk: int
    name: str
    since: datetime
    is_this: bool


def list_of(user: User, this: str | None, now: datetime) -> list[Device]:
    """Return the devices of somebody that are signed in, this one first.

    Args:
        this: the key of the session that asks.
    """
    there = Session.objects.filter(expire_date__gt=now).values("session_key")
    rows = SignIn.objects.filter(user=user, session_key__in=there)
    found = [Device(one.pk, name_of(one.agent), one.at, one.session_key == this) for one in rows]
    return sorted(found, key=lambda one: not one.is_this)


def name_of(agent: str) -> str:
    """Return a browser and its system as people call them."""
    browser = next((name for sign, name in BROWSERS if sign in agent), "")
    system = next((name for sign, name in SYSTEMS if sign in agent), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("A device that does not say what it is")
