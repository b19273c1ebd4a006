"""A small application behind the site's own worker, with little patience: for test_worker.py."""

import hashlib
import os
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

import django

django.setup()

from evalsite.front import doors, incoming, outgoing  # noqa: E402

#: How long it waits for a visitor.
PATIENCE = 5
incoming.HEAD_SECONDS = incoming.BODY_SECONDS = PATIENCE
outgoing.READ_SECONDS = PATIENCE


def application(environ, start_response):
    path = environ["PATH_INFO"]
    if environ.get(doors.ASKS):
        start_response("204 x" if environ.get("HTTP_AUTHORIZATION") == "known" else "401 x", [])
        return []
    if environ.get(doors.REFUSED):
        return said(start_response, f"{environ[doors.REFUSED]} refused", b"refused")
    if path == "/digest":
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        return said(start_response, "200 OK", hashlib.sha256(body).hexdigest().encode())
    if path == "/big":
        start_response("200 OK", [])
        return (b"x" * 65_536 for _piece in range(400))
    if path == "/broken":
        start_response("200 OK", [])
        return broken()
    if path == "/slow":
        time.sleep(2)
    if path == "/pause":
        time.sleep(0.1)
    return said(start_response, "200 OK", path.encode())


def said(start_response, status, body):
    start_response(status, [("Content-Length", str(len(body)))])
    return [body]


def broken():
    yield b"begun"
    raise ValueError("in the middle")
