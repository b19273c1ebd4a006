# `make run` starts the site; `make test` runs the tests. Nothing else is needed on a fresh machine
# than Python 3.11 and make.

PYTHON ?= $(shell for one in python3.11 python3.12 python3.13 python3; do command -v $$one >/dev/null 2>&1 && { echo $$one; break; }; done)
PORT ?= 8000
HOST ?= 127.0.0.1
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
SHELL := /bin/bash
# Python keeps what it has read: the assertions of the tests are worked out once, not with every run.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run install install-test test test-all test-postgres e2e e2e-postgres screenshots words messages look load record compare picture nightly timed bench coverage peers check format locks clean

help:  ## what there is to do
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.run-stamp  ## start the site (PORT=8000 HOST=127.0.0.1)
	@exec $(BIN)/python manage.py up --port $(PORT) --host $(HOST)

install: $(VENV)/.run-stamp  ## install what the site needs
install-test: $(VENV)/.test-stamp  ## install what the tests need as well

# A stamp is newer than its lock exactly when what the lock names is installed.
$(VENV)/bin/python:
	@command -v "$(PYTHON)" >/dev/null || { echo "Python$(if $(PYTHON), $(PYTHON)) was not found. Install Python 3.11 or later, or name yours: make run PYTHON=python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11. Name a newer one: make run PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run-stamp: requirements.lock | $(VENV)/bin/python
	@# The test lock holds everything of the other one, in the same versions.
	@if [ $(VENV)/.test-stamp -nt requirements-test.lock ] && [ $(VENV)/.test-stamp -nt requirements.lock ]; then :; else \
	  echo "Installing; this takes a minute or two the first time …"; $(PIP) install --quiet --require-hashes -r requirements.lock; fi
	@touch $@

$(VENV)/.test-stamp: requirements-test.lock | $(VENV)/bin/python
	@echo "Installing what the tests need …"
	@$(PIP) install --quiet --require-hashes -r requirements-test.lock
	@touch $@

test: install-test  ## the tests of every day (no browser, nothing slow)
	$(PYTEST) -n auto --dist loadgroup $(ARGS)

test-postgres: install-test  ## the tests of every day on PostgreSQL and a Redis of their own (EVALSITE_TEST_PG names the server)
	$(BIN)/python -m tests.on_postgres -n auto --timeout=240 $(ARGS)

# Where a lane's tests are, unless ARGS names some of them: the others need not even be collected.
in = $(if $(findstring tests/,$(ARGS)),,$(1))
E2E = $(call in,tests/e2e) -m "e2e and not nightly" -p no:randomly -n 2 --dist loadfile --timeout=900
e2e: install-test  ## the tests that drive a real browser
	$(PYTEST) $(E2E) $(ARGS)

e2e-postgres: install-test  ## the same, on PostgreSQL and Redis
	$(BIN)/python -m tests.on_postgres $(E2E) $(ARGS)

words: install-test  ## how many words the interface has, by area
	$(BIN)/python -m tests.words

messages: install-test  ## bring the catalogues of all languages up to date, compile them, say what is missing
	$(BIN)/python manage.py messages $(ARGS)

screenshots: install-test  ## the pictures of the documentation, made anew (ARGS="scores home" for some)
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tests.e2e.screenshots $(ARGS)

look: install-test  ## our drawings beside Observable Plot's, for docs/look.md (npm fetches Plot into var/look)
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tests.e2e.beside_plot

load: install-test  ## many people at once, on SQLite and, where it answers, PostgreSQL
	$(PYTEST) $(call in,tests/load) -m "load and not nightly" -n 2 --dist loadfile --timeout=600 $(ARGS)

record: install-test  ## record what every door answers, before a change that must lose nothing
	$(BIN)/python -m tests.recorder record

compare: install-test  ## say what is answered otherwise than recorded (ONLY=rubrics: of some routes)
	$(BIN)/python -m tests.recorder compare --only "$(ONLY)"

picture: install-test  ## the house as its contracts say, drawn anew into docs/architecture.md
	$(BIN)/python -m tests.architecture.picture

nightly: install-test  ## what takes minutes
	$(PYTEST) -m "nightly or slow or load or e2e" --timeout=3600 $(ARGS)
	$(PYTEST) -n auto --hypothesis-profile=thorough --timeout=900 $(call in,$(shell git grep -l 'from hypothesis' -- tests/annotation tests/scoring)) $(ARGS)
	$(BIN)/python -m tests.on_postgres --if-there -n auto --timeout=240 -m "not e2e and not load and not nightly" $(ARGS)

test-all: install-test  ## every test but load and nightly, with coverage
	$(BIN)/python -m coverage run -m pytest -m "not load and not nightly" --timeout=300 $(ARGS)
	$(BIN)/python -m coverage report

timed: install-test  ## note anew which tests take long (tests/slow.txt)
	@mkdir -p var
	$(PYTEST) -n auto --dist loadgroup -m "not e2e and not load and not nightly" --timeout=900 -o junit_duration_report=total --junitxml=var/tests.xml
	$(BIN)/python -m tests.timed var/tests.xml

bench: install-test  ## the measurements, a median of five each
	@for one in $(filter-out benchmarks/coverage.py,$(wildcard benchmarks/*.py)); do name=$$(basename "$$one" .py); echo "== $$name"; $(BIN)/python -m "benchmarks.$$name" || exit 1; done

coverage: install-test  ## how often intervals hold the truth, simulated for an hour; it goes on where it stopped
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.coverage $(ARGS)

peers: install-test  ## our measures beside those of other programs, as a table in docs/peers.md
	$(BIN)/python -m benchmarks.peers $(ARGS)

check: install-test  ## style, types, import rules, templates, migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy evalsite annotation scoring tests
	$(BIN)/lint-imports
	$(BIN)/djade --target-version 5.2 --check $$(git ls-files 'templates/*.html')
	$(BIN)/djlint --lint --quiet templates
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py check
	@if ls tests/js/*.test.* >/dev/null 2>&1 && command -v node >/dev/null; then node --test tests/js/; else echo "No scripts' tests, or no node: skipped."; fi

format: install-test  ## put the code into the house's shape
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .
	$(BIN)/djade --target-version 5.2 $$(git ls-files 'templates/*.html')

COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --no-header --no-annotate \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --extra postgres
locks: install-test  ## pin anew what pyproject.toml asks for (UPGRADE=--upgrade takes newer versions)
	$(COMPILE) $(UPGRADE) --output-file requirements.lock pyproject.toml
	$(COMPILE) $(UPGRADE) --allow-unsafe --extra dev --constraint requirements.lock --output-file requirements-test.lock pyproject.toml

clean:  ## remove caches; never the data folder
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage build dist ./*.egg-info
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
