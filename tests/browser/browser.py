"""Chromium without a screen, driven by selenium: opens pages and tells what they did.

A page may be silent only: what the console says, each request but the one for
the file itself, and what its Content-Security-Policy refused are kept until
complaints() is asked.
"""
import json
import os
import shutil
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

OPTIONS = ["--headless=new", "--disable-dev-shm-usage", "--hide-scrollbars",
           "--force-device-scale-factor=1", "--disable-background-networking"]
KEY_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
             "ArrowDown": 40}
# What a policy refuses is an event of the document before any script of ours runs.
WATCH = """window.refused = [];
document.addEventListener("securitypolicyviolation",
	(event) => window.refused.push(event.violatedDirective + " " + event.blockedURI));"""


class Browser:
    """One browser for all pages: starting it takes longer than a page."""

    def __init__(self, downloads):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for option in OPTIONS + (["--no-sandbox"] if os.geteuid() == 0 else []):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.add_experimental_option("prefs", {"download.default_directory": downloads})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        self.visits = 0

    def close(self):
        self.driver.quit()

    def open(self, path, fragment="", script=True):
        """The page, once it shows a tab."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        self.visits += 1  # the same address again would load nothing
        self.driver.get(f"file://{path}?{self.visits}{fragment}")
        if script:
            self.wait("document.querySelector('section.tab.on')")

    def js(self, text, *arguments):
        """What a function body returns; a promise is waited for."""
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, seconds=20):
        """Until the expression is true: polled, and a failure after so long."""
        end = time.monotonic() + seconds
        while not self.js(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(f"still not true after {seconds} s: {condition}")
            time.sleep(0.01)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, **features):
        """prefers_color_scheme="dark"; media="print"."""
        named = [{"name": name.replace("_", "-"), "value": value}
                 for name, value in features.items() if name != "media"]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"media": features.get("media", ""), "features": named})

    def key(self, key, code=None, seconds=0.0):
        """A key of the keyboard, held for so long."""
        event = {"key": key, "code": code or "", "windowsVirtualKeyCode": KEY_CODES.get(key, 0)}
        if len(key) == 1:
            event.update(text=key, windowsVirtualKeyCode=ord(key.upper()))
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        time.sleep(seconds)  # a held key is a time, there is no state to poll
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent",
                                    {"type": kind, "x": x, "y": y, **more})

    def screenshot(self, path):
        self.driver.save_screenshot(path)

    def complaints(self):
        """What no page may do: one line each, of the page that is open."""
        found = ["console: " + entry["message"] for entry in self.driver.get_log("browser")]
        found += ["policy: " + text for text in self.js("return window.refused || []")]
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] != "Network.requestWillBeSent":
                continue
            address = event["params"]["request"]["url"]
            if not address.startswith(("file://", "data:", "blob:", "about:", "chrome")):
                found.append("request: " + address)
        return found


def run_tests(tests, studio_of, ends_silent=False):
    """TAP of tests that take a studio, which has a browser and a folder of its own; the exit status.

    ONLY in the environment: those whose name has it.
    """
    failed = 0
    tests = [test for test in tests if os.environ.get("ONLY", "") in test.__name__]
    print(f"1..{len(tests)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="ptool-pages.") as folder:
        studio = studio_of(folder)
        for number, test in enumerate(tests, 1):
            name = test.__name__.replace("_", " ")
            try:
                test(studio)
                complaints = studio.browser.complaints() if ends_silent else None
                assert not complaints, complaints
                print(f"ok {number} - {name}", flush=True)
            except Exception as error:  # an assertion, or a script that failed
                failed += 1
                line = error.__traceback__
                while line.tb_next:
                    line = line.tb_next
                print(f"not ok {number} - {name}\n# line {line.tb_lineno}: "
                      f"{type(error).__name__}: {str(error)[:1500]}", flush=True)
        studio.browser.close()
    return 1 if failed else 0
