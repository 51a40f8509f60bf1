# Two commands do everything on a machine that has Python 3.11 or newer: make serve, make test.

VENV    ?= .venv
WORKERS ?= 2
ARGS    ?=
PORT    ?=
PROCESSES ?=
BIN      = $(VENV)/bin

# The first Python that is new enough and can make virtual environments; PYTHON=... overrides.
USABLE   = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON  := $(or $(PYTHON),$(shell for p in python3.11 python3.13 python3.12 python3 python; do \
	$$p -c '$(USABLE)' >/dev/null 2>&1 && echo $$p && break; done))

.PHONY: help setup serve test faults bench check audit format lock test-containers clean

help:
	@echo 'make setup            make the environment in .venv, with the kibitz command (serve and test do it, too)'
	@echo 'make serve            start Kibitz on http://127.0.0.1:8000 with a demo (PORT=9000, PROCESSES=2, ARGS=--no-demo)'
	@echo 'make test             run every test (ARGS="-k name", WORKERS=2)'
	@echo 'make faults           break things while six games are played, and count (ARGS="F1 F4 --seed 7")'
	@echo 'make bench            measure speed, latency and memory against references (ARGS="P1 P2 --rounds 3")'
	@echo 'make check            format, lint, types of both languages, import contracts, tidy test, OpenAPI drift, audit'
	@echo 'make audit            ask a vulnerability service about every dependency and keep the answer'
	@echo 'make format           let ruff rewrite the code'
	@echo 'make lock             resolve the lock files anew'
	@echo 'make test-containers  the tests that need a Docker engine'
	@echo 'make clean            remove the environment and the caches (never ./data)'

setup:
	@$(or $(PYTHON),false) -c '$(USABLE)' >/dev/null 2>&1 || { \
	  echo 'Kibitz needs Python 3.11 or newer with its venv module (Debian: apt install python3-venv);' \
	    'PYTHON=... names one.' >&2; exit 1; }
	@$(PYTHON) bootstrap.py $(VENV)

serve: setup
	@exec $(BIN)/kibitz serve $(if $(PORT),--port $(PORT)) $(if $(PROCESSES),--workers $(PROCESSES)) $(ARGS)

test: setup
	$(BIN)/python -m pytest -m "not containers" -n $(WORKERS) --dist loadfile $(ARGS)

faults: setup
	$(BIN)/python -m tests.faults $(ARGS)

bench: setup
	$(BIN)/python -m tests.bench $(ARGS)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_tidy.py
	$(BIN)/kibitz openapi --check
	$(BIN)/python -m tests.browser.typecheck
	$(BIN)/python -m tests.dependencies

audit: setup
	$(BIN)/python -m tests.dependencies --ask $(ARGS)

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The locks name no index and hold for every platform and every Python from 3.11 on.
COMPILE = $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url $(LOCKARGS)
lock: setup
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --extra otel -o requirements-otel.lock
	$(COMPILE) pyproject.toml --extra dev -o requirements-dev.lock
	echo uv | $(COMPILE) --no-annotate - -o requirements-bootstrap.lock
	echo hatchling | $(COMPILE) --no-annotate -c requirements-dev.lock - -o requirements-build.lock
	echo open-spiel | $(COMPILE) --no-annotate - -o requirements-bench.lock
	echo pip-audit | $(COMPILE) --no-annotate - -o requirements-audit.lock

test-containers: setup
	@docker info >/dev/null 2>&1 || { \
	  echo 'make test-containers needs a running Docker engine, and "docker info" finds none.' >&2; exit 1; }
	$(BIN)/python -m pytest -m containers $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .schemathesis build/web web/types/api.d.ts
