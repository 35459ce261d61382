# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What every study of algorithms needs, from its options to its page.

A new study is a package beside this one, of three parts (functions/ is the shortest example):

1. `plan.py`: a `Run` with its KEY, and a `Plan` whose `runs` says which there are.
2. `study.py`: a `CurveStudy` that names its folder, its columns and the packages to write down,
   carries a run out (`execute`), reads it again (`outcome`), says which lines of the tables it
   makes (`run_row`, `curve_rows`) and what is on the page (`report`). Where a run is no curve of
   an algorithm but a line, it is a `Study` (optimizers/ and bbob/, a `MethodStudy` each).
3. `__init__.py`: the options, and `run`, which hands them to the study. Nothing heavy is imported
   before that. A line in `bea_ros/commands/bench.py` makes it `bea bench NAME`.

Resuming, local processes or Dask, progress, CSV files, comparisons and pictures are the engine's.
"""
