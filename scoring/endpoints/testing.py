"""Test connections: asked for on a page, done by a worker, written down question by question.

* Add a scripted endpoint, ready to be used: it needs no address, no key and nobody's money.
* Keep the keys of endpoints sealed under the SECRET_KEY of today.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.people import audit
from annotation.people.models import Project, User
from evalsite import errors, queue
from evalsite.db import secrets
from scoring.endpoints import operations as writing
from scoring.endpoints import queries as endpoints
from scoring.endpoints.models import Endpoint, EndpointTest
from scoring.llm import abilities, base, clients
from scoring.llm.config import EndpointConfig

JOB = "scoring.run_jobs.test_connection"
#: A worker that has not written anything down for so long has died.
SPARE = timedelta(seconds=60)
#: The sweeper rings for tests that wait for longer than this.
LATE = timedelta(seconds=20)
MAX_PROBLEM = 500
#: A server that says nothing holds a worker no longer than this, whatever the endpoint says of waiting.
LONGEST = timedelta(minutes=10)
#: One that has not come to an end by then has ended its workers.
GIVEN_UP = timedelta(minutes=40)

Opener = Callable[[EndpointConfig], AbstractAsyncContextManager[abilities.Wire]]
Clock = Callable[[], datetime]


@transaction.atomic
def request(*, endpoint: Endpoint, by: User, now: datetime) -> EndpointTest:
    """Have a connection tested; return the test, or the one that is already under way.

    Raises:
        Retired: the endpoint is not in use any more.
        KeyNotThere: the variable that holds its key may not be used here, or holds nothing.
    """
    found = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
    if found.retired_at is not None:
        raise writing.Retired(_("This endpoint is retired. Test the one that is in use."))
    if found.key_env:
        endpoints.refuse_variable(found.key_env, found.url, found.project.slug)
    if moving := EndpointTest.objects.moving().filter(endpoint=found).first():
        return moving
    test = EndpointTest.objects.create(endpoint=found, asked_by=by, asked_at=now)
    audit.done(found, "endpoint.test_asked", by, now, name=found.name)
    _ring(test)
    return test


def carry_out(
    *,
    test_id: int,
    clock: Clock,
    open_wire: Opener = clients.open_wire,
    longest: timedelta = LONGEST,
) -> None:
    """Ask the endpoint question by question, and write down what is found.

    Nothing happens if the test is over or in other hands. No transaction is open while it asks.
    """
    test = _lease(test_id, clock())
    if test is None:
        return
    try:
        with asyncio.Runner() as runner:
            opening = open_wire(endpoints.config_of(test.endpoint))
            _ask(runner, test, opening, clock, clock() + longest)
    except TimeoutError:
        said = _("The test took longer than %(n)d minutes.") % {"n": longest.total_seconds() // 60}
        _fail(test, said, base.Trouble.TIMEOUT.value, clock())
    except base.Failed as problem:
        _fail(test, str(problem), problem.trouble.value, clock())
    except errors.Refusal as refusal:
        _fail(test, refusal.message, base.Trouble.KEY.value, clock())
    except ValueError as problem:
        _fail(test, str(problem), base.Trouble.BAD_REQUEST.value, clock())
    else:
        _finish(test, clock())


def ring_again(now: datetime) -> int:
    """Ring for tests that nobody works on; return how many. Called by the sweeper."""
    waiting = EndpointTest.objects.moving().filter(
        Q(lease_until__isnull=True, asked_at__lt=now - LATE) | Q(lease_until__lt=now)
    )
    late = list(waiting[:20])
    for test in late:
        _ring(test)
    return len(late)


def _ring(test: EndpointTest) -> None:
    """Ring for a worker; if the queue is down, the sweeper rings again."""
    try:
        queue.enqueue(
            JOB,
            queue="runs",  # a server may take minutes to say nothing
            key=f"endpoint-test-{test.pk}",
            turn=f"project-{test.endpoint.project_id}",
            test_id=test.pk,
        )
    except queue.QueueDown:
        return


def _lease(test_id: int, now: datetime) -> EndpointTest | None:
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    moving = EndpointTest.objects.moving().filter(free, pk=test_id)
    found = moving.select_related("endpoint__project", "asked_by").first()
    if found is not None and found.lease_until and found.asked_at < now - GIVEN_UP:
        said = _("The worker ended in the midst of this test, several times. Its log says why.")
        _fail(found, said, base.Trouble.TIMEOUT.value, now)
        return None
    if found is None or not moving.update(lease_until=_until(found, now), found={}, n_asked=0):
        return None
    return found


def _until(test: EndpointTest, now: datetime) -> datetime:
    # One question may be asked several times before it is given up; the test as a whole takes no longer.
    asking = timedelta(seconds=abilities.ATTEMPTS * 3 * test.endpoint.timeout)
    return now + SPARE + min(LONGEST, asking)


def _ask(
    runner: asyncio.Runner,
    test: EndpointTest,
    opening: AbstractAsyncContextManager[abilities.Wire],
    clock: Clock,
    until: datetime,
) -> None:
    endpoint = test.endpoint
    wire = runner.run(_enter(opening))
    session = abilities.TestSession(wire, endpoint.model_name, options=endpoint.options)
    probes = abilities.probes_of(endpoint.kind, endpoint.options.get("api", ""))
    found: dict[str, Any] = {}
    try:
        for n, probe in enumerate(probes, start=1):
            at = clock().isoformat()
            left = (until - clock()).total_seconds()
            for one in runner.run(asyncio.wait_for(_probe(probe, session), max(left, 0))):
                found[one.name] = {
                    "value": one.value,
                    "how": one.how,
                    "facts": dict(one.facts),
                    "at": at,
                }
            _note(test, found, n, clock())
    finally:
        runner.run(_leave(opening))


async def _enter(opening: AbstractAsyncContextManager[abilities.Wire]) -> abilities.Wire:
    return await opening.__aenter__()


async def _leave(opening: AbstractAsyncContextManager[abilities.Wire]) -> None:
    await opening.__aexit__(None, None, None)


async def _probe(
    probe: abilities.Probe, session: abilities.TestSession
) -> list[abilities.AbilityFinding]:
    return await probe(session)


def _note(test: EndpointTest, found: dict[str, Any], n_asked: int, now: datetime) -> None:
    test.found, test.n_asked, test.lease_until = found, n_asked, _until(test, now)
    test.save(update_fields=["found", "n_asked", "lease_until"])


@transaction.atomic
def _finish(test: EndpointTest, now: datetime) -> None:
    if _end(test, EndpointTest.State.DONE, now):
        writing.store_findings(test=test, now=now)


def _fail(test: EndpointTest, problem: str, trouble: str, now: datetime) -> None:
    _end(test, EndpointTest.State.FAILED, now, problem=problem[:MAX_PROBLEM], trouble=trouble)


def _end(test: EndpointTest, state: EndpointTest.State, now: datetime, **more: Any) -> int:
    moving = EndpointTest.objects.moving().filter(pk=test.pk)
    return moving.update(state=state, ended_at=now, lease_until=None, **more)


@transaction.atomic
def add_scripted(
    *,
    project: Project,
    by: User,
    now: datetime,
    script: Mapping[str, Any] | None = None,
    name: str = writing.SCRIPTED_NAME,
) -> Endpoint:
    """Add a scripted endpoint under the next free name, and have a worker find out what it can do."""
    made = writing.create_scripted(project=project, script=script or {}, name=name, by=by, now=now)
    request(endpoint=made, by=by, now=now)
    return made


@dataclass(frozen=True)
class Resealed:
    n_sealed: int
    n_kept: int
    #: Endpoints whose keys no known SECRET_KEY opens.
    broken: tuple[str, ...]


def reseal_keys() -> Resealed:
    """Seal every key under the SECRET_KEY of today; one that was changed meanwhile is left alone."""
    n_sealed, n_kept, broken = 0, 0, []
    for endpoint in Endpoint.objects.select_related("project"):
        for column in ("key_sealed", "headers_sealed"):
            old = getattr(endpoint, column)
            if not old:
                continue
            if secrets.is_current(old):
                n_kept += 1
                continue
            try:
                sealed = secrets.seal(secrets.unseal(old))
            except secrets.SealBroken:
                broken.append(f"{endpoint.project.slug}/{endpoint.name}")
                continue
            rows = Endpoint.objects.filter(pk=endpoint.pk, **{column: old})
            n_sealed += rows.update(**{column: sealed})
    return Resealed(n_sealed, n_kept, tuple(broken))
