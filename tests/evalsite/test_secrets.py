import subprocess
import sys

import pytest

from evalsite.db import secrets


class TestSeal:
    def test_opens_again_and_shows_nothing(self):
        sealed = secrets.seal("canary-4711")

        assert "canary" not in sealed
        assert secrets.unseal(sealed) == "canary-4711"

    def test_never_makes_the_same_text_twice(self):
        assert secrets.seal("canary") != secrets.seal("canary")


class TestUnseal:
    def test_refuses_what_another_secret_key_sealed(self, settings):
        sealed = secrets.seal("canary")
        settings.SECRET_KEY = "another"

        with pytest.raises(secrets.SealBroken) as refused:
            secrets.unseal(sealed)

        assert "SECRET_KEY_FALLBACKS" in refused.value.message

    def test_opens_what_an_older_secret_key_sealed(self, settings):
        sealed = secrets.seal("canary")
        settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
        settings.SECRET_KEY = "another"

        assert secrets.unseal(sealed) == "canary"
        assert not secrets.is_current(sealed)
        assert secrets.is_current(secrets.seal("canary"))

    @pytest.mark.parametrize("broken", ["", "x", "gAAAAA=="])
    def test_refuses_what_nobody_sealed(self, broken):
        with pytest.raises(secrets.SealBroken):
            secrets.unseal(broken)


class TestImport:
    def test_loads_no_cryptography(self):
        code = "import sys, evalsite.db.secrets; sys.exit('cryptography' in sys.modules)"

        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
