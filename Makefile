# Every target does its own set-up in .venv; Python 3.11 or newer and make are all it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
OURS   := $(PIP) --no-deps --no-build-isolation --editable .

.PHONY: help demo faults fuzz mutants leaks load test test-oldest check lint types spelling hosts docs pictures notebooks registry dist reproduce known-paper bench lock lock-peers format clean audit sbom
.DELETE_ON_ERROR:

help:
	@echo "make demo     judge a release of bundled census data, and publish a better one, in a minute"
	@echo "make test     run all tests"
	@echo "make test-oldest   run the tests of reading and judging with the oldest libraries that are allowed"
	@echo "make check    format, lint, types, spelling and tests"
	@echo "make fuzz     100,000 inputs near valid ones for every parser, and calls with odd arguments; SEED=2 for others"
	@echo "make mutants  change the code and see whether tests notice, for hours; ONLY=measures/sums.py for one file, and it goes on where it stopped"
	@echo "make faults   kill, fill, change and damage, and look at what is left, for many minutes; WITH='--seed 2' for other moments"
	@echo "make docs     build the documentation into site/, look at every page in Chromium, and say where it is"
	@echo "make pictures draw the pictures of the documentation again"
	@echo "make notebooks   run the notebooks, and renew their pages of the documentation"
	@echo "make registry   work out all answers of tests/registry again, by brute force and definitions"
	@echo "make screenshots   make the pictures of the README again, with the system's Chromium"
	@echo "make reproduce PAPER=martin   rerun the experiments of a paper: martin, chen, du, ganta or machanavajjhala"
	@echo "make dist     build the wheel, the source archive and the list of what they are made of into dist/"
	@echo "make audit    ask whether vulnerabilities of the pinned requirements are known; STRICT=1: fail if nobody can be asked"
	@echo "make leaks    look for planted markers in all that every verb, page and error shows"
	@echo "make load     let fifty clients use the page for a minute, and see that it bears them"
	@echo "make bench    measure speed against named baselines and peers; ONLY=audit for one part, WITH=--list for what there is"
	@echo "make lock     renew the pinned requirements"
	@echo "make clean    remove .venv and everything that was built"

demo: $(VENV)/.can-run
	$(BIN)/sidelight demo

# Tests start Python often: what is compiled is kept, whatever the surroundings say.  Two of them run at a time, and
# linear algebra that starts threads of its own takes a quarter longer then.  Each begins with a half of all tests, and takes
# from the other's when it has none left: so most files, with what they set up (Spark, a browser), are with one of them.
test test-oldest: export PYTHONDONTWRITEBYTECODE :=
test test-oldest: export OPENBLAS_NUM_THREADS := 1

test: $(VENV)/.can-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

faults: $(VENV)/.can-test
	OPENBLAS_NUM_THREADS=1 $(BIN)/python scripts/faults.py $(WITH)

# Inputs over all targets, and for each text parser those that coverage leads to; the same seed draws the same inputs.
INPUTS ?= 100000
GUIDED ?= 20000
SEED   ?= 1

fuzz: export OPENBLAS_NUM_THREADS := 1
fuzz: $(VENV)/.can-test
	$(BIN)/python -W ignore tests/trust/fuzz/driver.py --inputs $(INPUTS) --guided $(GUIDED) --seed $(SEED) --write

mutants: $(VENV)/.can-test
	$(BIN)/python scripts/mutants.py $(ONLY) $(WITH)

leaks: $(VENV)/.can-test
	$(BIN)/python scripts/leaks.py

load: $(VENV)/.can-test
	$(BIN)/python benchmarks/load.py

test-oldest: $(VENV)/.can-test
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-oldest
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --only-binary :all: --output-file .venv-oldest/pins.txt pyproject.toml
	$(BIN)/uv pip install --quiet --python .venv-oldest --requirement .venv-oldest/pins.txt adbc-driver-postgresql hypothesis pandas polars pytest pytest-xdist
	PYTHONPATH=src .venv-oldest/bin/python -m pytest -n 2 --dist worksteal -m "not spark" -W default::DeprecationWarning \
	    tests/unit/table tests/unit/release tests/unit/policy tests/unit/cli tests/engines

check: lint types spelling hosts audit test

lint: $(VENV)/.can-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.can-test
	$(BIN)/mypy

spelling: $(VENV)/.can-test
	$(BIN)/codespell

hosts: $(VENV)/.can-test
	$(BIN)/python scripts/no_hosts.py

docs: $(VENV)/.can-test
	$(BIN)/zensical build --strict --clean
	$(BIN)/python scripts/look_at_docs.py
	@echo "the documentation is in site/: open $(CURDIR)/site/index.html"

pictures: $(VENV)/.can-test
	$(BIN)/python scripts/pictures.py
	$(BIN)/python scripts/own_making_pictures.py
	$(BIN)/python scripts/attacker_pictures.py

notebooks: $(VENV)/.can-test
	$(BIN)/python scripts/notebooks.py

# all answers of tests/registry worked out again by the slow ways
registry: $(VENV)/.can-test
	$(BIN)/python scripts/registry.py --check

screenshots: $(VENV)/.can-test
	$(BIN)/python scripts/screenshots.py

# Where no service answers it says "not audited", and goes on; with STRICT=1 that is a failure.
audit: $(VENV)/.can-test
	@$(BIN)/python scripts/supply_chain.py audit $(if $(STRICT),--strict)

sbom: $(VENV)/.can-test
	$(BIN)/python scripts/supply_chain.py sbom dist

# The wheel is built from the unpacked source archive, so that both are whole; nothing is fetched for them.  The same
# commit gives the same bytes, wherever and whenever it is built.
dist: $(VENV)/.can-test
	rm -rf dist
	$(BIN)/python -m hatchling build -t sdist -d dist
	tar -xzf dist/sidelight-*.tar.gz -C dist
	cd dist/sidelight-*/ && $(CURDIR)/$(BIN)/python -m hatchling build -t wheel -d ..
	rm -r dist/sidelight-*/
	$(BIN)/python scripts/supply_chain.py sbom dist
	@ls -l dist

PAPERS := martin chen du ganta machanavajjhala

reproduce: known-paper $(VENV)/.can-test
	$(BIN)/python reproductions/$(PAPER).py $(WITH)

known-paper:
	@$(if $(filter $(PAPER),$(PAPERS)),true,$(error say which paper: make reproduce PAPER=martin, or one of $(PAPERS)))

bench: $(VENV)/.can-test
	$(BIN)/python benchmarks/bench.py $(ONLY) $(WITH)

lock-peers: $(VENV)/.can-test
	$(BIN)/python benchmarks/peers.py --lock
	$(BIN)/python scripts/no_hosts.py benchmarks/*.lock

format: $(VENV)/.can-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate \
        --custom-compile-command "make lock" pyproject.toml

lock: $(VENV)/.can-test
	$(LOCK) --upgrade --group dev --output-file requirements-dev.lock
	$(LOCK) --upgrade --group build --extra plot --constraints requirements-dev.lock --output-file requirements.lock
	$(BIN)/python scripts/no_hosts.py requirements.lock requirements-dev.lock

clean:
	rm -rf $(VENV) .venv-oldest .venv-peers site build dist sidelight-demo .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up. A stamp says what .venv holds; it is renewed when the pins or the package's metadata change.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("Sidelight needs Python 3.11 or newer; say which: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.can-run: $(VENV)/.made requirements.lock pyproject.toml
	$(PIP) --require-hashes --requirement requirements.lock
	$(OURS)
	@touch $@

$(VENV)/.can-test: $(VENV)/.made requirements-dev.lock pyproject.toml
	$(PIP) --require-hashes --requirement requirements-dev.lock
	$(OURS)
	@touch $@
