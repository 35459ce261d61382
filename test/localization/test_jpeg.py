# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compressed images that came whole, and such that did not."""

import os

import cv2
import numpy as np
import pytest

from bea_ros.images.jpeg import DamagedImage, decode


@pytest.fixture(scope="module")
def picture(scene, make_base):
    return scene.picture(make_base())


def compressed(picture, kind=".jpg", quality=90):
    return cv2.imencode(kind, picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def test_a_whole_picture_comes_back(picture):
    assert np.abs(decode(compressed(picture)).astype(int) - picture).mean() < 2
    assert (decode(compressed(picture, ".png")) == picture).all()
    colours = np.dstack([picture, picture // 2, picture // 3])  # red, green, blue
    seen = decode(compressed(colours[:, :, ::-1]), colour=True)
    assert np.abs(seen.astype(int) - colours).mean() < 4
    for padding in (16, 500):
        assert decode(compressed(picture) + bytes(padding)).shape == picture.shape


def test_lost_data_is_noticed_and_nothing_is_left_on_the_terminal(picture, capfd):
    whole = compressed(picture)
    half = len(whole) // 2
    for damaged, why in (
        (b"", "0 bytes that are not a picture"),
        (b"rubbish", "not a picture"),
        (whole[:half], "without an end"),
        (whole[:half] + b"\xff\xd9", "Corrupt JPEG data"),
        (whole[:half] + whole[half + 512 :], "Corrupt JPEG data"),
        (whole[:half] + bytes(512) + whole[half + 512 :], "Corrupt JPEG data"),
    ):
        with pytest.raises(DamagedImage, match=why):
            decode(damaged)
    assert capfd.readouterr().err == ""


def test_what_others_say_meanwhile_is_passed_on(picture, capfd, monkeypatch):
    imdecode = cv2.imdecode

    def talkative(*arguments):
        os.write(2, b"somebody else\n")
        return imdecode(*arguments)

    monkeypatch.setattr(cv2, "imdecode", talkative)
    whole = compressed(picture)
    decode(whole)
    assert capfd.readouterr().err == "somebody else\n"
    with pytest.raises(DamagedImage, match="damaged image: Corrupt JPEG data"):
        decode(whole[: len(whole) // 2] + b"\xff\xd9")
    assert capfd.readouterr().err == "somebody else\n"
