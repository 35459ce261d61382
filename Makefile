# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
#
# For a machine with nothing but Python, a C++ compiler and CMake. With ROS 2, use colcon (README).

PYTHON ?= python3
JAZZY_PYTHON ?= python3.12
ROBOT ?= spider9
TASK ?= gait
EVALUATIONS ?=
SEED ?=
OUTPUT ?=
FAULTS ?= 200
BEA := .venv/bin/bea

.PHONY: learn test test-faults test-jazzy venv lint clean

learn: venv  ## a robot learns; goes on where it was stopped
	@$(BEA) learn --robot $(ROBOT) --task $(TASK) \
	  $(if $(EVALUATIONS),--evaluations $(EVALUATIONS)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(OUTPUT),--output "$(OUTPUT)")

test: venv  ## every test but the slow ones
	@.venv/bin/python -m pytest -n 2 --dist loadgroup

test-jazzy:  ## the tests that need no ROS, with the versions that Ubuntu 24.04 ships
	@$(PYTHON) tools/test_jazzy.py $(JAZZY_PYTHON)

test-faults: venv  ## slow tests, fuzzing, and FAULTS faults by SEED done to the real graph: a night's work
	@.venv/bin/python -m pytest -m slow --ignore test/faults
	@BEA_FUZZ=3000 BEA_THOROUGH=1 .venv/bin/python -m pytest -s -m "slow or not slow" test/faults
	@.venv/bin/python test/faults/campaign.py --seed $(or $(SEED),1) --faults $(FAULTS)

lint: venv  ## formatting, lint and types
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy

venv:  ## ROS 2 from PyPI, the interfaces and bea_ros, in .venv
	@$(PYTHON) tools/make_venv.py

clean:  ## remove the environments
	rm -rf .venv .venv-jazzy
