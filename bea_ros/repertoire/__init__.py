# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Many ways to move, found in simulation beforehand: what a robot may begin to learn from.

Cully, Clune, Tarapore and Mouret, Robots that can adapt like animals, Nature 2015. Found by
quality-diversity search (MAP-Elites, by pyribs) over the CPG's weights: by where the robot gets
and how it turns, whatever task it will be given.
"""

from bea_ros.repertoire.store import Repertoire, RepertoireError, load, path_of

__all__ = ["Repertoire", "RepertoireError", "load", "path_of"]
