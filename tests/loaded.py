"""The demo without what others add to it: what annotation itself loads, sooner."""

from collections.abc import Sequence

from annotation.demo import loading
from annotation.demo.loading import Account
from evalsite import env
from tests import make

SECRETS = (b"first round's secret", b"other round's secret")


def load(secrets: Sequence[bytes] = SECRETS) -> list[Account]:
    """Load the demo of annotation alone; the test of the command load_demo loads all of it."""
    return loading.load(
        fixtures=env.BASE_DIR / "fixtures",
        password=make.PASSWORD,
        secrets=secrets,
        now=make.NOW,
        others=(),
    )
