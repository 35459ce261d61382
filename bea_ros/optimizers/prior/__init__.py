# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian optimisation whose prior mean is what simulation found beforehand.

Intelligent trial and error (Cully, Clune, Tarapore and Mouret, Nature 2015), with a model of how
reality differs that is learned from how the draws of physics differ among themselves.
"""
