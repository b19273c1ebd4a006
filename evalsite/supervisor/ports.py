"""Can the web server listen where it was told to?"""

import errno
import socket

from evalsite.supervisor import refusals


def check_free(host: str, port: int) -> None:
    """Refuse an address on which nothing can listen.

    Raises:
        CannotStart: the port is taken or reserved, or the host is not one of this machine's.
    """
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as problem:
        raise refusals.CannotStart(_sentence(host, port, problem)) from problem


def _sentence(host: str, port: int, problem: OSError) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is taken by another program. Stop that one, "
            f"or choose another port: make run PORT={port + 1}"
        )
    if problem.errno == errno.EACCES:
        return (
            f"Port {port} is reserved for the system's administrator. "
            "Choose one above 1023: make run PORT=8000"
        )
    return (
        f"Nothing can listen on {host} port {port} ({problem.strerror}). "
        "Give an address of this machine with --host; 127.0.0.1 is for this machine alone."
    )
