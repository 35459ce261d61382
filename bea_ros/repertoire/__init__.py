# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Many ways to move, found in simulation beforehand: a prior for learning.

After Cully, Clune, Tarapore and Mouret, Robots that can adapt like animals, Nature 2015. A
quality-diversity search (MAP-Elites, by pyribs) over the CPG's weights finds them. It
distinguishes candidates by displacement and rotation, and does not depend on a task.
"""

from bea_ros.repertoire.store import Repertoire, RepertoireError, load, path_of

__all__ = ["Repertoire", "RepertoireError", "load", "path_of"]
