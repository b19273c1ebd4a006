import socket
from contextlib import closing

import pytest
from django.core.management import CommandError, call_command


class TestScriptedEndpoint:
    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"faults": "500=2"}, "more than 1"),
            ({"faults": "oops=0.1"}, "There is no fault oops"),
            ({"script": '{"sede": 1}'}, "no option sede"),
            ({"script": "seed"}, "is not JSON"),
        ],
    )
    def test_says_what_is_wrong_with_the_script(self, wrong, said):
        with pytest.raises(CommandError, match=said):
            call_command("scripted_endpoint", **wrong)

    def test_says_that_a_port_is_taken(self):
        with closing(socket.create_server(("127.0.0.1", 0))) as taken:
            port = taken.getsockname()[1]

            with pytest.raises(CommandError, match=f"Port {port} cannot be used"):
                call_command("scripted_endpoint", port=port)
