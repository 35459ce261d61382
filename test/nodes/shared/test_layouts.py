# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The layouts for Foxglove and PlotJuggler show what the running nodes publish, field by field."""

from __future__ import annotations

import importlib
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from rclpy.node import Node

from bea_ros.robots import load_robot

CONFIG = Path(__file__).resolve().parents[3] / "config"
FOXGLOVE = json.loads((CONFIG / "foxglove" / "learn.json").read_text())
PLOTJUGGLER = ElementTree.parse(CONFIG / "plotjuggler" / "learn.xml").getroot()
STATUS = ("fitness", "best_fitness", "gain_per_second", "step_size_factor", "overhead_time")
# What Foxglove's 3D panel draws of what kind.
DRAWN = {
    "/markers": "MarkerArray",
    "/path": "Path",
    "/learner/best_path": "Path",
    "/pose": "PoseWithCovarianceStamped",
}
# What Foxglove Studio's plots know (PlotConfig in its source); other keys are passed over unsaid.
PLOT = {
    "foxglovePanelTitle", "paths", "minYValue", "maxYValue", "showLegend", "legendDisplay",
    "isSynced", "xAxisVal", "followingViewWidth",
}  # fmt: skip
NUMBERS = {"double", "float", "boolean"} | {
    f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)
}


@pytest.fixture(scope="module")
def published(nodes: dict[str, Node]) -> dict[str, Any]:
    """Message classes by topic, as they are without a namespace."""
    return {
        p.topic_name.removeprefix("/one"): p.msg_type
        for node in nodes.values()
        for p in node.publishers
    }


def kind_of(message: Any, path: list[str]) -> str:
    """The type of a field, given as names and [indices]; raises KeyError if there is none."""
    kind = ""
    for word in path:
        if word.startswith("["):
            assert kind.startswith("sequence<"), (message, path)
            kind = kind.removeprefix("sequence<").removesuffix(">")
            continue
        if kind:
            package, name = kind.split("/")
            message = getattr(importlib.import_module(f"{package}.msg"), name)
        kind = message.get_fields_and_field_types()[word]
    return kind


def panels(kind: str) -> list[dict[str, Any]]:
    return [panel for name, panel in FOXGLOVE["configById"].items() if name.startswith(f"{kind}!")]


def foxglove_paths(kind: str) -> list[str]:
    return [path["value"] for panel in panels(kind) for path in panel["paths"]]


def test_every_panel_of_foxglove_is_laid_out_once() -> None:
    def leaves(place: Any) -> list[str]:
        if isinstance(place, str):
            return [place]
        assert place["direction"] in ("row", "column")
        return leaves(place["first"]) + leaves(place["second"])

    assert sorted(leaves(FOXGLOVE["layout"])) == sorted(FOXGLOVE["configById"])


def test_foxglove_draws_what_is_published(published: dict[str, Any]) -> None:
    (scene,) = panels("3D")
    assert scene["followTf"] == "map"
    drawn = set(scene["topics"]) - {"/robot_description"}  # robot_state_publisher's
    assert {topic: published[topic].__name__ for topic in drawn} == DRAWN
    (image,) = panels("Image")
    assert published[image["imageMode"]["imageTopic"]].__name__ == "Image"


def test_foxglove_knows_every_setting_of_its_plots() -> None:
    for panel in panels("Plot"):
        assert set(panel) <= PLOT
        assert panel["foxglovePanelTitle"]


def test_foxglove_plots_numbers_that_are_published(published: dict[str, Any]) -> None:
    for value in foxglove_paths("Plot"):
        topic, *path = re.findall(r"^/[\w/]+|\w+(?=[.\[]|$)|\[\d+\]", value)
        assert kind_of(published[topic], path) in NUMBERS, value
    for value in foxglove_paths("StateTransitions"):
        topic, field = value.split(".")
        assert kind_of(published[topic], [field]) == "string"
    wanted = {f"/learner/status.{field}" for field in STATUS}
    wanted |= {"/joint_trajectory.points[0].positions[0]", "/joint_states.position[0]"}
    assert wanted <= set(foxglove_paths("Plot"))


def curves() -> list[str]:
    return [curve.attrib["name"] for curve in PLOTJUGGLER.iter("curve")]


def test_plotjuggler_plots_numbers_that_are_published(published: dict[str, Any]) -> None:
    joints = [joint.name for joint in load_robot("spider9").joints]
    for name in curves():
        topic = next(t for t in sorted(published, key=len)[::-1] if name.startswith(f"{t}/"))
        path = re.findall(r"\w+|\[\d+\]", name.removeprefix(topic))
        if topic == "/joint_states":  # by joint: /joint_states/JOINT/position
            assert path[0] in joints
            path = [path[1], "[0]"]
        assert kind_of(published[topic], path) in NUMBERS, name
    assert {f"/learner/status/{field}" for field in STATUS} <= set(curves())


def test_plotjuggler_pairs_each_command_with_its_joint(nodes: dict[str, Node]) -> None:
    joints = [joint.name for joint in nodes["simulator"].robot.joints]
    pairs = [
        [curve.attrib["name"] for curve in plot.iter("curve")]
        for plot in PLOTJUGGLER.iter("plot")
        if "joint_states" in ElementTree.tostring(plot, encoding="unicode")
    ]
    assert pairs == [
        [f"/joint_trajectory/points[0]/positions[{i}]", f"/joint_states/{name}/position"]
        for i, name in enumerate(joints)
    ]


def test_plotjuggler_subscribes_to_what_it_plots(published: dict[str, Any]) -> None:
    selected = {
        topic
        for element in PLOTJUGGLER.iter("selected_topics")
        for topic in element.attrib["value"].split(";")
    }
    assert selected <= set(published)
    assert all(any(name.startswith(f"{topic}/") for topic in selected) for name in curves())
    for splitter in PLOTJUGGLER.iter("DockSplitter"):
        sizes = splitter.attrib["sizes"].split(";")
        assert int(splitter.attrib["count"]) == len(splitter) == len(sizes)
