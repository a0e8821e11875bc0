# Every target does its own set-up in .venv; Python 3.11 or newer and make are all it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
OURS   := $(PIP) --no-deps --no-build-isolation --editable .

# Long checks, one by one: make verify WHAT=fuzz.  Their own targets are called verify-fuzz and so on.
CHECKS := registry leaks load oldest faults fuzz mutants
DRAWN  := drawings screenshots notebooks

.PHONY: help demo test check lint types spelling hosts audit verify known-check $(CHECKS:%=verify-%) docs pictures known-drawing \
        $(DRAWN:%=draw-%) bench reproduce known-paper format lock lock-peers dist clean
.DELETE_ON_ERROR:

help:
	@echo "make demo        judge a release of bundled census data and publish a better one; takes a minute"
	@echo "make test        run all tests"
	@echo "make check       everything a change has to pass: lint, types, spelling, hosts, audit and test, which also run alone;"
	@echo "                 audit looks up known vulnerabilities of the pins (STRICT=1: fail if no service answers)"
	@echo "make verify      the long checks, for hours; WHAT=registry, leaks, load, oldest, faults, fuzz or mutants for one of them"
	@echo "                   registry  compute all answers of tests/registry again by brute force"
	@echo "                   leaks     look for planted markers in everything that commands, pages and errors show"
	@echo "                   load      let fifty clients use the page for a minute"
	@echo "                   oldest    run tests with the oldest libraries that pyproject.toml allows"
	@echo "                   faults    kill, fill disks and damage files, then check what is left; WITH='--seed 2'"
	@echo "                   fuzz      100,000 inputs near valid ones for every parser; SEED=2"
	@echo "                   mutants   change the code and see whether tests notice; ONLY=measures/sums.py; resumes where it stopped"
	@echo "make docs        build the documentation into site/ and check every page in Chromium"
	@echo "make pictures    renew the pictures of the documentation; WHAT=drawings, screenshots or notebooks for one kind"
	@echo "make bench       measure speed against named baselines and peers; ONLY=audit for one part, WITH=--list for all parts"
	@echo "make reproduce   rerun the experiments of a paper; PAPER=martin, chen, du, ganta or machanavajjhala"
	@echo "make format      format the code and apply the linter's fixes"
	@echo "make lock        renew the pinned requirements; lock-peers: those of the tools that benchmarks compare with"
	@echo "make dist        build the wheel, the source archive and their lists of components into dist/"
	@echo "make clean       remove .venv and everything that was built"

demo: $(VENV)/.can-run
	$(BIN)/sidelight demo

# Tests start Python often: what is compiled is kept, whatever the surroundings say.  Two of them run at a time, and
# linear algebra that starts threads of its own takes a quarter longer then.  Each begins with a half of all tests, and takes
# from the other's when it has none left: so most files, with what they set up (Spark, a browser), are with one of them.
test verify-oldest: export PYTHONDONTWRITEBYTECODE :=
test verify-oldest: export OPENBLAS_NUM_THREADS := 1

test: $(VENV)/.can-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

verify: known-check $(patsubst %,verify-%,$(or $(WHAT),$(CHECKS)))

known-check:
	@$(if $(filter-out $(CHECKS),$(WHAT)),$(error no such check: $(WHAT); WHAT is one of $(CHECKS)),true)

verify-faults: $(VENV)/.can-test
	OPENBLAS_NUM_THREADS=1 $(BIN)/python scripts/faults.py $(WITH)

# Inputs over all targets, and for each text parser those that coverage leads to; the same seed draws the same inputs.
INPUTS ?= 100000
GUIDED ?= 20000
SEED   ?= 1

verify-fuzz: export OPENBLAS_NUM_THREADS := 1
verify-fuzz: $(VENV)/.can-test
	$(BIN)/python -W ignore tests/trust/fuzz/driver.py --inputs $(INPUTS) --guided $(GUIDED) --seed $(SEED) --write

verify-mutants: $(VENV)/.can-test
	$(BIN)/python scripts/mutants.py $(ONLY) $(WITH)

verify-leaks: $(VENV)/.can-test
	$(BIN)/python scripts/leaks.py

verify-registry: $(VENV)/.can-test
	$(BIN)/python scripts/registry.py --check

verify-load: $(VENV)/.can-test
	$(BIN)/python benchmarks/load.py

verify-oldest: $(VENV)/.can-test
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
	$(BIN)/sidelight policy-schema > docs/reference/policy.schema.json  # of all measures there are: not kept
	$(BIN)/zensical build --strict --clean
	$(BIN)/python scripts/look_at_docs.py
	@echo "the documentation is in site/: open $(CURDIR)/site/index.html"

pictures: known-drawing $(patsubst %,draw-%,$(or $(WHAT),$(DRAWN)))

known-drawing:
	@$(if $(filter-out $(DRAWN),$(WHAT)),$(error no such pictures: $(WHAT); WHAT is one of $(DRAWN)),true)

draw-drawings: $(VENV)/.can-test
	$(BIN)/python scripts/pictures.py
	$(BIN)/python scripts/own_making_pictures.py
	$(BIN)/python scripts/attacker_pictures.py

draw-screenshots: $(VENV)/.can-test
	$(BIN)/python scripts/screenshots.py

draw-notebooks: $(VENV)/.can-test
	$(BIN)/python scripts/notebooks.py

# Where no service answers it says "not audited", and goes on; with STRICT=1 that is a failure.
audit: $(VENV)/.can-test
	@$(BIN)/python scripts/supply_chain.py audit $(if $(STRICT),--strict)

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
