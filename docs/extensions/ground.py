"""Plots without a ground of their own, so that they are read on light pages and on dark ones.

White becomes transparent in the built images. The theme lays no white behind those of the class
``dark-light``, and ``site.css`` turns light and dark round in them on a dark page, where colours
keep their hue. What has another ground than white, such as most screenshots, is left.
"""

from pathlib import Path

import numpy as np
from docutils import nodes
from PIL import Image

__all__ = ["setup", "without_ground"]

_COLOURS = 128
_GROUND = 0.8  # of the pixels at its edge show the ground of an image


def without_ground(image):
    """Return an image without its white ground, itself if it has no ground, else None."""
    pixels = np.asarray(image.convert("RGBA"), dtype=float)
    edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    if (edge[:, 3] == 0).mean() > _GROUND:
        return image
    if (edge >= 250).all(axis=1).mean() <= _GROUND:
        return None
    # Each colour is taken apart: as much of the purest paint as is needed over white.
    missing = 255 - pixels[..., :3]
    density = missing.max(axis=-1) / 255
    paint = 255 - missing / np.where(density, density, 1)[..., None]
    found = np.dstack([paint, 255 * density]).round().astype(np.uint8)
    return Image.fromarray(found, "RGBA").quantize(_COLOURS, method=Image.Quantize.FASTOCTREE)


def _mark(app, tree):
    """Mark the images of a page that will lose their ground."""
    for node in tree.findall(nodes.image):
        path = Path(app.srcdir, node["uri"])
        if path.suffix == ".png" and path.is_file():
            with Image.open(path) as image:
                if without_ground(image) is not None:
                    node["classes"].append("dark-light")


def _clear(app, error):
    """Take the ground from each image of a built site."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_images").glob("*.png"):
        with Image.open(path) as image:
            cleared = without_ground(image)
            if cleared not in (None, image):
                cleared.save(path, optimize=True)


def setup(app):
    """Connect it."""
    app.connect("doctree-read", _mark)
    app.connect("build-finished", _clear)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
