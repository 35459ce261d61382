# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The engine of studies of algorithms, from their options to their pages.

A new study is a package beside this one, of three parts (functions/ is the shortest example):

1. `plan.py`: a `Run` with its KEY, and a `Plan` whose `runs` lists all runs.
2. `study.py`: a `CurveStudy`. It names its folder, columns and packages. `execute` does a run
   (`plan.once` writes its file), `run_row` and `curve_rows` give its lines in the tables, and
   `report` writes the page. If a run is one line in place of a curve, use a `Study` (optimizers/
   and bbob/ are `MethodStudy`s).
3. `__init__.py`: the options, and `run`, which passes them to the study. It imports heavy modules
   only in `run`. A line in `bea_ros/commands/bench.py` makes it `bea bench NAME`.

The engine resumes studies, uses local processes or Dask, shows progress, writes CSV files,
compares results and draws figures.
"""
