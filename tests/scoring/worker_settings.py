"""Settings of real workers that a test starts: with the data folder's own Valkey as their queue."""

from evalsite import env
from tests.settings import *  # noqa: F403
from tests.settings import DATA_DIR

QUEUE_CLIENT = "evalsite.queue.redis_client"
REDIS_URL = env.socket_url(DATA_DIR)
