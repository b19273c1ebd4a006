"""No connection arrives where none may go: each test listens at the forbidden place."""

import asyncio
import json
import socket
import ssl
import threading
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime

import httpcore2
import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from evalsite.outside import addresses
from scoring.llm import base, clients, config, guarded
from tests.scoring.llm import serving, test_addresses

REQUEST = base.Request(base.Role.JUDGE, (base.Message("user", "Score this."),))


@contextmanager
def answering(listening, answer):
    """Let a function have each connection that arrives at some sockets."""
    stopping = threading.Event()

    def listen(server):
        server.settimeout(0.05)
        while not stopping.is_set():
            with suppress(TimeoutError):
                connection, _ = server.accept()
                with connection:
                    answer(connection)

    threads = [threading.Thread(target=listen, args=(server,)) for server in listening]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


@contextmanager
def canary():
    """Listen on loopback, both kinds; yields the port and a list of all who connected."""
    arrived = []
    with ExitStack() as stack:
        four = stack.enter_context(closing(socket.create_server(("127.0.0.1", 0))))
        port = four.getsockname()[1]
        listening = [four]
        with suppress(OSError):  # a machine without IPv6 has one door less
            six = socket.create_server(("::1", port), family=socket.AF_INET6)
            listening.append(stack.enter_context(closing(six)))
        with answering(listening, lambda connection: arrived.append(connection.getpeername())):
            yield port, arrived


@contextmanager
def redirecting(location):
    """Serve one redirect after the other; yields the base URL."""
    reply = f"HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"

    def answer(connection):
        connection.settimeout(2)
        connection.recv(65536)
        connection.sendall(reply.encode())

    with closing(socket.create_server(("127.0.0.1", 0))) as server, answering([server], answer):
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def ask(url, **settings):
    """Ask an endpoint as a run does; returns the failure."""

    async def asking():
        endpoint = config.EndpointConfig(url=url, model="m", timeout=2, **settings)
        async with clients.open_model(endpoint) as model:
            return await model.reply(REQUEST)

    with pytest.raises(base.Failed) as caught:
        asyncio.run(asking())
    return caught.value


def get(url, resolver, networks=(), timeout=2):
    """Fetch a URL with a resolver of one's own; returns the status."""

    async def getting():
        async with guarded.client(
            url, networks=networks, timeout=timeout, resolver=resolver
        ) as http:
            return (await http.get(url, headers={"Connection": "close"})).status_code

    return asyncio.run(getting())


def leads_to(*answers):
    """Return a resolver that gives one answer after the other, then the last one for ever."""
    given = list(answers)

    async def resolver(host, port):
        return given.pop(0) if len(given) > 1 else given[0]

    return resolver


class TestAClient:
    def test_arrives_at_no_spelling_of_loopback(self):
        with canary() as (port, arrived):
            troubles = {
                host: ask(f"http://{host}:{port}/v1").trouble for host in test_addresses.LOOPBACK
            }

        assert set(troubles.values()) == {base.Trouble.REFUSED_ADDRESS}
        assert arrived == []

    def test_arrives_there_where_the_operator_allows_it(self):
        with canary() as (port, arrived):
            ask(f"http://127.0.0.1:{port}/v1", networks=("127.0.0.0/8",))

            assert len(arrived) == 1

    def test_says_what_the_operator_can_do(self):
        assert "EVALSITE_ENDPOINT_NETWORKS" in str(ask("http://127.0.0.1:1/v1"))

    def test_connects_to_the_address_and_keeps_the_name(self):
        asked = []

        async def resolver(host, port):
            asked.append((host, port))
            return ["127.0.0.1"]

        with serving.in_thread() as served:
            url = f"http://models.example.org:{served.port}/v1/models"

            assert get(url, resolver, ("127.0.0.0/8",)) == 200
            assert asked == [("models.example.org", served.port)]

    def test_tries_the_next_address_of_a_name(self):
        with serving.in_thread() as served:
            url = f"http://models.example.org:{served.port}/v1/models"

            assert get(url, leads_to(["127.99.99.99", "127.0.0.1"]), ("127.0.0.0/8",)) == 200

    @pytest.mark.parametrize(
        "answers",
        [
            [["127.0.0.1"]],
            [["::1"]],
            [["::ffff:127.0.0.1"]],
            [["8.8.8.8", "127.0.0.1"]],
            [["169.254.169.254"]],
            [["64:ff9b::7f00:1"]],
        ],
    )
    def test_refuses_a_name_that_leads_to_a_closed_address(self, answers):
        with canary() as (port, arrived), pytest.raises(addresses.AddressNotAllowed):
            get(f"http://models.example.org:{port}/v1", leads_to(*answers))

        assert arrived == []

    def test_refuses_a_name_that_leads_elsewhere_the_second_time(self):
        # The first answer is checked and connected to; the second belongs to the next connection.
        with serving.in_thread() as served, canary() as (port, arrived):
            first, then = ["127.0.0.1"], ["::1"]
            url = f"http://models.example.org:{served.port}/v1/models"
            resolver = leads_to(first, then)

            assert get(url, resolver, ("127.0.0.0/8",)) == 200
            with pytest.raises(addresses.AddressNotAllowed):
                get(f"http://models.example.org:{port}/v1", resolver, ("127.0.0.0/8",))

        assert arrived == []

    def test_asks_for_a_name_once_for_each_connection(self):
        calls = []

        async def resolver(host, port):
            calls.append(host)
            return ["127.0.0.1"] if len(calls) == 1 else ["::1"]

        async def twice(url):
            http = guarded.client(url, networks=("127.0.0.0/8",), timeout=2, resolver=resolver)
            async with http:
                return [(await http.get(url)).status_code for _ in range(2)]

        with serving.in_thread() as served:
            url = f"http://models.example.org:{served.port}/v1/models"

            assert asyncio.run(twice(url)) == [200, 200]
            assert len(calls) == 1

    def test_follows_no_redirect(self):
        with canary() as (port, arrived), redirecting(f"http://[::1]:{port}/v1") as there:
            failure = ask(there, networks=("127.0.0.0/8",))

        assert failure.trouble is base.Trouble.REFUSED_ADDRESS
        assert arrived == []

    def test_uses_no_proxy_of_the_environment(self, monkeypatch):
        with canary() as (port, arrived), serving.in_thread() as served:
            for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
            url = f"{served.url}/models"

            assert get(url, guarded.resolve, ("127.0.0.0/8",)) == 200

        assert arrived == []

    @pytest.mark.parametrize("unknown", [OSError("no such name"), []])
    def test_says_that_a_name_is_not_known(self, unknown):
        async def resolver(host, port):
            if isinstance(unknown, OSError):
                raise unknown
            return unknown

        with pytest.raises(httpx2.ConnectError, match=r"models\.example\.org"):
            get("http://models.example.org/v1", resolver)

    def test_gives_up_a_name_that_takes_too_long(self):
        async def resolver(host, port):
            await asyncio.sleep(60)

        with pytest.raises(httpx2.ConnectTimeout):
            get("http://models.example.org/v1", resolver, timeout=0.1)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A certificate for models.example.org, and contexts of a server that has it and a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "models.example.org")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2120, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("models.example.org")]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    file.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + made.public_bytes(Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cadata=made.public_bytes(Encoding.PEM).decode())


async def fetch_by_tls(certified, name):
    """Fetch from a TLS server on loopback under a name; returns the status and what the server was called."""
    server, trusted = certified
    called = []
    server.sni_callback = lambda _line, wanted, _context: called.append(wanted)

    async def answer(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        called.extend(line[6:] for line in head.decode().splitlines() if line.startswith("Host: "))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=server) as listening:
        url = f"https://{name}:{listening.sockets[0].getsockname()[1]}/v1"
        resolver = leads_to(["127.0.0.1"])
        http = guarded.client(
            url, networks=("127.0.0.0/8",), timeout=5, resolver=resolver, trusted=trusted
        )
        async with http:
            return (await http.get(url)).status_code, called


class TestTls:
    def test_is_spoken_with_the_name_though_the_connection_goes_to_the_address(self, certified):
        status, called = asyncio.run(fetch_by_tls(certified, "models.example.org"))

        assert status == 200
        assert called[0] == "models.example.org"
        assert called[1].startswith("models.example.org:")

    def test_refuses_a_server_with_a_certificate_for_another_name(self, certified):
        with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate|hostname"):
            asyncio.run(fetch_by_tls(certified, "other.example.org"))


class TestABackend:
    def test_arrives_at_no_spelling_of_loopback_whatever_was_read_before(self):
        backend, passed = guarded.Backend((), guarded.resolve), []

        with canary() as (port, arrived):
            for host in test_addresses.LOOPBACK:
                try:
                    asyncio.run(backend.connect_tcp(host.strip("[]"), port, timeout=2))
                except (addresses.AddressNotAllowed, httpcore2.ConnectError):
                    continue
                passed.append(host)

        assert passed == []
        assert arrived == []

    def test_opens_no_socket_of_this_machine(self):
        backend = guarded.Backend((), guarded.resolve)

        with pytest.raises(addresses.AddressNotAllowed):
            asyncio.run(backend.connect_unix_socket("/run/secret.sock"))


class TestAScriptedServer:
    def test_says_the_same_over_http_as_in_process(self):
        request = base.Request(
            base.Role.JUDGE,
            (base.Message("system", "You score answers."), base.Message("user", "Score this.")),
            base.Settings(seed=3, top_logprobs=2),
            {"type": "object", "properties": {"score": {"type": "integer"}}},
            repeat=4,
        )
        found = {name: {"value": True} for name in ("json_schema", "logprobs", "seed")}

        async def said(endpoint):
            async with clients.open_model(endpoint) as model:
                return await model.reply(request)

        with serving.in_thread({"seed": 8}) as served:
            far = asyncio.run(
                said(
                    config.EndpointConfig(
                        url=served.url, model="scripted", networks=("127.0.0.0/8",), found=found
                    )
                )
            )
        near = asyncio.run(said(config.EndpointConfig(kind=config.SCRIPTED, script={"seed": 8})))

        assert (far.text, far.tokens, far.finish) == (near.text, near.tokens, near.finish)
        assert (far.prompt_tokens, far.completion_tokens, far.fingerprint) == (
            near.prompt_tokens,
            near.completion_tokens,
            near.fingerprint,
        )
        assert json.loads(far.text)["score"]
