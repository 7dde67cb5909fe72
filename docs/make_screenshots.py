"""Make screenshots of reports, notebooks: ``PYTHONPATH=tests python docs/make_screenshots.py``.

``pip install -c constraints.txt -e '.[test]'`` and ``apt-get install chromium`` come before. The
reports are of the bundled sample, whose judgements are made up. It takes about a minute.
"""

import contextlib
import re
import shlex
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from pages import chromium, opened
from PIL import Image
from readme import commands, write_files

from sklearn_mteval.cli import main

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
RANK = f"{commands()[1]} --html report.html"


def save(page, name, top, bottom):
    """Write what stands between two heights of a page, NAME.png."""
    clip = {"x": 0, "y": top, "width": page.viewport_size["width"], "height": bottom - top}
    image = Image.open(BytesIO(page.screenshot(full_page=True, clip=clip))).convert("RGB")
    image.quantize(64, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


def bounds(page, selector):
    """Return where an element begins and ends, from the top of the page."""
    box = page.locator(selector).bounding_box()
    top = box["y"] + page.evaluate("window.scrollY")
    return round(top), round(top + box["height"])


def draw_ranks(browser):
    """Draw the page of ``rank``: above, themes, segments."""
    with opened(browser, Path("report.html").resolve()) as page:
        save(page, "report_summary", 0, bounds(page, "#plots")[1] + 10)
        for title in ("Length", "Words"):
            page.locator("#themes summary").filter(has_text=title).first.click()
        save(page, "report_themes", *bounds(page, "#themes"))
        page.select_option("#order", "difference")
        page.select_option("#better", label="rule")
        page.select_option("#worse", label="online")
        end = bounds(page, "#list article:nth-child(2)")[1]
        save(page, "report_segments", bounds(page, "#segments")[0], end + 10)


def draw_first_page(browser):
    """Draw what the site's first page shows of the page of ``rank``: the answer and its picture."""
    for scheme in ("light", "dark"):
        options = {"color_scheme": scheme, "device_scale_factor": 1.5}
        with opened(browser, Path("report.html").resolve(), width=900, **options) as page:
            save(page, f"first_page_{scheme}", 0, bounds(page, "#summary")[1] + 10)


def draw_notebook(browser):
    """Draw what the example of the page on reports shows of itself in a notebook."""
    page = (DOCS / "tutorial" / "3_read_a_report.md").read_text(encoding="utf-8")
    *_, script = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(script, shown := {"Path": Path})
    style = "<style>body { font: 14px sans-serif; margin: 10px }</style>"
    text = f"<!doctype html><meta charset='utf-8'>{style}<div id='cell'>{shown['html']}</div>"
    Path("cell.html").write_text(text, encoding="utf-8")
    with opened(browser, Path("cell.html").resolve(), width=900) as page:
        save(page, "notebook", 0, bounds(page, "#cell")[1] + 10)


def run():
    """Make the reports in a folder of their own, and look at them."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder), chromium() as browser:
        write_files(Path(folder))
        if main(shlex.split(RANK)[1:]):
            raise SystemExit(1)
        draw_first_page(browser)
        draw_ranks(browser)
        draw_notebook(browser)


if __name__ == "__main__":
    run()
