# Everything goes through one virtual environment, made from the lock files in locks/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

.PHONY: setup sweep test browser whole shared check bench soak lock picture
.DELETE_ON_ERROR:

setup: $(VENV)/.run

$(VENV)/.run: locks/run.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r locks/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: $(VENV)/.run locks/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r locks/dev.txt
	touch $@

sweep: setup
	$(BIN)/bench sweep sweeps/quickstart.toml

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not browser and not soak and not whole" tests

# In a real Chromium, the machine's own; without one they are skipped.
browser: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -m browser tests

# The README followed command by command, and whole sweeps, direct and in batches: the key is in none of their files.
whole: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m whole tests

shared: $(VENV)/.dev
	@test -n "$$BENCH_SHARED" || { echo "set BENCH_SHARED to the folder of shared checks" >&2; exit 2; }
	$(BIN)/python -m pytest -n 2 -m shared tests

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict bench

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

soak: $(VENV)/.dev
	BENCH_SOAK=1 $(BIN)/python -m pytest -n 2 -m soak tests

# Writes the locks anew; the small model comes without its dependencies, so it is resolved alone and appended.
lock: $(VENV)/.dev
	$(COMPILE) pyproject.toml locks/run.in -o locks/run.txt
	$(COMPILE) --no-deps locks/model.in >> locks/run.txt
	$(COMPILE) pyproject.toml locks/run.in locks/dev.in -c locks/run.txt -o locks/dev.txt

# The README's picture: a real run over the shipped fixtures, by the arms that need no key.
picture: setup
	$(BIN)/bench sweep no-model --run picture
	mkdir -p docs/pictures
	cp results/picture/plots/recall_vs_carry.png docs/pictures/
