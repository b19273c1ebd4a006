import pytest
from django.core.management import CommandError, call_command


class TestWork:
    def test_refuses_a_queue_that_is_none(self):
        with pytest.raises(CommandError, match="invalid choice: 'nothing'"):
            call_command("work", "nothing")
