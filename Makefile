# make run      the product on http://127.0.0.1:8000 (PORT changes it)
# make test     the whole suite, on SQLite and on PostgreSQL (ARGS="-k append" narrows it)
# make check    the static checks
# make bench    the measures
# make pictures the pictures of the docs, anew
# make strategy-tables  the tables of the strategies on the real recordings in TRAJECTORIES_DIR, anew
# make messages the catalogue of the Chinese pages, after a text was added (needs GNU gettext)
# make install  the environment only

.DEFAULT_GOAL := run
.PHONY: install install-dev run test check bench pictures strategy-tables messages clean

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check -qq install
ARGS ?=

# The first interpreter that is new enough and can make environments. PYTHON=… goes before them.
define FIND_PYTHON
for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
  if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
  then echo $$python; exit 0; fi; done; \
echo "Python 3.11 or newer is needed, with its venv module (Debian: apt install python3-venv). Name one with: make PYTHON=/path/to/python" >&2; exit 1
endef

# Stamps are written last: an installation that was cut short is done again.
$(VENV)/.made:
	@python=$$($(FIND_PYTHON)) && echo "Making $(VENV) with $$python" && $$python -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: requirements.txt | $(VENV)/.made
	@echo "Installing requirements.txt" && $(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt | $(VENV)/.made
	@echo "Installing requirements-dev.txt" && $(PIP) -r requirements-dev.txt
	@touch $(VENV)/.runtime $@

install: $(VENV)/.runtime

install-dev: $(VENV)/.dev

run: install
	@exec $(PY) -m config.serve

test: install-dev
	@$(PY) -m tests.run $(ARGS)

# The key keeps a mere check from making one.
check: export SECRET_KEY := only-for-the-static-checks
check: install-dev
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/djlint --lint --quiet templates
	$(PY) manage.py makemigrations --check --dry-run

bench: install-dev
	@$(PY) -m benchmarks $(ARGS)

# Collects the texts and compiles what locale/ says of them: both files are committed, since a fresh clone has no GNU
# gettext (Debian: apt install gettext). Between the two, translate: tests/inspector/test_translations.py names what is
# missing, and running it once more compiles it.
messages: install
	$(PY) manage.py makemessages --locale zh_Hans --no-wrap --no-obsolete --add-location file \
	  --ignore .venv --ignore var --ignore docs --ignore tests --ignore benchmarks
	$(PY) manage.py compilemessages --locale zh_Hans --ignore .venv

pictures: install-dev
	@$(PY) docs/pictures/make.py

strategy-tables: install
	@$(PY) docs/strategy_tables.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*
