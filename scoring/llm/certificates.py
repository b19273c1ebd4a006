"""Whose certificates are trusted, and what is wrong with one that is not, in words of ours."""

import os
import re
import ssl
from pathlib import Path
from typing import Final

import httpx2

from evalsite.outside import addresses
from scoring.llm import base

#: Where an operator keeps certificates that this machine does not know by itself.
FILE, FOLDER = "SSL_CERT_FILE", "SSL_CERT_DIR"
_CHAIN: Final = (
    "Give the certificate, or that of whoever signed it, to the endpoint (Edit, Certificates); or name it in "
    "SSL_CERT_FILE (a PEM file), and start the site anew."
)
#: By what OpenSSL says of a certificate (X509_V_ERR_…).
_SAID: Final = {
    18: f"The server's certificate is self-signed, and this site does not know it. {_CHAIN}",
    19: f"The server's certificate was signed by an authority that this site does not know. {_CHAIN}",
    20: (
        "The server's certificate was signed by an authority that this site does not know, or the server does "
        f"not send the certificates between. {_CHAIN}"
    ),
    21: f"The server does not send the certificates between its own and one that is known. {_CHAIN}",
    9: "The server's certificate is not valid yet. Look at the clocks of both machines.",
    10: "The server's certificate has expired. Whoever runs the server has to renew it.",
    23: "The server's certificate was revoked. Whoever runs the server has to replace it.",
    62: (
        "The server's certificate is made out to another name than that in the address. Give the address as "
        "the certificate has it, or have a certificate made for this one."
    ),
    64: (
        "The server's certificate is not made out to this number. Give the address by its name, or have a "
        "certificate made for the number."
    ),
}
_WEAK: Final = (
    "The server's certificate or its encryption is too weak to be trusted. Have it renewed."
)
_NO_TLS: Final = (
    "No encrypted connection came about. Does the server speak TLS at this port? If not, the address begins with "
    "http://."
)


class CertificatesNotReadable(addresses.AddressNotAllowed):
    """Nobody is asked, for what SSL_CERT_FILE or SSL_CERT_DIR names cannot be read."""


_BLOCK: Final = re.compile(r"-----BEGIN [A-Z0-9 ]+-----.*?-----END [A-Z0-9 ]+-----", re.DOTALL)


def blocks(pem: str) -> str:
    """Return what lies between BEGIN and END: the words around it may be in any script."""
    return "\n".join(_BLOCK.findall(pem))


def check(pem: str) -> None:
    """Refuse a text that is no certificate.

    Raises:
        CertificatesNotReadable: it holds none, or one that cannot be read.
    """
    try:
        # An empty text would stand for whatever this machine knows.
        ssl.create_default_context(cadata=blocks(pem) or "none")
    except (ssl.SSLError, ValueError, TypeError):
        raise CertificatesNotReadable(
            "This text holds no certificate that can be read (PEM)."
        ) from None


def trusted(pem: str = "") -> ssl.SSLContext:
    """Return whose certificates are good: those this machine knows, that the environment names, and these.

    Raises:
        CertificatesNotReadable: a file or folder that is named is not there, or holds no certificate.
    """
    context = httpx2.create_ssl_context(trust_env=False)
    file, folder = os.environ.get(FILE, ""), os.environ.get(FOLDER, "")
    if file:
        try:
            context.load_verify_locations(cafile=file)
        except (OSError, ssl.SSLError):
            raise CertificatesNotReadable(
                f"{FILE} names {file}, which is no readable file of certificates (PEM)."
            ) from None
    if folder:
        # Several folders stand side by side, as OpenSSL has it.
        for one in folder.split(os.pathsep):
            if not Path(one).is_dir():
                raise CertificatesNotReadable(f"{FOLDER} names {one}, which is no folder.")
            context.load_verify_locations(capath=one)
    if pem:
        check(pem)
        context.load_verify_locations(cadata=blocks(pem))
    return context


def problem_in(failure: BaseException | None) -> str:
    """Return what is wrong with a server's certificate or encryption; nothing where that is not why."""
    seen: set[int] = set()
    while failure is not None and id(failure) not in seen:
        seen.add(id(failure))
        if isinstance(failure, ssl.SSLCertVerificationError):
            code = failure.verify_code
            if code in _SAID:
                return _SAID[code]
            return f"The server's certificate is not trusted: {failure.verify_message.rstrip('.')}. {_CHAIN}"
        if isinstance(failure, ssl.SSLError):
            weak = any(sign in str(failure).lower() for sign in ("key too small", "md too weak"))
            return _WEAK if weak else _NO_TLS
        failure = failure.__cause__ or failure.__context__
    return ""


def no_connection(failure: BaseException) -> tuple[base.Trouble, str]:
    """Return why no connection came about: a certificate that stays as it is, or what may pass."""
    if said := problem_in(failure):
        return base.Trouble.CERTIFICATE, said
    return (
        base.Trouble.CONNECTION,
        "No connection to the server. Is the address right, and does it run?",
    )


def trouble_of(refusal: addresses.AddressNotAllowed) -> base.Trouble:
    """Return what it is that keeps a server from being asked: its address, or what should be trusted."""
    found = isinstance(refusal, CertificatesNotReadable)
    return base.Trouble.CERTIFICATE if found else base.Trouble.REFUSED_ADDRESS
