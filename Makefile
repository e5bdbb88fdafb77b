# SPDX-License-Identifier: Apache-2.0
# Everything from one place, with or without a ROS 2 installation. `make` lists the targets.

ROS_WHEELS ?= jazzy
PYTHON ?=
SCENE ?=
DOMAIN ?=
OUT ?= out
ARGS ?=
export ROS_WHEELS PYTHON
# Images of containers set it. Then each of several hundred child processes of the tests compiles the
# package anew, half a second of CPU or more, and pytest rewrites every test module once a worker.
unexport PYTHONDONTWRITEBYTECODE

# Make before 4.4 does not export to $(shell): the variables are named.
VENV := $(shell ROS_WHEELS='$(ROS_WHEELS)' PYTHON='$(PYTHON)' setup/which_venv.sh)
# Every command of the project runs in the environment that this one file describes.
IN_ENVIRONMENT = . $(VENV)/fcp_env.sh &&
# On this machine only: nothing that tests or the demo say reaches other robots on the network.
unexport ROS_LOCALHOST_ONLY
PROFILE = $(CURDIR)/config/loopback.xml
LOCAL = FASTRTPS_DEFAULT_PROFILES_FILE='$(PROFILE)' FASTDDS_DEFAULT_PROFILES_FILE='$(PROFILE)' \
  ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET
# A file's tests stay in one process, since tests of live nodes share running ones; files are dealt out in
# the order of test/conftest.py. Each process computes with one thread; there is one more of them than
# cores, since tests of live nodes wait, and wait first.
WORKERS ?= $(shell expr `env -u OMP_NUM_THREADS nproc` + 1)
ON_ALL_CORES = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
ONE_THREAD = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help setup demo up test nightly golden lint clean distclean

help: ## list the targets
	@echo 'make TARGET [VARIABLE=value ...]'
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-12s %s\n", $$1, $$2}'
	@echo
	@echo 'Environment used here: $(VENV) (a sourced ROS 2 distribution, or ROS 2 as wheels from PyPI:'
	@echo 'ROS_WHEELS=jazzy, the default, or kilted). PYTHON=/path/to/python3 chooses the interpreter.'

setup: ## make or update the environment: Python packages, ROS 2 wheels, built interfaces
	@setup/prepare.sh

demo: setup ## the demonstration; SCENE=file DOMAIN=file_or_name OUT=folder
	@$(IN_ENVIRONMENT) $(LOCAL) python -m fcp_ros.cli.main demo \
	  $(if $(SCENE),--scene '$(SCENE)') $(if $(DOMAIN),--domain '$(DOMAIN)') --out '$(OUT)' $(ARGS)

up: setup ## all nodes in one process, until Ctrl-C; ARGS='...' goes to `fcp up`
	@$(IN_ENVIRONMENT) fcp up $(if $(SCENE),--scene '$(SCENE)') $(if $(DOMAIN),--domain '$(DOMAIN)') $(ARGS)

lint: setup ## ruff and mypy
	@$(IN_ENVIRONMENT) ruff check . && mypy

# mypy needs one core for a minute: it goes on beside the first tests, which wait for nodes.
test: setup ## ruff, mypy and the whole test suite on all cores; ARGS='-k word' for a part of it
	@$(IN_ENVIRONMENT) export $(LOCAL) $(ONE_THREAD); ruff check . || exit; \
	  mypy >$(VENV)/logs/mypy.log 2>&1 & types=$$!; \
	  python -m pytest $(ON_ALL_CORES) $(ARGS); tests=$$?; \
	  wait $$types || { cat $(VENV)/logs/mypy.log; exit 1; }; exit $$tests

nightly: lint ## the same with 32 times as many random examples, new ones each time (hours)
	@$(IN_ENVIRONMENT) export $(LOCAL) $(ONE_THREAD); \
	  python -m pytest $(ON_ALL_CORES) --hypothesis-profile=nightly --timeout=3600 -o faulthandler_timeout=3900 $(ARGS)

golden: setup ## compare answers with those kept in test/golden (3 minutes; all of them: ARGS=--full)
	@$(IN_ENVIRONMENT) export $(LOCAL) $(ONE_THREAD); python test/golden/golden.py $(ARGS)

clean: ## remove what the demo and the checks left behind
	rm -rf out .pytest_cache .mypy_cache .ruff_cache .hypothesis fcp_ros.egg-info
	find fcp_ros test launch setup -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the environment in use as well
	rm -rf $(VENV)
