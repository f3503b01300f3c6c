# `make serve` and `make test` create what they need; run again, they only do what has changed.
PYTHON ?= python3
PYTHON311 ?= $(shell command -v pyenv >/dev/null && pyenv prefix 3.11 2>/dev/null | sed 's|$$|/bin/python|' || command -v python3.11)
PYTHON310 ?= $(shell command -v pyenv >/dev/null && pyenv prefix 3.10 2>/dev/null | sed 's|$$|/bin/python|' || command -v python3.10)
VENV := .venv
CORE := .venv-core
RASA := .venv-rasa
GATEWAYS := .venv-gateways
RAY := .venv-ray
RELEASE := .venv-release
IMAGE := .venv-image
FRAMEWORKS := .venv-frameworks
CALM := .venv-calm
BIN := $(VENV)/bin
BOT ?= town
LOCK := $(RELEASE)/bin/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
  --no-header --no-annotate --strip-extras --constraint requirements/main.txt
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: serve bot docs environments test test-slow test-core test-rasa test-gateways test-ray test-frameworks test-calm typed check format lock sbom audit bench-smoke clean

serve: $(VENV)/.server  ## start the REST service with the shipped models
	$(BIN)/grice serve

bot: $(RASA)/.done  ## train an example bot if its sources are newer, start it, open a chat; BOT=support: the other one
	cd rasa_project && ../$(RASA)/bin/python run.py --bot $(BOT)

docs: $(VENV)/.docs typed  ## the documentation as a site in build/docs, without network; `python -m http.server -d build/docs` serves it
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open build/docs/index.html"

test: $(VENV)/.dev  ## the test suite, but for the tests that train for minutes
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m "not slow and not gateways and not ray"

test-slow: $(VENV)/.dev  ## the tests that train for minutes
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m slow

test-core: $(CORE)/.done  ## the tests of the core on Python 3.10 with numpy 1.23 and nothing else
	$(CORE)/bin/python -m pytest --numprocesses 2 --dist worksteal --confcutdir=tests/core tests/core

test-gateways: $(VENV)/.dev $(GATEWAYS)/.done  ## the gateways behind the real LiteLLM proxy
	$(BIN)/python -m pytest -m gateways tests/gateways

test-ray: $(RAY)/.done  ## `grice batch` on a Ray cluster of two nodes, whose parts are killed
	$(RAY)/bin/python -m pytest --confcutdir=tests/cluster -o filterwarnings=default -m ray tests/cluster

test-frameworks: $(FRAMEWORKS)/.done  ## the adapters, the examples and what else talks to Grice, with the real packages
	$(FRAMEWORKS)/bin/python -m pytest --confcutdir=tests/frameworks -o filterwarnings=default tests/frameworks

test-calm: $(CALM)/.done  ## the Rasa components in front of Rasa Pro's command generator, without its server
	$(CALM)/bin/python -m pytest --confcutdir=tests/calm -o filterwarnings=default tests/calm

test-rasa: $(RASA)/.done  ## the tests of the Rasa components and the bot, on real Rasa 3.6
	$(RASA)/bin/python -m pytest --numprocesses 2 --dist loadfile --confcutdir=tests/rasa -o filterwarnings=default tests/rasa

typed:  ## the layout that users import, for mypy and the documentation
	mkdir -p .cache/typed/grice && ln -sfn ../../../models .cache/typed/grice/models \
	  && ln -sfn ../../../middleware .cache/typed/grice/middleware && ln -sfn ../../../components .cache/typed/grice/components \
	  && ln -sfn ../../../integrations .cache/typed/grice/integrations && ln -sfn ../../../benchmarks .cache/typed/grice/benchmarks \
	  && ln -sfn ../../../grice/__init__.py .cache/typed/grice/__init__.py

environments: $(VENV)/.dev $(CORE)/.done $(RASA)/.done $(GATEWAYS)/.done $(RAY)/.done $(FRAMEWORKS)/.done $(CALM)/.done $(RELEASE)/.done $(IMAGE)/.done  ## all that the tests need, one after the other

check: $(VENV)/.dev typed  ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	MYPYPATH=.cache/typed $(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(RELEASE)/.done  ## requirements/build.txt and image.txt anew: versions of main.txt, with all checksums and no address
	$(LOCK) --extra server --extra redis --extra llm --extra otel -o requirements/image.txt pyproject.toml
	echo "setuptools>=69" | $(LOCK) --allow-unsafe -o requirements/build.txt -

sbom: $(RELEASE)/.done $(IMAGE)/.done  ## dist/sbom.cdx.json and dist/licences.json: what the image installs, and under which licences
	mkdir -p dist
	$(RELEASE)/bin/cyclonedx-py environment --output-reproducible --of JSON -o dist/sbom.cdx.json $(IMAGE)/bin/python
	$(RELEASE)/bin/pip-licenses --python $(IMAGE)/bin/python --from mixed --format json --output-file dist/licences.json

audit: $(RELEASE)/.done  ## which of the locked versions have known vulnerabilities, in dist/audit.json; asks OSV, so it needs a network
	mkdir -p dist && rm -f dist/audit.json
	$(RELEASE)/bin/pip-audit --strict --disable-pip --require-hashes --vulnerability-service osv --progress-spinner off \
	  --requirement requirements/image.txt --requirement requirements/build.txt --format json --output dist/audit.json; \
	status=$$?; test -s dist/audit.json && exit $$status; \
	echo "NOT AUDITED: the database of vulnerabilities (OSV) could not be asked; nothing was found out of any version" >&2; exit 1

bench-smoke: $(VENV)/.dev $(RASA)/.done  ## every benchmark on a few rows; needs GRICE_DATA_DIR
	$(BIN)/grice bench direct --limit 8
	$(BIN)/grice bench meaning --limit 8
	$(BIN)/grice bench nlu --limit 8
	$(BIN)/grice bench speed --limit 8
	$(BIN)/grice bench abceval --limit 8
	$(BIN)/grice bench persuasion --limit 8
	$(BIN)/grice bench rectom --limit 8
	$(BIN)/grice bench responses --limit 8 --system shape majority
	$(BIN)/grice bench retrieval --limit 8 --system lexical
	$(BIN)/grice bench indirect-requests --limit 8 --system majority random lexical lexical-negation
	$(BIN)/grice bench rasa-nlu --limit 8 --system lr lr+blend

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: pyproject.toml requirements/main.txt | $(VENV)/bin/python
	$(BIN)/python $(PIP) --constraint requirements/main.txt --editable '.[server]'
	touch $@

$(VENV)/.docs: pyproject.toml requirements/main.txt requirements/docs.txt | $(VENV)/bin/python
	$(BIN)/python $(PIP) --constraint requirements/main.txt --constraint requirements/docs.txt --editable '.[server,docs]'
	touch $@

$(VENV)/.dev: pyproject.toml requirements/main.txt requirements/docs.txt | $(VENV)/bin/python
	$(BIN)/python $(PIP) torch==2.13.0
	$(BIN)/python $(PIP) --no-deps axe-playwright-python==0.1.8  # brings axe-core, which the tests of the page run; no Playwright
	$(BIN)/python $(PIP) --constraint requirements/main.txt --constraint requirements/docs.txt --editable '.[server,train,bench,batch,llm,otel,docs,dev]'
	touch $@ $(VENV)/.server $(VENV)/.docs

$(CORE)/.done: pyproject.toml requirements/core.txt
	$(PYTHON310) -m venv $(CORE)
	$(CORE)/bin/python $(PIP) --constraint requirements/core.txt --editable . pytest pytest-xdist
	touch $@

$(RASA)/.done: pyproject.toml requirements/rasa.txt
	$(PYTHON310) -m venv $(RASA)
	$(RASA)/bin/python $(PIP) --constraint requirements/rasa.txt rasa==3.6.21 --editable '.[rasa]' pytest pytest-xdist
	$(RASA)/bin/python -m pip check
	touch $@

$(GATEWAYS)/.done: requirements/gateways.txt
	$(PYTHON) -m venv $(GATEWAYS)
	$(GATEWAYS)/bin/python $(PIP) --no-deps --no-compile --requirement requirements/gateways.txt
	touch $@

$(RAY)/.done: pyproject.toml requirements/ray.txt
	$(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python $(PIP) --constraint requirements/ray.txt --editable '.[ray]' pytest
	touch $@

$(RELEASE)/.done: requirements/release.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python $(PIP) --constraint requirements/release.txt pip-tools cyclonedx-bom pip-licenses pip-audit
	touch $@

$(IMAGE)/.done: pyproject.toml requirements/image.txt
	$(PYTHON) -m venv $(IMAGE)
	$(IMAGE)/bin/python $(PIP) --require-hashes --requirement requirements/image.txt
	$(IMAGE)/bin/python $(PIP) --no-deps .
	touch $@

$(FRAMEWORKS)/.done: pyproject.toml requirements/frameworks.txt
	$(PYTHON) -m venv $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/python $(PIP) --no-deps --no-compile --requirement requirements/frameworks.txt
	$(FRAMEWORKS)/bin/python $(PIP) --no-deps --editable .
	touch $@

$(CALM)/.done: pyproject.toml requirements/calm.txt
	$(PYTHON311) -m venv $(CALM)
	$(CALM)/bin/python $(PIP) --no-deps --no-compile --requirement requirements/calm.txt
	$(CALM)/bin/python $(PIP) --no-deps --editable .
	touch $@

clean:
	rm -rf .cache build *.egg-info .pytest_cache .mypy_cache .ruff_cache
