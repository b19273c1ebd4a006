# One image for every process: web, workers, sweeper. Written plainly and never run here: see docs/operator.md.
# No browser is in it: Chromium is for the tests alone.
FROM python:3.11-slim-bookworm AS made
WORKDIR /srv/evalsite
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements.lock ./
RUN python -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.lock

FROM python:3.11-slim-bookworm
# pg_dump and pg_restore, for backup and restore. They refuse a server that is newer than they are:
# bookworm has 15, so compose.yaml says postgres:15. Change both together.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends postgresql-client \
 && rm -rf /var/lib/apt/lists/*
# /data is the volume; a new one takes its owner over from here.
RUN useradd --create-home --uid 10001 evalsite && mkdir /data && chown evalsite:evalsite /data
WORKDIR /srv/evalsite
COPY --from=made /srv/evalsite/.venv .venv
COPY manage.py pyproject.toml LICENSE ./
COPY evalsite evalsite
COPY annotation annotation
COPY scoring scoring
COPY templates templates
COPY static static
COPY fixtures fixtures
COPY docs/examples/files docs/examples/files
COPY docs/*.md docs/
COPY docs/reference docs/reference
COPY docs/tutorials docs/tutorials
ENV PATH=/srv/evalsite/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    EVALSITE_DATA=/data EVALSITE_LOG=json
# The account that runs it may not write here, so what Python would keep is made now.
RUN python -m compileall -q evalsite annotation scoring
USER evalsite
VOLUME /data
EXPOSE 8000
# Asks with a Host that ALLOWED_HOSTS names: its first one, and "site.grades.example" for ".grades.example".
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import http.client as h, os, sys; name = os.environ.get('ALLOWED_HOSTS', 'localhost').split(',')[0].strip(); line = h.HTTPConnection('127.0.0.1', 8000, timeout=4); line.request('GET', '/healthz', headers={'Host': 'site' + name if name.startswith('.') else name}); sys.exit(line.getresponse().status != 200)"]
CMD ["gunicorn", "evalsite.wsgi", "--config=python:evalsite.supervisor.tether", "--bind=0.0.0.0:8000", "--worker-class=evalsite.front.worker.Worker", "--threads=8", "--keep-alive=75", "--timeout=60", "--graceful-timeout=20", "--no-control-socket", "--logger-class=evalsite.web.logs.AccessLog", "--access-logfile=-", "--worker-tmp-dir=/dev/shm"]
