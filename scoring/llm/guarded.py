"""An HTTP client that connects only to addresses that were checked: the checked address is the connected one.

The name of the server stays in the Host header and in the certificate's check; only the connection goes to
the number. No redirect is followed, and no proxy of the environment is used: it would resolve names itself.
"""

import asyncio
import select
import socket
import ssl
import time
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import httpcore2
import httpx2

from evalsite.outside import addresses
from scoring.llm import certificates

#: Seconds after a reply in which a server hardly ever closes the line.
A_MOMENT = 1.0
#: A body beyond this is not read to its end: a worker has only so much memory. Packed, a little is a lot.
MAX_BYTES, MAX_PACKED = 16 * 1024 * 1024, 1024 * 1024
#: Returns the addresses of a name, best first.
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


async def resolve(host: str, port: int) -> list[str]:
    """Ask the operating system for the addresses of a name."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def client(
    url: str,
    *,
    networks: Sequence[str] = (),
    timeout: float = 120.0,
    resolver: Resolver = resolve,
    trusted: ssl.SSLContext | None = None,
    certificate: str = "",
) -> httpx2.AsyncClient:
    """Return a client for the server of this URL. A refused address is an error of each request.

    The error is an AddressRefused, so that whoever asks may tell it from a connection that failed.

    Args:
        url: of the endpoint, as it was written.
        networks: private ones that the operator allows.
        timeout: of connecting, writing and reading, in seconds.
        resolver: finds the addresses of a name.
        trusted: whose certificates are good; without it, those that this machine trusts, and those that
            SSL_CERT_FILE and SSL_CERT_DIR name.
        certificate: one (PEM) that is trusted beside those.
    """
    return httpx2.AsyncClient(
        transport=Transport(url, networks, resolver, trusted, certificate),
        timeout=timeout,
        follow_redirects=False,
        trust_env=False,
    )


class Backend(httpcore2.AsyncNetworkBackend):
    """Opens connections: resolves a name once, checks all its addresses, and connects to one of them."""

    def __init__(self, networks: Sequence[addresses.Network], resolver: Resolver) -> None:
        self._networks, self._resolver = networks, resolver
        self._plain = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                checked = await self._checked(host, port)
        except TimeoutError:
            raise httpcore2.ConnectTimeout(
                f"The name {host} could not be resolved in time."
            ) from None
        failure: Exception | None = None
        for ip in checked:
            try:
                return Connected(
                    await self._plain.connect_tcp(
                        str(ip), port, timeout, local_address, socket_options
                    )
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as problem:
                failure = problem
        raise failure or httpcore2.ConnectError(f"The name {host} has no address.")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise addresses.AddressNotAllowed("An endpoint is no socket of this machine.")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[IPv4Address | IPv6Address]:
        """Return a host's addresses; one closed address among them refuses the host."""
        try:
            found = [ip_address(host)]
        except ValueError:
            name = addresses.read_host(host)
            try:
                found = [ip_address(one) for one in await self._resolver(name, port)]
            except OSError as problem:
                raise httpcore2.ConnectError(f"The name {name} is not known: {problem}.") from None
        for ip in found:
            addresses.check_ip(ip, self._networks)
        return found


class Connected(httpcore2.AsyncNetworkStream):
    """A connection that knows its socket: before each request the pool looks at every idle one.

    One that was used a moment ago is taken to be open; if it is not, its next request says so.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._socket: socket.socket | None = stream.get_extra_info("socket")
        self._used_at = time.monotonic()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._used_at = time.monotonic()
        data = await self._stream.read(max_bytes, timeout)
        self._used_at = time.monotonic()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return Connected(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable" and self._socket is not None:
            return time.monotonic() - self._used_at > A_MOMENT and _is_readable(self._socket)
        return self._stream.get_extra_info(info)


def _is_readable(one: socket.socket) -> bool:
    """Say whether something came, or the other side closed the line."""
    if one.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(one.fileno(), select.POLLIN)
    return bool(poll.poll(0))


class Transport(httpx2.AsyncBaseTransport):
    """Carries requests of an HTTP client over checked connections."""

    def __init__(
        self,
        url: str,
        networks: Sequence[str],
        resolver: Resolver,
        trusted: ssl.SSLContext | None = None,
        certificate: str = "",
    ) -> None:
        self._refused: addresses.AddressNotAllowed | None = None
        try:
            # Told from the URL as it was written: a client may have tidied it on its way here.
            addresses.check(url, networks)
        except addresses.AddressNotAllowed as refusal:
            self._refused = refusal
        if self._refused is None and trusted is None and url.lower().startswith("https"):
            try:
                trusted = certificates.trusted(certificate)
            except certificates.CertificatesNotReadable as problem:
                self._refused = problem
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=trusted,
            max_connections=None,
            max_keepalive_connections=None,
            keepalive_expiry=30.0,
            network_backend=Backend(addresses.networks_of(tuple(networks)), resolver),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._refused is not None:
            raise type(self._refused)(str(self._refused))
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _translated():
            got = await self._pool.handle_async_request(sent)
        assert isinstance(got.stream, AsyncIterable)
        return httpx2.Response(
            status_code=got.status,
            headers=got.headers,
            stream=_Stream(got.stream, _most(got.headers)),
            extensions=got.extensions,
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


def _most(headers: Iterable[tuple[bytes, bytes]]) -> int:
    packed = any(name.lower() == b"content-encoding" for name, _value in headers)
    return MAX_PACKED if packed else MAX_BYTES


class _Stream(httpx2.AsyncByteStream):
    """The body of a reply, whose failures are told in the client's words."""

    def __init__(self, parts: AsyncIterable[bytes], most: int) -> None:
        self._parts, self._most = parts, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        n_bytes = 0
        with _translated():
            async for part in self._parts:
                n_bytes += len(part)
                if n_bytes > self._most:
                    raise httpx2.ReadError("The reply is larger than any reply can be.")
                yield part

    async def aclose(self) -> None:
        if hasattr(self._parts, "aclose"):
            await self._parts.aclose()


#: The nearer a failure is told, the further up it stands: the first that fits is taken.
_TOLD: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (httpcore2.ConnectTimeout, httpx2.ConnectTimeout),
    (httpcore2.ReadTimeout, httpx2.ReadTimeout),
    (httpcore2.WriteTimeout, httpx2.WriteTimeout),
    (httpcore2.PoolTimeout, httpx2.PoolTimeout),
    (httpcore2.TimeoutException, httpx2.TimeoutException),
    (httpcore2.ConnectError, httpx2.ConnectError),
    (httpcore2.ReadError, httpx2.ReadError),
    (httpcore2.WriteError, httpx2.WriteError),
    (httpcore2.NetworkError, httpx2.NetworkError),
    (httpcore2.LocalProtocolError, httpx2.LocalProtocolError),
    (httpcore2.RemoteProtocolError, httpx2.RemoteProtocolError),
    (httpcore2.ProtocolError, httpx2.ProtocolError),
    (httpcore2.UnsupportedProtocol, httpx2.UnsupportedProtocol),
)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except tuple(known for known, _ in _TOLD) as problem:
        told = next(told for known, told in _TOLD if isinstance(problem, known))
        raise told(str(problem)) from problem
