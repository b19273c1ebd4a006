# One image for every process: web, workers, sweeper. Written plainly and not tried out yet: see docs/operator.md.
FROM python:3.11-slim-bookworm AS made
WORKDIR /srv/evalsite
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements.lock ./
RUN python -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.lock

FROM python:3.11-slim-bookworm
# pg_dump and pg_restore, for backup and restore.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends postgresql-client \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 10001 evalsite && mkdir /data && chown evalsite /data
WORKDIR /srv/evalsite
COPY --from=made /srv/evalsite/.venv .venv
COPY manage.py pyproject.toml LICENSE ./
COPY evalsite evalsite
COPY annotation annotation
COPY scoring scoring
COPY templates templates
COPY static static
COPY fixtures fixtures
ENV PATH=/srv/evalsite/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    EVALSITE_DATA=/data EVALSITE_LOG=json
USER evalsite
VOLUME /data
EXPOSE 8000
# Asks with a Host that ALLOWED_HOSTS names: its first one.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import os, urllib.request as ask; ask.urlopen(ask.Request('http://127.0.0.1:8000/healthz', headers={'Host': os.environ.get('ALLOWED_HOSTS', 'localhost').split(',')[0]}), timeout=4)"]
CMD ["gunicorn", "evalsite.wsgi", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--threads=8", "--keep-alive=75", "--no-control-socket", "--logger-class=evalsite.access_log.AccessLog", "--access-logfile=-", "--worker-tmp-dir=/dev/shm"]
