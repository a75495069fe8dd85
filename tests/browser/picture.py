#!/usr/bin/env python3
"""picture.py PTOOL FOLDER: the pictures of the README, report.png and timeline.png."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "gen"))

import training  # noqa: E402
from browser import Browser  # noqa: E402


def take(ptool, folder):
    with tempfile.TemporaryDirectory(prefix="ptool-picture.") as scratch:
        page = os.path.join(scratch, "report.html")
        subprocess.run([ptool, "report", "-q", "-o", page, training.write(scratch)], check=True)
        browser = Browser(scratch)
        browser.size(1280, 800)
        browser.open(page)
        browser.js("return go('overview')")
        browser.screenshot(os.path.join(folder, "report.png"))
        browser.open(page, "#timeline:t=93ms..148ms")
        browser.wait("document.querySelector('section.tab.on').id === 'timeline'")
        browser.wait("timelineTab.view && timelineTab.view.frames.times.length")
        browser.screenshot(os.path.join(folder, "timeline.png"))
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: picture.py PTOOL FOLDER")
    take(os.path.abspath(sys.argv[1]), sys.argv[2])
