import errno
import sqlite3
import uuid

import psycopg
import psycopg_pool
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, OperationalError
from django.test import Client
from django.urls import reverse

from annotation.files.models import Upload
from annotation.grading.models import Grade
from annotation.people.models import Project, Role
from annotation.rounds.models import Draft
from evalsite import errors
from evalsite.web import failures
from tests import full_disk, make

pytestmark = pytest.mark.django_db
MARKS = {"mark/A/grade": "2", "mark/B/grade": "0"}


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch):
    monkeypatch.setattr(failures, "_full_at", -failures.REMEMBERED)


def caused(cause: Exception) -> OperationalError:
    """Return an error as Django hands it on."""
    try:
        raise OperationalError(*cause.args) from cause
    except OperationalError as problem:
        return problem


def sqlite_error(code: int) -> sqlite3.OperationalError:
    problem = sqlite3.OperationalError("said")
    problem.sqlite_errorcode = code
    return problem


class TestOf:
    @pytest.mark.parametrize(
        "cause",
        [
            full_disk.of_sqlite(),
            full_disk.of_postgres(),
            sqlite_error(sqlite3.SQLITE_IOERR_WRITE),
            sqlite_error(sqlite3.SQLITE_READONLY_DIRECTORY),
            psycopg.errors.IoError("could not write"),
            OSError(errno.ENOSPC, "No space left on device"),
            OSError(errno.EDQUOT, "Disk quota exceeded"),
            OSError(errno.EFBIG, "File too large"),
        ],
    )
    def test_is_a_full_disk_whoever_says_so(self, cause):
        assert failures.failure_of(cause) is failures.FULL
        assert failures.failure_of(caused(cause)) is failures.FULL

    @pytest.mark.parametrize(
        "cause",
        [
            sqlite_error(sqlite3.SQLITE_BUSY),
            psycopg.OperationalError("connection to server failed: Connection refused"),
            psycopg.OperationalError("the connection is closed"),
            psycopg.errors.AdminShutdown("terminating connection"),
            psycopg.errors.CannotConnectNow("the database system is starting up"),
            psycopg.errors.TooManyConnections("too many clients already"),
            psycopg_pool.PoolTimeout("couldn't get a connection after 10.00 sec"),
        ],
    )
    def test_is_a_database_that_is_away(self, cause):
        assert failures.failure_of(caused(cause)) is failures.AWAY

    @pytest.mark.parametrize(
        "cause",
        [
            RuntimeError("no"),
            OSError("no number"),
            FileNotFoundError(errno.ENOENT, "no such file"),
            sqlite_error(sqlite3.SQLITE_ERROR),
            psycopg.errors.UniqueViolation("twice"),
            psycopg.errors.UndefinedTable("no such table"),
            psycopg.errors.QueryCanceled("took too long"),
            psycopg.ProgrammingError("no"),
        ],
    )
    def test_is_nothing_else(self, cause):
        assert failures.failure_of(cause) is None
        assert failures.failure_of(IntegrityError("twice")) is None

    def test_looks_behind_what_was_raised_while_clearing_up(self):
        def clear_up() -> None:
            try:
                raise full_disk.of_sqlite()
            finally:
                raise RuntimeError("the clearing up failed as well")

        with pytest.raises(RuntimeError) as met:
            clear_up()
        assert failures.failure_of(met.value) is failures.FULL


class TestAFullDisk:
    """Every door at which something is written says so, and nothing is half written."""

    @pytest.fixture
    def seat(self):
        return make.claim(make.open_round(n_items=2))

    @pytest.fixture
    def annotator(self, seat):
        return self.signed_in(make.account(make.holder(seat)))

    @pytest.fixture
    def owner(self):
        return self.signed_in(make.member(Role.OWNER))

    def signed_in(self, user) -> Client:
        client = Client(raise_request_exception=False)
        client.force_login(user)
        return client

    def is_said(self, answer) -> bool:
        assert answer.status_code == 507
        assert int(answer["Retry-After"]) > 0
        if answer["Content-Type"].startswith("application/json"):
            assert answer.json()["code"] == "storage_full"
            assert "disk is full" in answer.json()["message"]
            return True
        page = answer.content.decode()
        assert "was not saved" in page
        assert "<main" in page
        return True

    def test_is_said_to_the_grading_pages_script(self, annotator, seat):
        sent = {"op_id": str(uuid.UUID(int=1)), "base_rev": 0}
        project = seat.round.project.slug
        with full_disk.full():
            for name, more in (("draft", {"patch": MARKS}), ("submit", {"entries": MARKS})):
                answer = annotator.post(
                    reverse(f"grade_{name}", args=[project, seat.token]),
                    {**sent, **more},
                    content_type="application/json",
                    headers={"Accept": "application/json"},
                )
                assert self.is_said(answer)
                assert answer["Content-Type"] == "application/json"

        assert not Draft.objects.exists()
        assert not Grade.objects.exists()
        assert failures.was_full_lately()

    def test_is_said_on_the_page_without_a_script(self, annotator, seat):
        sent = {"base_rev": "0", "mark-A-grade": "2", "mark-B-grade": "0"}
        with full_disk.full():
            answer = annotator.post(
                reverse("grade", args=[seat.round.project.slug, seat.token]), sent
            )

        assert self.is_said(answer)

    @pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "once"}])
    def test_is_said_to_programs(self, owner, key):
        project = Project.objects.get()
        with full_disk.full():
            answer = owner.post(
                reverse("api_domains", args=[project.slug]),
                {"name": "Weather"},
                content_type="application/json",
                headers=key,
            )

        assert self.is_said(answer)

    def test_is_said_to_who_uploads(self, owner):
        project = Project.objects.get()
        file = SimpleUploadedFile("answers.csv", b"item,system,answer\n1,a,b\n")
        with full_disk.full():
            answer = owner.post(
                reverse("import_new", args=[project.slug]), {"kind": "ANSWERS", "file": file}
            )

        assert self.is_said(answer)
        assert not Upload.objects.exists()

    def test_is_said_where_an_upload_is_put_aside(self, owner, settings):
        settings.FILE_UPLOAD_HANDLERS = ["tests.evalsite.test_failures.NoRoom"]
        project = Project.objects.get()
        file = SimpleUploadedFile("answers.csv", b"item,system,answer\n1,a,b\n")

        answer = owner.post(
            reverse("import_new", args=[project.slug]), {"kind": "ANSWERS", "file": file}
        )

        assert self.is_said(answer)

    def test_is_said_to_who_signs_in(self):
        make.user("lena")
        client = Client(raise_request_exception=False)
        with full_disk.full():
            answer = client.post(reverse("login"), {"username": "lena", "password": make.PASSWORD})

        assert self.is_said(answer)

    def test_still_lets_people_read(self, owner):
        with full_disk.full():
            assert owner.get(reverse("domains", args=["northport"])).status_code == 200


class TestADatabaseThatIsAway:
    @pytest.mark.parametrize(
        ("address", "kind"), [("/", "text/html"), ("/api/v1/me/", "application/json")]
    )
    def test_is_said_everywhere(self, address, kind, monkeypatch):
        client = Client(raise_request_exception=False)
        client.force_login(make.user("lena"))

        def refuse(*_given, **_more):
            raise caused(psycopg.OperationalError("connection refused"))

        monkeypatch.setattr("evalsite.web.sessions._SESSION.first", refuse)
        answer = client.get(address)

        assert answer.status_code == 503
        assert answer["Content-Type"].startswith(kind)
        assert "does not answer" in answer.content.decode()
        assert not failures.was_full_lately()


class TestARefusalThatNoPageExpected:
    @pytest.mark.parametrize(
        ("address", "kind"), [("/", "text/html"), ("/api/v1/me/", "application/json")]
    )
    def test_is_said_and_is_no_fault_of_the_code(self, address, kind, monkeypatch):
        client = Client(raise_request_exception=False)
        client.force_login(make.user("lena"))

        def refuse(*_given, **_more):
            raise errors.Invalid("Choose another <name>.")

        monkeypatch.setattr("evalsite.web.sessions._SESSION.first", refuse)
        answer = client.get(address)

        assert answer.status_code == 422
        assert answer["Content-Type"].startswith(kind)
        assert "Choose another" in answer.content.decode()
        assert "Choose another <name>" not in answer.content.decode() or kind != "text/html"


class NoRoom:
    """An upload handler whose folder is full."""

    def __init__(self, request):
        self.chunk_size = 2**16

    def handle_raw_input(self, *_given):
        raise OSError(errno.ENOSPC, "No space left on device")
