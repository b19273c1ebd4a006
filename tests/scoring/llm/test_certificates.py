"""Servers with certificates of every kind, made here; what is said of each that is not trusted."""

import asyncio
import json
import shutil
import ssl
import subprocess
from contextlib import contextmanager
from datetime import UTC, datetime
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from scoring.llm import base, certificates, clients, config
from tests.scoring.llm import serving

REQUEST = base.Request(base.Role.JUDGE, (base.Message("user", "Score this."),))
BODY = json.dumps({"choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]}).encode()
LOOPBACK = x509.IPAddress(ip_address("127.0.0.1"))


def made(path, *, name=LOOPBACK, ends=2120, signer=None):
    """Write a key and its certificate into a file; return both."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, path.stem)])
    by_key, by = (key, who) if signer is None else (signer[0], signer[1].subject)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(by)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(ends, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([name]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(by_key, hashes.SHA256())
    )
    pem = certificate.public_bytes(Encoding.PEM)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + pem)
    path.with_suffix(".crt").write_bytes(pem)
    return key, certificate


@contextmanager
def serving_tls(file):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with serving.saying(BODY, tls=context) as server:
        yield server.url


def asked(url, kind=config.SERVER, **given):
    """Return what a server replies, or the failure."""

    async def ask():
        endpoint = config.EndpointConfig(
            kind=kind, url=url, model="m", timeout=3, networks=("127.0.0.0/8",), **given
        )
        async with clients.open_model(endpoint) as model:
            return await model.reply(REQUEST)

    try:
        return asyncio.run(ask())
    except base.Failed as failed:
        return failed


def named_by(file):
    """Return under which name OpenSSL looks for a certificate in a folder."""
    if shutil.which("openssl") is None:
        pytest.skip("The name of the file needs the openssl command.")
    command = ["openssl", "x509", "-hash", "-noout", "-in", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch):
    monkeypatch.delenv(certificates.FILE, raising=False)
    monkeypatch.delenv(certificates.FOLDER, raising=False)


class TestCheck:
    def test_takes_words_in_any_script_around_a_certificate(self, tmp_path):
        made(tmp_path / "own.pem")
        pem = (tmp_path / "own.crt").read_text()

        certificates.check(f"# für uns\nsubject=CN = Müller\n{pem}")

    @pytest.mark.parametrize("text", ["none", "# für uns", "-----BEGIN CERTIFICATE-----\nü"])
    def test_refuses_what_holds_none(self, text):
        with pytest.raises(certificates.CertificatesNotReadable):
            certificates.check(text)


class TestServer:
    def test_that_signed_its_own_certificate_is_named_as_such(self, tmp_path):
        made(tmp_path / "own.pem")
        with serving_tls(tmp_path / "own.pem") as url:
            failed = asked(url)

        assert failed.trouble is base.Trouble.CERTIFICATE
        assert "self-signed" in str(failed)
        assert "SSL_CERT_FILE" in str(failed)

    def test_is_asked_once_its_certificate_is_named(self, tmp_path, monkeypatch):
        made(tmp_path / "own.pem")
        monkeypatch.setenv(certificates.FILE, str(tmp_path / "own.crt"))

        with serving_tls(tmp_path / "own.pem") as url:
            assert asked(url).text == "4"

    def test_is_asked_once_the_folder_of_its_certificate_is_named(self, tmp_path, monkeypatch):
        made(tmp_path / "own.pem")
        folder = tmp_path / "trusted"
        folder.mkdir()
        hashed = named_by(tmp_path / "own.crt")
        (folder / f"{hashed}.0").write_text((tmp_path / "own.crt").read_text())
        monkeypatch.setenv(certificates.FOLDER, str(folder))

        with serving_tls(tmp_path / "own.pem") as url:
            assert asked(url).text == "4"

    def test_signed_by_an_unknown_authority_is_named_as_such_and_asked_once_that_is_named(
        self, tmp_path, monkeypatch
    ):
        authority = made(tmp_path / "authority.pem")
        made(tmp_path / "signed.pem", signer=authority)
        with serving_tls(tmp_path / "signed.pem") as url:
            assert "an authority that this site does not know" in str(asked(url))
            monkeypatch.setenv(certificates.FILE, str(tmp_path / "authority.crt"))
            assert asked(url).text == "4"

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"ends": 2021}, "has expired"),
            ({"name": x509.DNSName("other.example.org")}, "made out to"),
        ],
    )
    def test_with_a_certificate_that_is_known_and_wrong_is_told_why(
        self, tmp_path, monkeypatch, given, why
    ):
        made(tmp_path / "own.pem", **given)
        monkeypatch.setenv(certificates.FILE, str(tmp_path / "own.crt"))

        with serving_tls(tmp_path / "own.pem") as url:
            failed = asked(url)

        assert failed.trouble is base.Trouble.CERTIFICATE
        assert why in str(failed)
        assert "self-signed" not in str(failed)

    def test_without_tls_is_told_apart_from_one_that_is_not_there(self):
        with serving.saying(BODY) as server:
            failed = asked(server.url.replace("http:", "https:"))

        assert "Does the server speak TLS" in str(failed)

    def test_behind_an_application_gets_the_same_words(self, tmp_path):
        made(tmp_path / "own.pem")
        request = {"body": '{"q": "{message}"}', "answer": ""}
        with serving_tls(tmp_path / "own.pem") as url:
            failed = asked(f"{url}/ask", kind=config.REST, request=request)

        assert failed.trouble is base.Trouble.CERTIFICATE


class TestTrusted:
    @pytest.mark.parametrize("name", [certificates.FILE, certificates.FOLDER])
    def test_says_which_setting_names_nothing(self, tmp_path, monkeypatch, name):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))

        failed = asked("https://127.0.0.1:9/v1")

        assert failed.trouble is base.Trouble.CERTIFICATE
        assert name in str(failed)

    def test_says_that_a_file_holds_no_certificate(self, tmp_path, monkeypatch):
        (tmp_path / "empty.pem").write_text("nothing")
        monkeypatch.setenv(certificates.FILE, str(tmp_path / "empty.pem"))

        assert "no readable file of certificates" in str(asked("https://127.0.0.1:9/v1"))
