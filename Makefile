# On a machine with Python 3.11 or later and make, every target sets up what it needs by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
VENV_RAY := .venv-ray
VENV_JAX := .venv-jax
VENV_TEXT := .venv-text
VENV_LOWEST := .venv-lowest
PYTEST := $(BIN)/python -m pytest --numprocesses logical --dist worksteal --ignore tests/browser
COVERED := --cov=carc_env --cov=agents --cov-report= --cov-fail-under=0

# The checkpoint of a folder's training run if there is one, otherwise the settings to begin with.
begun = $$(ls runs/$(1)/latest.ckpt 2> /dev/null || echo $(2))

# Tests start hundreds of processes, which need not compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo play kernels kernels-bounds test quick costs mutants test-browser soak coverage check test-long test-wheel test-anew test-interpreted test-bounds test-lowest test-ray test-jax test-text lint bench perft docs site wheel clean

## demo: learn a value that beats greedy play, then train a network that beats random play; goes on where it was stopped
demo: $(VENV)/core
	$(BIN)/carc-env train value $(call begun,demo-value,value-demo)
	$(BIN)/carc-env evaluate value:weights=runs/demo-value/value.npz greedy --games 200 --seed 2026
	$(MAKE) $(VENV)/ready
	$(BIN)/carc-env train maskable-ppo --folder runs/demo --decisions 200000
	$(BIN)/carc-env evaluate "carc_env.agents.recipes.maskable_ppo:Agent?path=runs/demo/maskable_ppo.pt" random --games 200 --seed 2026

## play: play and analyse in the browser, as in docs/play.md
play: $(VENV)/core
	$(BIN)/python -m carc_env.web

## kernels: compile what is not compiled yet, before many processes want it
kernels: $(VENV)/ready
	$(BIN)/python -m carc_env doctor --compile

kernels-bounds: $(VENV)/ready
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m carc_env doctor --compile

## test: all tests but the long ones, in a few minutes; says what is left for `make check`
test: kernels
	$(PYTEST)

## quick: the tests that your change can affect, the nearest first, for less than a minute
quick: kernels
	$(BIN)/python -m tests.quick

## costs: the tests of `make test`, and the seconds of the 200 slowest
costs: kernels
	$(PYTEST) --durations 200

## mutants: 40 small faults, put into the package one at a time: which does no test of `make test` find?
mutants: kernels
	nice $(BIN)/python -m tests.mutants build/mutants.yaml

## check: everything that `make test` leaves
check: test-long test-wheel test-anew test-interpreted test-bounds test-browser test-lowest test-ray test-jax test-text site lint

## test-long: the long tests
test-long: $(VENV)/ready
	$(PYTEST) -m "long and not anew"

## test-wheel: the long tests of what a user installs, those of `make test-anew` left out
test-wheel: kernels
	$(BIN)/python -m pytest -m "long and not anew" tests/test_wheel.py

## test-anew: what compiles the whole engine again: wheels with kernels, another numba, a killed start
test-anew: kernels
	$(PYTEST) -m anew

## test-interpreted: what the JIT can hide; fails if less than 98% of the engine's lines are reached
test-interpreted: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "interpreted and not long" --cov

## test-bounds: whatever runs kernels, on fewer games, with the bounds of arrays checked
test-bounds: kernels-bounds
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m "not once and not long"

## test-lowest: engine and environments with the lowest versions that pyproject.toml allows
test-lowest: $(VENV_LOWEST)/ready
	$(VENV_LOWEST)/bin/python -m pytest tests/engine/test_perft.py tests/engine/test_compiler.py \
		tests/test_golden.py tests/test_vector.py tests/test_aec.py tests/test_single_agent.py

## test-ray: what needs Ray, in an environment of its own, for RLlib pins an older gymnasium
test-ray: $(VENV_RAY)/ready
	$(VENV_RAY)/bin/python -m pytest tests/ray

## test-jax: the code of the page about JAX, in an environment of its own, for nothing else needs it
test-jax: $(VENV_JAX)/ready
	$(VENV_JAX)/bin/python -m pytest tests/test_readme.py -k jax

## test-text: TextArena and OpenEnv, and verifiers, in environments of their own, for they pin other libraries
test-text: $(VENV_TEXT)/ready
	$(VENV_TEXT)/bin/python -m pytest tests/test_text_adapters.py
	$(VENV_TEXT)-verifiers/bin/python -m pytest tests/test_text_adapters.py

## test-browser: the page in a real browser
test-browser: $(VENV)/browser
	$(BIN)/python -m pytest -m "" tests/browser

## soak: ten million decisions under random rules with every check on, in parts; goes on where it was stopped
soak: $(VENV)/ready
	$(BIN)/python -m tests.soak

## coverage: lines that no test reaches: of the engine without the JIT, of all else with and without it
coverage: kernels
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "interpreted and not long" $(COVERED)
	$(BIN)/python -m coverage report --include="carc_env/engine/*,*/kernels.py"
	$(PYTEST) $(COVERED) --cov-append
	$(BIN)/python -m coverage report --omit="carc_env/engine/*,*/kernels.py,agents/cluster.py" --fail-under=92

## lint: format, style and types
lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

## bench: all figures of docs/performance.md, in three minutes
bench: $(VENV)/ready
	$(BIN)/carc-env benchmark

## perft: number of positions at growing depth from fixed positions
perft: $(VENV)/ready
	$(BIN)/python scripts/perft.py

## docs: rebuild the tables, schemas, pictures and notebooks of the documentation, and count its words
docs: $(VENV)/ready
	$(BIN)/python scripts/write_tables.py
	$(BIN)/python scripts/count_words.py
	PYTHONPATH=scripts $(BIN)/python -m tests.together
	$(BIN)/python scripts/write_schemas.py
	$(BIN)/python scripts/draw_docs.py
	$(BIN)/python scripts/results.py --page
	$(BIN)/python scripts/ladder.py --page
	$(BIN)/python scripts/mistakes.py
	$(BIN)/python scripts/run_notebooks.py

## site: the documentation in build/site; a warning or a broken link is an error; lists links that lead out
site: $(VENV)/site
	$(BIN)/python -m sphinx --quiet --nitpicky --fail-on-warning --keep-going -d build/doctrees docs build/site
	@echo "build/site/index.html; links that lead out: build/site/external-links.txt"

## wheel: a wheel with compiled kernels, for this version of Python and this platform, in dist
wheel: $(VENV)/ready
	CARC_ENV_WITH_KERNELS=1 $(BIN)/python -m build --wheel --no-isolation

clean:
	rm -rf $(VENV) $(VENV_RAY) $(VENV_JAX) $(VENV_TEXT) $(VENV_TEXT)-verifiers $(VENV_LOWEST) build *.egg-info

$(VENV)/core: pyproject.toml constraints.txt
	@echo "Setting up $(VENV). This downloads numpy, numba, gymnasium, pettingzoo and starlette (about 100 MB) and,"
	@echo "for pictures and ratings, matplotlib, resvg and choix with scipy (about 80 MB). It happens once."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[arena,render,web]'
	@touch $@

$(VENV)/ready: $(VENV)/core
	@echo "Adding torch with stable-baselines3 to $(VENV) (about 200 MB for a CPU build, up to 3 GB for the"
	@echo "default build on Linux with CUDA), and what tests need. It happens once."
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[train,arena,web,dev]'
	@touch $@

$(VENV)/browser: $(VENV)/ready
	@if [ -z "$$CHROMIUM" ] && ! command -v chromium > /dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
			echo "Installing the package chromium (about 300 MB). It happens once."; \
			apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium; \
		else \
			echo "The tests of the page need Chromium. Install it (on Debian: sudo apt-get install"; \
			echo "chromium), or let CHROMIUM be the path of the program. Then run make again."; \
			exit 1; \
		fi; \
	fi
	$(BIN)/python -m pip install --quiet --constraint constraints.txt playwright axe-playwright-python
	@touch $@

$(VENV)/site: $(VENV)/core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

$(VENV_RAY)/ready: pyproject.toml constraints-ray.txt
	@echo "Setting up $(VENV_RAY). This downloads ray with RLlib, pandas, pyarrow and scipy (about 250 MB),"
	@echo "torch (about 200 MB for a CPU build, up to 3 GB for the default build on Linux with CUDA) and"
	@echo "the core (about 100 MB). It happens once."
	$(PYTHON) -m venv $(VENV_RAY)
	$(VENV_RAY)/bin/python -m pip install --quiet --constraint constraints-ray.txt --editable '.[ray,dev]'
	@touch $@

$(VENV_JAX)/ready: pyproject.toml constraints-jax.txt
	@echo "Setting up $(VENV_JAX). This downloads jax for the CPU with scipy (about 150 MB) and the core"
	@echo "(about 100 MB). It happens once."
	$(PYTHON) -m venv $(VENV_JAX)
	$(VENV_JAX)/bin/python -m pip install --quiet --constraint constraints-jax.txt --editable '.[jax]' \
		pytest
	@touch $@

$(VENV_TEXT)/ready: pyproject.toml constraints-text.txt
	@echo "Setting up $(VENV_TEXT) and $(VENV_TEXT)-verifiers. This downloads textarena, openenv and verifiers"
	@echo "with what they need (about 300 MB) and the core (about 100 MB). It happens once."
	$(PYTHON) -m venv $(VENV_TEXT)
	$(VENV_TEXT)/bin/python -m pip install --quiet --constraint constraints-text.txt \
		--editable '.[textarena,openenv]' pytest
	$(PYTHON) -m venv $(VENV_TEXT)-verifiers
	$(VENV_TEXT)-verifiers/bin/python -m pip install --quiet --constraint constraints-text.txt \
		--editable '.[verifiers]' pytest
	@touch $@

$(VENV_LOWEST)/ready: pyproject.toml constraints-lowest.txt
	@echo "Setting up $(VENV_LOWEST). This downloads the core (about 100 MB). It happens once."
	$(PYTHON) -m venv $(VENV_LOWEST)
	$(VENV_LOWEST)/bin/python -m pip install --quiet --constraint constraints-lowest.txt --editable . \
		hypothesis pytest
	@touch $@
