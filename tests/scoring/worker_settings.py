"""Settings of real workers that a test starts: their queue is the test's Redis, or the data folder's own Valkey."""

import os

from evalsite import env
from tests.settings import *  # noqa: F403
from tests.settings import DATA_DIR

QUEUE_CLIENT = "evalsite.queue.redis_client"
REDIS_URL = os.environ.get("EVALSITE_TEST_REDIS") or env.socket_url(DATA_DIR)
