# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation whose prior mean comes from simulations.

This is intelligent trial and error (Cully, Clune, Tarapore and Mouret, Nature 2015). It adds a
model of the difference between reality and simulation, learned from the differences between
simulated worlds.
"""
