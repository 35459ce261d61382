# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a recording with MuJoCo's renderer: floor with a grid, lamps, shadows, a trail.

The rendered model has no physics: one box per box of the robot, placed as recorded.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import cv2
import mujoco
import numpy as np
from scipy.ndimage import uniform_filter1d

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import Arena
from bea_ros.robots import Robot
from bea_ros.simulation.recording import Recording

TILE = 0.25  # m between the floor's lines
TRAIL_WIDTH, TRAIL_COLOUR = 0.0025, (0.11, 0.54, 0.24, 1.0)  # m
TRAIL_STEP = 0.02  # m between the trail's points
SMOOTHING = 1.5  # s over which the camera follows
ELEVATION, AZIMUTH = -32.0, 140.0  # degrees
DRIFT = 25.0  # degrees that the camera turns around the robot in a film
FIELD_OF_VIEW = 38.0  # degrees
LAMP = (-0.7, -0.9, 1.5)  # m from the point that the camera looks at
FINER = 1.5  # oversampling in each direction when the CPU draws
MARKER_PIXELS = 24  # per cell in the marker's texture
Vector = tuple[float, float, float]


class Film:
    """Draws a recording, with the arena's marker on the robot; `frame(time)` is an RGB image
    (height, width, 3).

    A `slow` renderer (on the CPU) draws coarser shadows, and smooths edges by oversampling. Raises
    the errors of MuJoCo's renderer if it has no OpenGL (see bea_ros.report.video).
    """

    def __init__(
        self, recording: Recording, arena: Arena, width: int, height: int, slow: bool = False
    ) -> None:
        self.recording = recording
        self._size = (width, height)
        if slow:
            width, height = round(FINER * width), round(FINER * height)
        self._model = build_stage(recording.robot, arena, width, height, slow)
        self._data = mujoco.MjData(self._model)
        self._renderer: Any = mujoco.Renderer(self._model, height, width, max_geom=5000)
        self._camera = mujoco.MjvCamera()
        self._camera.elevation = ELEVATION
        centres = recording.modules[:, :, :3, 3].mean(axis=1)
        self._centres = _smooth(recording.t, centres)
        self._path = _thinned(recording.base[:, :2, 3])
        reach = np.linalg.norm(recording.modules[0, :, :2, 3] - recording.base[0, :2, 3], axis=1)
        self._camera.distance = 0.3 + 2.1 * float(reach.max())

    def frame(self, time: float) -> Image:
        """The picture at a time (s) of the recording."""
        recording, camera = self.recording, self._camera
        modules, marker, base = recording.at(time)
        poses = np.concatenate([modules, marker[None]])
        self._data.mocap_pos[:] = poses[:, :3, 3]
        for i, pose in enumerate(poses):
            mujoco.mju_mat2Quat(
                self._data.mocap_quat[i], np.ascontiguousarray(pose[:3, :3]).ravel()
            )
        share = time / recording.t[-1]
        camera.azimuth = AZIMUTH + DRIFT * (share - 0.5)
        camera.lookat[:] = [np.interp(time, recording.t, c) for c in self._centres.T]
        self._model.light_pos[0] = camera.lookat + LAMP  # shadows are sharper near the lamp
        mujoco.mj_forward(self._model, self._data)
        self._renderer.update_scene(self._data, camera)
        self._draw_trail(recording, time, base)
        image = self._renderer.render()
        if image.shape[1::-1] == self._size:
            return image.copy()
        return cv2.resize(image, self._size, interpolation=cv2.INTER_AREA)

    def close(self) -> None:
        """Free the graphics memory."""
        self._renderer.close()

    def _draw_trail(self, recording: Recording, time: float, base: Array) -> None:
        """Draw the robot's path so far as a line on the floor."""
        until = int(np.searchsorted(recording.t, time, side="right"))
        kept = [recording.base[i, :2, 3] for i in self._path if i < until] + [base[:2, 3]]
        scene = self._renderer.scene
        for one, other in itertools.pairwise(kept):
            if scene.ngeom >= scene.maxgeom:
                return
            geom = scene.geoms[scene.ngeom]
            mujoco.mjv_initGeom(
                geom, mujoco.mjtGeom.mjGEOM_CAPSULE, np.zeros(3), np.zeros(3), np.eye(3).ravel(),
                np.array(TRAIL_COLOUR, dtype=np.float32),
            )  # fmt: skip
            mujoco.mjv_connector(
                geom, mujoco.mjtGeom.mjGEOM_CAPSULE, TRAIL_WIDTH,
                np.append(one, TRAIL_WIDTH), np.append(other, TRAIL_WIDTH),
            )  # fmt: skip
            geom.category = mujoco.mjtCatBit.mjCAT_DECOR
            scene.ngeom += 1


def build_stage(robot: Robot, arena: Arena, width: int, height: int, slow: bool) -> mujoco.MjModel:
    """Floor, lamps, and a body without physics for each of the robot's boxes and its marker."""
    spec = mujoco.MjSpec()
    look = spec.visual
    look.global_.offwidth, look.global_.offheight = width, height
    look.global_.fovy = FIELD_OF_VIEW
    look.quality.shadowsize = 1024 if slow else 4096
    look.quality.offsamples = 0 if slow else 8
    look.map.znear = 0.01
    look.headlight.ambient, look.headlight.diffuse = [0.30] * 3, [0.18] * 3
    look.headlight.specular = [0.0] * 3
    look.rgba.haze = [0.93, 0.94, 0.96, 1.0]
    sky = spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=256, height=256,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
    )  # fmt: skip
    sky.rgb1, sky.rgb2 = [0.93, 0.94, 0.96], [0.72, 0.78, 0.86]
    _add_floor(spec)
    spec.stat.extent = 1.4  # m; part of the floor with shadows
    _add_lamp(spec, LAMP, 0.55, shadow=True)
    _add_lamp(spec, (-2.0, 1.5, 2.5), 0.15, shadow=False)
    for i, box in enumerate(robot.modules):
        body = spec.worldbody.add_body(name=f"module_{i}", mocap=True)
        _add_box(spec, body, f"module_{i}", box.size, [*box.colour[:3], 1.0])
    _add_marker(spec, arena)
    return spec.compile()


def _add_floor(spec: Any) -> None:
    texture = spec.add_texture(
        name="floor", type=mujoco.mjtTexture.mjTEXTURE_2D, width=512, height=512,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER, mark=mujoco.mjtMark.mjMARK_EDGE,
    )  # fmt: skip
    texture.rgb1, texture.rgb2 = [0.78, 0.80, 0.82], [0.84, 0.86, 0.88]
    texture.markrgb = [0.66, 0.68, 0.72]
    material = spec.add_material(name="floor", texrepeat=[1 / (2 * TILE)] * 2, texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    material.specular, material.shininess = 0.05, 0.1
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], material="floor"
    )


def _add_lamp(spec: Any, position: Vector, brightness: float, shadow: bool) -> None:
    lamp = spec.worldbody.add_light(pos=position, castshadow=shadow)
    lamp.dir = [-value for value in position]
    if hasattr(lamp, "type"):
        lamp.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    else:  # MuJoCo before 3.3.3
        lamp.directional = True
    lamp.diffuse, lamp.specular, lamp.ambient = [brightness] * 3, [0.25] * 3, [0.0] * 3


def _add_box(spec: Any, body: Any, name: str, size: Array, colour: list[float]) -> None:
    material = spec.add_material(name=name, rgba=colour)
    material.specular, material.shininess = 0.35, 0.4
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=(np.asarray(size) / 2).tolist(), material=name,
        contype=0, conaffinity=0,
    )  # fmt: skip


def _add_marker(spec: Any, arena: Arena) -> None:
    """Add the robot's ArUco marker, as thin as paper."""
    cells = arena.cells(arena.robot_marker)
    image = np.kron(cells, np.ones((MARKER_PIXELS, MARKER_PIXELS), np.uint8))
    pixels = np.repeat(image[:, :, None], 3, axis=2)
    texture = spec.add_texture(
        name="marker", type=mujoco.mjtTexture.mjTEXTURE_2D, nchannel=3,
        width=pixels.shape[1], height=pixels.shape[0],
    )  # fmt: skip
    texture.data = pixels.tobytes()
    material = spec.add_material(name="marker")
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "marker"
    body = spec.worldbody.add_body(name="marker", mocap=True)
    half = arena.robot_marker.size / 2
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=[half, half, 0.0008], material="marker",
        contype=0, conaffinity=0,
    )  # fmt: skip


def _thinned(points: Array) -> list[int]:
    """Indices of points (n, 2) that are at least TRAIL_STEP from the previous one."""
    kept = [0]
    for i, point in enumerate(points):
        if np.linalg.norm(point - points[kept[-1]]) >= TRAIL_STEP:
            kept.append(i)
    return kept


def _smooth(t: Array, points: Array) -> Array:
    """Points (n, 3) at times `t` (s), averaged over a centred window of SMOOTHING s."""
    half = max(math.floor(SMOOTHING / 2 / (t[1] - t[0])), 1)
    return uniform_filter1d(points, 2 * half + 1, axis=0, mode="nearest")
