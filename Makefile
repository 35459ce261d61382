# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
#
# For a machine with nothing but Python, a C++ compiler and CMake. With ROS 2, use colcon (docs/install.md).

PYTHON ?= python3
JAZZY_PYTHON ?= python3.12
ROS ?= kilted
ROBOT ?= spider9
TASK ?= gait
EVALUATIONS ?=
SEED ?=
OUTPUT ?=
FAULTS ?= 200
VENV := .venv$(addprefix -,$(filter-out kilted,$(ROS)))
BEA := $(VENV)/bin/bea

# Else each worker and each node of make test compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help learn test test-faults test-jazzy test-newest lock venv lint docs clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

learn: venv  ## a robot learns; the same command resumes
	@$(BEA) learn --robot $(ROBOT) --task $(TASK) \
	  $(if $(EVALUATIONS),--evaluations $(EVALUATIONS)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(OUTPUT),--output "$(OUTPUT)")

# Who hangs for longer than a test waits for any command ends, and is replaced (test/nodes/crashes.py).
IN_FIVE := -m pytest -n 5 --dist loadfile --no-loadscope-reorder \
  -o faulthandler_timeout=700 -o faulthandler_exit_on_timeout=true

test: venv  ## every test but the slow ones
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python $(IN_FIVE)

# A graph of both environments, which make test skips while there is only one of them.
BOTH := test/nodes/whole_graph/test_two_distributions.py
test-jazzy:  ## the tests on ROS 2 Jazzy and Ubuntu 24.04's versions, but graphs and long ones; GRAPHS=1: all
	@JAZZY_PYTHON=$(JAZZY_PYTHON) $(PYTHON) tools/test_jazzy.py \
	  $(if $(GRAPHS),,-m "not slow and not graph and not long" --ignore test/nodes --ignore test/faults)
	@$(if $(GRAPHS),,[ ! -d .venv-jazzy ] || $(PYTHON) tools/test_jazzy.py -n 0 $(BOTH))

test-faults: venv  ## slow tests, fuzzing, and FAULTS faults by SEED done to the real graph: a night's work
	@.venv/bin/python -m pytest -m slow --ignore test/faults
	@BEA_FUZZ=3000 BEA_THOROUGH=1 .venv/bin/python -m pytest -s -m "slow or not slow" test/faults
	@.venv/bin/python test/faults/campaign.py --seed $(or $(SEED),1) --faults $(FAULTS)

lint: venv  ## formatting, lint and types
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy

test-newest:  ## every test but the slow ones, with the newest versions of all packages
	@$(PYTHON) tools/make_venv.py newest
	@OPENBLAS_NUM_THREADS=1 .venv-newest/bin/python $(IN_FIVE)

PIN = .venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --upgrade \
  --no-annotate --quiet --custom-compile-command "make lock"
lock: venv  ## renew tools/lock.txt: exact versions and hashes of what make venv installs
	@$(PIN) setup.py --extra wheels --extra development --output-file tools/lock.txt
	@$(PIN) tools/compiler.in --output-file tools/compiler.txt

docs: venv  ## this documentation as a web site, in site/
	@said=$$(NO_MKDOCS_2_WARNING=true .venv/bin/mkdocs build --strict 2>&1) \
	  || { echo "$$said"; exit 1; }  # --quiet would hide warnings from --strict

venv:  ## ROS 2 from PyPI, the interfaces and bea_ros, in .venv; ROS=jazzy, ROS=newest: in .venv-jazzy, .venv-newest
	@JAZZY_PYTHON=$(JAZZY_PYTHON) $(PYTHON) tools/make_venv.py $(ROS)

clean:  ## remove the environments
	rm -rf .venv .venv-jazzy .venv-newest
