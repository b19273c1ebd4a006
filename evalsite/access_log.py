"""The log of requests, as gunicorn writes it: one line each, and nothing that lets somebody in."""

import json
from typing import Any

from django.conf import settings
from django.utils import timezone
from gunicorn import glogging

from evalsite import logs


class AccessLog(glogging.Logger):
    """Gunicorn's log of requests: without query, referrer, browser and links that let somebody in."""

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        if not self.cfg.accesslog:
            return
        headers = {key.lower(): value for key, value in resp.headers}
        seconds = request_time.seconds + request_time.microseconds / 1e6
        found: dict[str, Any] = {
            "at": timezone.now().isoformat(timespec="milliseconds"),
            "from": environ.get("REMOTE_ADDR", "-"),
            "method": environ.get("REQUEST_METHOD", "-"),
            "path": logs.hide(str(environ.get("PATH_INFO", "-"))),
            "status": int(str(resp.status).split(None, 1)[0]),
            "bytes": getattr(resp, "sent", None),
            "seconds": round(seconds, 4),
        }
        if name := headers.get(logs.HEADER.lower()):
            found["request"] = name
        if settings.LOG_FORMAT == "json":
            self.access_log.info("%s", json.dumps({"logger": "access", **found}))
        else:
            line = '%(at)s %(from)s "%(method)s %(path)s" %(status)s %(bytes)s %(seconds)ss'
            self.access_log.info(line % found)
