# `make serve` and `make test` create what they need; run again, they only do what has changed.
PYTHON ?= python3
PYTHON310 ?= $(shell command -v pyenv >/dev/null && pyenv prefix 3.10 2>/dev/null | sed 's|$$|/bin/python|' || command -v python3.10)
VENV := .venv
CORE := .venv-core
RASA := .venv-rasa
GATEWAYS := .venv-gateways
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: serve bot test test-slow test-core test-rasa test-gateways check format bench-smoke clean

serve: $(VENV)/.server  ## start the REST service with the shipped models
	$(BIN)/grice serve

bot: $(RASA)/.done  ## train the example bot if its sources are newer, start it, open a chat
	cd rasa_project && ../$(RASA)/bin/python run.py

test: $(VENV)/.dev  ## the test suite, but for the tests that train for minutes
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m "not slow and not gateways"

test-slow: $(VENV)/.dev  ## the tests that train for minutes
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m slow

test-core: $(CORE)/.done  ## the tests of the core on Python 3.10 with numpy 1.23 and nothing else
	$(CORE)/bin/python -m pytest --confcutdir=tests/core tests/core

test-gateways: $(VENV)/.dev $(GATEWAYS)/.done  ## the gateways behind the real LiteLLM proxy
	$(BIN)/python -m pytest -m gateways tests/gateways

test-rasa: $(RASA)/.done  ## the tests of the Rasa components and the bot, on real Rasa 3.6
	$(RASA)/bin/python -m pytest --confcutdir=tests/rasa -o filterwarnings=default tests/rasa

check: $(VENV)/.dev  ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	mkdir -p .cache/typed/grice && ln -sfn ../../../models .cache/typed/grice/models \
	  && ln -sfn ../../../middleware .cache/typed/grice/middleware && ln -sfn ../../../components .cache/typed/grice/components \
	  && ln -sfn ../../../benchmarks .cache/typed/grice/benchmarks \
	  && ln -sfn ../../../grice/__init__.py .cache/typed/grice/__init__.py
	MYPYPATH=.cache/typed $(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench-smoke: $(VENV)/.dev $(RASA)/.done  ## every benchmark on a few rows; needs GRICE_DATA_DIR
	$(BIN)/grice bench direct --limit 8
	$(BIN)/grice bench meaning --limit 8
	$(BIN)/grice bench nlu --limit 8
	$(BIN)/grice bench speed --limit 8
	$(BIN)/grice bench abceval --limit 8
	$(BIN)/grice bench persuasion --limit 8
	$(BIN)/grice bench rectom --limit 8
	$(BIN)/grice bench responses --limit 8 --system shape majority
	$(BIN)/grice bench indirect-requests --limit 8 --system majority random lexical lexical-negation
	$(BIN)/grice bench rasa-nlu --limit 8 --system lr lr+blend

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: pyproject.toml requirements/main.txt | $(VENV)/bin/python
	$(BIN)/python $(PIP) --constraint requirements/main.txt --editable '.[server]'
	touch $@

$(VENV)/.dev: pyproject.toml requirements/main.txt | $(VENV)/bin/python
	$(BIN)/python $(PIP) torch==2.13.0
	$(BIN)/python $(PIP) --constraint requirements/main.txt --editable '.[server,train,bench,llm,otel,dev]'
	touch $@ $(VENV)/.server

$(CORE)/.done: pyproject.toml requirements/core.txt
	$(PYTHON310) -m venv $(CORE)
	$(CORE)/bin/python $(PIP) --constraint requirements/core.txt --editable . pytest
	touch $@

$(RASA)/.done: pyproject.toml requirements/rasa.txt
	$(PYTHON310) -m venv $(RASA)
	$(RASA)/bin/python $(PIP) --constraint requirements/rasa.txt rasa==3.6.21 --editable '.[rasa]' pytest
	$(RASA)/bin/python -m pip check
	touch $@

$(GATEWAYS)/.done: requirements/gateways.txt
	$(PYTHON) -m venv $(GATEWAYS)
	$(GATEWAYS)/bin/python $(PIP) --no-deps --no-compile --requirement requirements/gateways.txt
	touch $@

clean:
	rm -rf .cache build *.egg-info .pytest_cache .mypy_cache .ruff_cache
