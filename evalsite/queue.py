"""Fair turns in a queue: whoever has much waiting does not hold up whoever has little.

* The one door to the queue. The database is the record; a job only says "there is work, go and look".
"""

import contextlib
import contextvars
import functools
import importlib.util
import json
import logging
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import django_rq
import redis
from django.conf import settings
from django.db import connections, transaction
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker, Worker, worker_registration
from rq.exceptions import NoSuchJobError
from rq.job import Job, JobStatus, get_current_job
from rq.serializers import JSONSerializer
from rq.timeouts import BaseTimeoutException
from rq.worker.base import BaseWorker

from evalsite import errors


def place(waiting: Sequence[str], mine: str) -> int:
    """Return where somebody's next job goes among those that wait.

    Everybody's first job comes before anybody's second, and so on; within that, first come, first
    served. A job of nobody in particular counts as somebody's of its own.

    Args:
        waiting: whose the waiting jobs are, in their order; "" for nobody's.
        mine: whose the new one is.
    """
    if not mine:
        return len(waiting)
    turn = waiting.count(mine)
    seen: Counter[str] = Counter()
    for at, whose in enumerate(waiting):
        if whose and seen[whose] > turn:
            return at
        seen[whose] += 1
    return len(waiting)


logger = logging.getLogger(__name__)

FAILURE_TTL = (
    7 * 24 * 3600
)  # A failed job is kept a week for whoever looks; the database keeps the outcome.
#: A job that runs is heard of twice a minute; after so long its worker has died.
SILENCE = timedelta(seconds=100)

NAMES = ("default", "bulk", "large", "insight", "runs")
#: Of so many jobs that wait the turns are looked at.
LOOKED_AT = 500
_TURNS = "evalsite:turns"
#: Seconds within which a worker is heard of. One that has died is forgotten a minute later; where the server
#: has forgotten all of them, they are known again after less than this.
HEARD_OF = 45

#: Raised inside a job that works for longer than a job may.
TimeIsUp = BaseTimeoutException

#: A job that the sweeper rings for is begun so often without a pause though it failed; then after a minute,
#: after two, after four, and at last once in an hour.
PATIENCE = 3
LONGEST_PAUSE = timedelta(hours=1)
_FAILED = "evalsite:failed"
_sweeping = contextvars.ContextVar("sweeping", default=False)

_not_up_yet = False
_stopping = False
_parent: int | None = None


class QueueDown(errors.Refusal):
    """The queue cannot be reached. Nothing is lost: the sweeper rings again for work that waits."""

    status = 503


def enqueue(
    name: str,
    *,
    queue: str = "default",
    key: str | None = None,
    turn: str = "",
    **kwargs: Any,
) -> None:
    """Ring for the job of this dotted name once the surrounding transaction has committed.

    The name is a string so that the caller never imports the job's libraries. Keyword arguments must
    fit into JSON. A job with a `key` that already waits is not queued twice; one that is running gets
    a single successor, because it may have looked already. What may take many seconds belongs to the
    queue "bulk", what may take minutes to "large". A job there says by `turn` for whom it is: those
    for whom much waits take turns with the others.

    Where the sweeper rings and the last job of this key failed, or its worker died, it pauses ever
    longer, unless that job `got_on`.

    Raises:
        QueueDown: outside a transaction, the queue cannot be reached. Inside one, the commit has
            happened by then, so this is logged and left to the sweeper.
    """
    payload = json.loads(json.dumps(kwargs))
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(lambda: _ring_quietly(name, queue, key, payload, turn))
    else:
        _ring(name, queue, key, payload, turn)


def burst(*names: str) -> int:
    """Run everything that waits in these queues here and now; return how many jobs ran.

    For tests and commands: a job's exception reaches the caller.
    """
    done = 0
    queues = [_queue(name) for name in names or NAMES]
    while True:
        job = next((job for queue in queues if (job := _take(queue))), None)
        if job is None:
            return done
        import_string(job.func_name or "")(**job.kwargs)
        done += 1


def waiting(name: str = "default") -> list[tuple[str, Mapping[str, Any]]]:
    """Return the dotted names and arguments of the jobs that wait, first come first."""
    return [(job.func_name or "", job.kwargs) for job in _queue(name).jobs]


def is_reachable() -> bool:
    """Say whether the queue's server answers."""
    try:
        return bool(_client().ping())
    except RedisError:
        return False


def attended() -> set[str]:
    """Return the names of the queues that a worker works on; one that has died is forgotten within two minutes."""
    try:
        workers = Worker.all(connection=_client(), serializer=JSONSerializer)
        return {name for worker in workers for name in worker.queue_names()}
    except RedisError:
        return set()


#: Seconds for which a beat is heard.
BEAT = 90


def beat(name: str) -> None:
    """Say that a process which is no worker is at work."""
    with contextlib.suppress(RedisError):
        _client().set(f"evalsite:beat:{name}", 1, ex=BEAT)


def beats(name: str) -> bool:
    """Say whether such a process was heard of lately."""
    try:
        return bool(_client().exists(f"evalsite:beat:{name}"))
    except RedisError:
        return False


def work(
    *names: str, once: bool = False, forking: bool = True, preload: Sequence[str] = ()
) -> None:
    """Work on a queue until told to stop (`once`: until it is empty). SIGTERM finishes the job in hand.

    Of several queues the first comes first.
    A forking worker runs each job in a process of its own, so that a job's crash stays the job's.
    What is in `preload` it imports when its first job comes, for this one and all later ones.
    """
    queues = [_queue(name) for name in names]
    if not once:
        _wait_until_reachable()
    worker = (_Forking if forking else _Simple)(
        queues,
        connection=queues[0].connection,
        serializer=JSONSerializer,
        default_result_ttl=0,
        worker_ttl=HEARD_OF,
    )
    if isinstance(worker, _Forking):
        worker.preload = preload
    if forking:
        _close_databases()
    worker.work(burst=once, logging_level="INFO")


def got_on() -> None:
    """Say, inside a job, that it came to its work: how often it failed before counts no more."""
    if job := get_current_job():
        with contextlib.suppress(RedisError):
            _client().delete(f"{_FAILED}:{job.id.removesuffix('-next')}")


def is_stopping() -> bool:
    """Say, inside a job, whether its worker was asked to stop, or is no more.

    A long job looks now and then and ends in good order; its work goes on with the next one.
    """
    return _stopping or (_parent is not None and os.getppid() != _parent)


def for_amount(n: int, *, many: int) -> str:
    """Return the queue for a job about so many things, where many of them take some seconds."""
    if n <= many:
        return "default"
    return "bulk" if n <= 10 * many else "large"


def others_wait(*names: str) -> bool:
    """Say whether somebody waits for a turn: a long job looks now and then, and goes on later."""
    try:
        return any(_client().llen(_queue(name).key) for name in names)
    except RedisError:
        return False


def load(names: Sequence[str]) -> None:
    """Import modules that are there."""
    for name in names:
        if importlib.util.find_spec(name):
            importlib.import_module(name)


def _wait_until_reachable() -> None:
    """Wait for a queue's server that is away: to end and be started again would not bring it back."""
    told = False
    while not is_reachable():
        if not told:
            logger.warning("The queue does not answer. This worker begins once it does.")
        told = True
        time.sleep(1)


class _Heard(BaseWorker):
    """A worker that says who it is again where the queue's server has forgotten it, and finds one that was away."""

    max_connection_wait_time = 5.0

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        super().heartbeat(timeout, pipeline)
        if pipeline is None:
            self._register_again()

    def maintain_heartbeats(self, job: Job, execution: Any) -> None:
        super().maintain_heartbeats(job, execution)
        self._register_again()

    def _register_again(self) -> None:
        if self.connection.sismember(self.redis_workers_keys, self.key):
            return
        with self.connection.pipeline() as pipeline:
            pipeline.hset(self.key, mapping=self.serialize())
            worker_registration.register(self, pipeline)
            pipeline.expire(self.key, HEARD_OF + BEAT)
            pipeline.execute()


class _Simple(_Heard, SimpleWorker):
    """A worker that runs its jobs itself."""


class _Forking(_Heard, Worker):
    """A worker that passes the wish to stop on to the process of its job."""

    preload: Sequence[str] = ()

    def execute_job(self, job: Job, queue: Queue) -> None:
        load(self.preload)
        super().execute_job(job, queue)

    def setup_work_horse_signals(self) -> None:
        global _stopping, _parent
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        _stopping, _parent = False, os.getppid()
        signal.signal(signal.SIGUSR1, _note_stop)

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        if self.horse_pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGUSR1)


def _note_stop(*_signal: object) -> None:
    global _stopping
    _stopping = True


def redis_client(url: str) -> "redis.Redis":
    """Return the client of a Redis or Valkey server (the default of settings.QUEUE_CLIENT)."""
    return redis.Redis.from_url(url, socket_connect_timeout=2)


@contextlib.contextmanager
def not_up_yet() -> Iterator[None]:
    """While the site is prepared, its queue is not there yet: say nothing of what waits for it."""
    global _not_up_yet
    _not_up_yet = True
    try:
        yield
    finally:
        _not_up_yet = False


def _ring_quietly(
    name: str, queue: str, key: str | None, payload: Mapping[str, Any], turn: str
) -> None:
    try:
        _ring(name, queue, key, payload, turn)
    except QueueDown:
        level = logging.DEBUG if _not_up_yet else logging.WARNING
        logger.log(level, "The queue did not answer; %s waits for the sweeper.", name)


def _ring(
    name: str,
    queue: str,
    key: str | None,
    payload: Mapping[str, Any],
    turn: str = "",
) -> None:
    if settings.QUEUE_INLINE:
        import_string(name)(**payload)
        return
    try:
        line = _queue(queue)
        job_id = key and _free_id(line, key, pauses=_sweeping.get())
        if key is None or job_id is not None:
            job = line.enqueue_call(
                name,
                kwargs=dict(payload),
                job_id=job_id,
                result_ttl=0,
                failure_ttl=FAILURE_TTL,
                description=name,  # what workers log of a job: never what it is given
            )
            if turn:
                _take_turn(line, job.id, turn)
    except RedisError as problem:
        raise QueueDown(
            _(
                "The background workers cannot be reached just now. Nothing is lost; try again in a minute."
            )
        ) from problem


def _take_turn(queue: Queue, job_id: str, turn: str) -> None:
    """Put a job that was just queued before those of others for whom more waits already."""
    server, names = queue.connection, f"{_TURNS}:{queue.name}"
    server.hset(names, job_id, turn)
    server.expire(names, FAILURE_TTL)
    ids = cast("list[bytes]", server.lrange(queue.key, 0, LOOKED_AT))
    waiting = [one for one in ids if one.decode() != job_id]
    if not waiting:
        server.delete(names)
        server.hset(names, job_id, turn)
        return
    whose = cast("list[bytes | None]", server.hmget(names, [one.decode() for one in waiting]))
    spot = place([(one or b"").decode() for one in whose], turn)
    if spot == len(waiting):
        return

    def move(pipe: Any) -> None:
        # Under WATCH: a worker may have taken one of the two in between.
        there = pipe.lrange(queue.key, 0, -1)
        pipe.multi()
        if job_id.encode() in there and waiting[spot] in there:
            pipe.lrem(queue.key, 1, job_id)
            pipe.linsert(queue.key, "before", waiting[spot], job_id)

    server.transaction(move, queue.key)


def _free_id(queue: Queue, key: str, *, pauses: bool) -> str | None:
    """Return the job id to use for a key, or None when a job of that key already waits, or is to pause."""
    for job_id in (key, f"{key}-next"):
        try:
            job = Job.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
        except NoSuchJobError:
            if job_id == key:
                queue.connection.delete(f"{_FAILED}:{key}")  # it ended well, or was never there
            return job_id
        status = job.get_status(refresh=False)
        if status == JobStatus.QUEUED:
            return None
        if status != JobStatus.STARTED or _is_silent(job):
            if _is_too_soon(queue, key, job, pauses=pauses):
                return None
            _forget(queue, job)
            return job_id
    return None


def _is_too_soon(queue: Queue, key: str, job: Job, *, pauses: bool) -> bool:
    """Say whether a job that failed, or whose worker died, is left alone for now; count it if not.

    Only the sweeper has to wait. What a person asks for is begun at once, and counted anew.
    """
    server, name = queue.connection, f"{_FAILED}:{key}"
    if not pauses:
        server.delete(name)
        return False
    n_failed = int(cast("bytes | None", server.get(name)) or 0) + 1
    since = job.ended_at or job.last_heartbeat or job.started_at
    if since is not None and datetime.now(UTC) - since < pause(n_failed):
        return True
    server.set(name, n_failed, ex=FAILURE_TTL)
    return False


def pause(n_failed: int) -> timedelta:
    """Return how long the sweeper leaves a job alone that failed so often in a row."""
    if n_failed < PATIENCE:
        return timedelta()
    return min(timedelta(minutes=2 ** min(n_failed - PATIENCE, 10)), LONGEST_PAUSE)


@contextlib.contextmanager
def sweeping() -> Iterator[None]:
    """What is rung for in here nobody has asked for just now: what fails again and again may pause."""
    token = _sweeping.set(True)
    try:
        yield
    finally:
        _sweeping.reset(token)


def _forget(queue: Queue, job: Job) -> None:
    """Delete a job, also one whose worker died and left half of its records."""
    try:
        job.delete()
    except ValueError:  # what rq says of the record of an execution that has expired
        line, started = queue.connection, queue.started_job_registry
        line.delete(job.key, job.execution_registry.key)
        mine = f"{job.id}:".encode()
        names = cast("list[bytes]", line.zrange(started.key, 0, -1))
        if left := [one for one in names if one.startswith(mine)]:
            line.zrem(started.key, *left)


def _is_silent(job: Job) -> bool:
    """Say whether the worker of a job that was started has not been heard of for too long."""
    heard = job.last_heartbeat or job.started_at
    return heard is not None and datetime.now(UTC) - heard > SILENCE


def _close_databases() -> None:
    """Leave nothing open that a forked process would share: neither connections nor a pool's threads."""
    for connection in connections.all(initialized_only=True):
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()


def _take(queue: Queue) -> Job | None:
    while (job_id := _first_id(queue)) is not None:
        with contextlib.suppress(NoSuchJobError):
            job = Job.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
            job.func_name, job.kwargs  # noqa: B018  read before the record goes
            job.delete(remove_from_queue=False)
            return job
    return None


def _first_id(queue: Queue) -> str | None:
    raw = cast("bytes | None", queue.connection.lpop(queue.key))
    return raw.decode() if raw else None


def _queue(name: str) -> Queue:
    return django_rq.get_queue(
        name, connection=_client(), commit_mode="auto", serializer=JSONSerializer
    )


def _client() -> "redis.Redis":
    return _client_of(settings.QUEUE_CLIENT, settings.REDIS_URL)


@functools.cache
def _client_of(factory: str, url: str) -> "redis.Redis":
    return cast("redis.Redis", import_string(factory)(url))
