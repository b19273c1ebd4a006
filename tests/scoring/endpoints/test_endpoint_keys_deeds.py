import pytest

from scoring.endpoints import queries as reads
from scoring.endpoints import testing as endpoint_keys
from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY

pytestmark = pytest.mark.django_db


class TestResealKeys:
    def test_seals_under_the_new_secret_key_what_the_old_one_opens(self, settings):
        made = endpoint_rows.endpoint(key=CANARY)
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another"

        assert endpoint_keys.reseal_keys() == endpoint_keys.Resealed(1, 0, ())
        assert endpoint_keys.reseal_keys() == endpoint_keys.Resealed(0, 1, ())

        settings.SECRET_KEY_FALLBACKS = []
        made.refresh_from_db()
        assert reads.key_of(made) == CANARY

    def test_names_what_no_secret_key_opens(self, settings):
        endpoint_rows.endpoint(key=CANARY)
        settings.SECRET_KEY = "another"

        assert endpoint_keys.reseal_keys().broken == ("northport/House model",)
