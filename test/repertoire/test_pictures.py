# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the repertoires that come with the package."""

import numpy as np
import pytest

from bea_ros.repertoire import load, path_of, pictures
from bea_ros.report.style import svg
from bea_ros.robots import robot_names


@pytest.mark.parametrize("robot", robot_names())
def test_labels_are_within_the_picture(robot):
    repertoire = load(path_of("default", robot, "small"))
    furthest = pictures.best_per_direction(repertoire, 15.0)
    fitness = repertoire.paths[:, 0, 10, 0]
    for figure in (
        pictures.coverage(repertoire, 15.0),
        pictures.paths(repertoire, furthest, 15.0),
        pictures.paths(repertoire, furthest[:1], 30.0),
        pictures.over_repertoire(repertoire, fitness, np.argsort(-fitness)[:5], 30.0, "m"),
    ):
        svg(figure)
        assert figure.axes[0].yaxis.label.get_window_extent().x0 > -2.0  # points


def test_a_phones_larger_letters_do_not_touch():
    repertoire = load(path_of("default", "spider9", "small"))
    fitness = repertoire.paths[:, 0, 10, 0]
    for figure in (
        pictures.coverage(repertoire, 15.0),
        pictures.over_repertoire(repertoire, fitness, np.argsort(-fitness)[:5], 30.0, "m"),
    ):
        figure.draw_without_rendering()
        axis = figure.axes[1].yaxis
        label = axis.label.get_window_extent().x0  # where the page leaves it, whatever the letters
        for number in axis.get_ticklabels():
            number.set_fontsize(13)  # paper.css
            assert number.get_window_extent().x1 < label
