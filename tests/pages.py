"""Pages in a headless Chromium, as their readers see them; a visible skip where there is none."""

import shutil
import time
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# As root, without a screen, and asking nobody for anything.
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


@contextmanager
def chromium():
    """Start the browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser, path, *, javascript=True, width=1280, **options):
    """Open a file; fail if its script does, or anything is asked of another place."""
    viewport = {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, java_script_enabled=javascript, **options)
    try:
        page, problems = context.new_page(), []
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", lambda said: problems.append(f"console: {said.text}"))
        page.on("dialog", lambda dialog: (problems.append("a dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda asked: asked.url.startswith(("file:", "data:")) or problems.append(asked.url),
        )
        page.goto(path.as_uri())
        if javascript and page.locator("#browser").count():
            page.wait_for_selector("#browser:not([hidden])", timeout=60_000)
        yield page
        assert problems == []
    finally:
        context.close()


def until(page, condition, seconds=30):
    """Wait until something holds; the page's policy forbids the browser's own way of asking."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.02)


def accessibility(page):
    """Return what axe-core finds that is serious or critical: its rule, and where."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [
        (one["id"], [node["target"] for node in one["nodes"]][:5])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
