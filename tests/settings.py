"""Settings of the test run: the product's own, with a throw-away data folder and no server needed."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as manage.py does
os.environ.setdefault("EVALSITE_DATA", tempfile.mkdtemp(prefix="evalsite-tests-"))
for _name in ("SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "REDIS_URL", "EVALSITE_PRODUCTION"):
    os.environ.pop(_name, None)

os.environ["EVALSITE_OPERATORS_PATH"] = "off"  # tests/evalsite/test_operators.py opens it
os.environ["DATABASE_POOL"] = "0"  # a load test opens more connections than one web process does

from evalsite.settings import *

STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # look into static/ itself; nothing is collected for a test
WHITENOISE_USE_FINDERS = True

# A file, as in production: in-memory SQLite locks tables between threads and knows no WAL.
if DATABASES["default"]["ENGINE"] == "evalsite.sqlite":
    DATABASES["default"]["TEST"] = {"NAME": str(Path(os.environ["EVALSITE_DATA"]) / "test.sqlite3")}
    # The same statements come with every test: SQLite need not read each of them anew.
    DATABASES["default"]["OPTIONS"]["cached_statements"] = 2_000

# An imitation of Redis in memory. `queue.burst()` runs what waits; QUEUE_INLINE = True runs it at once.
QUEUE_CLIENT = "tests.fake_queue.client"
QUEUE_INLINE = False
