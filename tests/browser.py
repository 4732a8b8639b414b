"""A real Chromium for tests, started once a module; without one on the machine its tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

CONTRAST = """(selectors) => {
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => parts(c).slice(0, 3)
    .map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    const c = getComputedStyle(e).backgroundColor;
    return parts(c)[3] === 0 ? ground(e.parentElement) : c;
  };
  return selectors.map((s) => {
    const e = document.querySelector(s);
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    return [s, (a + 0.05) / (b + 0.05)];
  });
}"""
"""Selectors -> each with the contrast of its words to their ground, as WCAG 2 defines it; 4.5 is enough."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser; the test is skipped where the machine has none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Chromium on this machine ({', '.join(NAMES)}); install the system's package chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


class Watched:
    """A page with all that it asked for, said on the console and threw."""

    def __init__(self, browser: Browser, **options: object) -> None:
        self.page: Page = browser.new_page(**options)  # type: ignore[arg-type]
        self.requests: list[str] = []
        self.blocked: list[str] = []
        self.said: list[str] = []
        self.page.set_default_timeout(10_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", lambda request: self.blocked.append(f"{request.url} {request.failure}"))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
