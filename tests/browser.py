"""A real headless Chromium, driven by chromedriver; both are those of the system, nothing is fetched."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis_process import eventually
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en-US", "--no-proxy-server")
DESKTOP, PHONE = (1280, 900), (360, 740)


class Browser:
    """A page that is looked at."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, url: str, size: tuple[int, int] = DESKTOP, scheme: str = "light", reduced_motion: bool = False) -> None:
        """Open a page afresh, on a screen of that size, for a person with those preferences."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE},
        )
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce" if reduced_motion else "no-preference"}
        media = [{"name": name, "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        self.driver.get(url)

    def run(self, script: str, *arguments: object) -> Any:
        """What a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        """The first element."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """All elements, in order."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """All text of an element, seen or not, with single spaces."""
        return " ".join(str(self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)).split())

    def wait_for(self, selector: str, text: str) -> None:
        """Return once the element holds the text."""
        eventually(lambda: text in self.text(selector))

    def tree(self) -> list[dict[str, Any]]:
        """What assistive technology is told: Chromium's accessibility tree, without what it leaves out."""
        nodes: list[dict[str, Any]] = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [node for node in nodes if not node["ignored"]]

    def problems(self) -> list[str]:
        """What the console was told since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser; skips the test where there is none."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and chromedriver are not both installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(executable_path=driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
