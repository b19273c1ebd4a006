import socket

import pytest

from evalsite.supervisor import places


class TestCheckFree:
    def test_allows_a_port_that_is_free(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]

        places.check_free("127.0.0.1", port)

    def test_refuses_a_port_that_is_taken_and_names_another(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]

            with pytest.raises(places.CannotStart, match=f"PORT={port + 1}"):
                places.check_free("127.0.0.1", port)

    def test_refuses_an_address_of_another_machine(self):
        with pytest.raises(places.CannotStart, match="--host"):
            places.check_free("192.0.2.1", 18000)
