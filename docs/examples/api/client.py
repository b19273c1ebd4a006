"""The little that the examples share: a request with a token, pages of a list, figures that take a while.

SITE is the address of the site, TOKEN a personal token, both from the environment.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

SITE = os.environ.get("SITE", "http://127.0.0.1:8000").rstrip("/")


def ask(address, body=None, key=None):
    """Return status, headers and body of a request; a body makes it a POST.

    A POST carries an Idempotency-Key: sent again after a lost answer, it is counted once.
    """
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    if body is not None:
        headers |= {
            "Content-Type": "application/json",
            "Idempotency-Key": key or str(uuid.uuid4()),
        }
        body = json.dumps(body).encode()
    request = urllib.request.Request(f"{SITE}{address}", body, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        said = json.load(refused)
        sys.exit(f"{refused.code} {said['code']}: {said['message']} {said['fields'] or ''}".strip())


def call(address, body=None):
    """Return what is answered, as JSON."""
    return json.loads(ask(address, body)[2])


def rows(address):
    """Yield every row of a list, however many pages it has."""
    query = ""
    while query is not None:
        page = call(address + query)
        yield from page["results"]
        query = page.get("next")


def figure(address, seconds=300):
    """Return the body of an answer that may have to be computed first (202)."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        status, headers, body = ask(address)
        if status != 202:
            return body
        time.sleep(float(headers.get("Retry-After", 2)))
    sys.exit(f"{address} was not computed within {seconds} seconds.")
