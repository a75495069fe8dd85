#!/usr/bin/python3
"""page.py PTOOL STORE|FILE...: how fast `ptool report` writes its page, and Chromium shows it.

Of each: size of the page, wall and processor time to write it; in headless Chromium the first
paint, the time until the timeline can be used after its tab was opened, frames while it pans over
a tenth of the recording and over 100 ms, and the whole of it repainted, in milliseconds.  Medians
of PAGE_RUNS runs (3).  Asserts nothing; wants chromium-driver and python3-selenium.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "browser"))

PAINT = """const paint = performance.getEntriesByType("paint").find(one => one.name === "first-contentful-paint");
    return paint ? paint.startTime : null;"""
USABLE = """const done = arguments[0], began = performance.now();
    function look() {
        if (timelineTab.view && timelineTab.view.frames.times.length) done(performance.now() - began);
        else requestAnimationFrame(look);
    }
    go("timeline").then(look);"""
# [median, 95th percentile] of the time between frames, and of what painting one takes.
FRAMES = """const done = arguments[arguments.length - 1], [kind] = arguments, v = timelineTab.view;
    const next = () => new Promise(requestAnimationFrame);
    const of = numbers => [0.5, 0.95].map(share => numbers.sort((a, b) => a - b)[Math.floor(numbers.length * share)]);
    (async () => {
        const spans = { whole: v.meta.dur, tenth: v.meta.dur / 10, near: 1e8 };
        const span = Math.min(v.meta.dur, spans[kind]);
        v.show(v.meta.dur * 0.4, v.meta.dur * 0.4 + span);
        await next();
        v.frames.times.length = 0;
        const gaps = [];
        for (let i = 0, last = await next(); i < 90; i++) {
            v.pan(span / 300);
            const now = await next();
            gaps.push(now - last);
            last = now;
        }
        done([...of(gaps), ...of([...v.frames.times])]);
    })();"""
COLUMNS = ["MB", "wall s", "CPU s", "paint ms", "usable ms", "whole p50", "p95", "tenth p50", "p95", "near p50", "p95"]


def write_page(ptool, operand, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    subprocess.run([ptool, "report", "-q", "-f", "-o", path, operand], check=True)
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [os.path.getsize(path) / 1e6, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime]


def show_page(browser, path):
    browser.open(path)
    browser.driver.set_script_timeout(120)
    browser.wait("performance.getEntriesByType('paint').length")
    figures = [browser.js(PAINT), browser.driver.execute_async_script(USABLE)]
    for kind in ("whole", "tenth", "near"):
        figures += browser.driver.execute_async_script(FRAMES, kind)[:2]
    return figures


def main(argv):
    if len(argv) < 3:
        sys.exit(__doc__)
    try:
        from browser import Browser
    except ImportError:
        sys.exit("page.py: wants python3-selenium and chromium-driver")
    print("  ".join(["page".ljust(28), *(name.rjust(9) for name in COLUMNS)]))
    with tempfile.TemporaryDirectory(prefix="ptool-page.") as folder:
        path = os.path.join(folder, "page.html")
        browser = Browser(folder)
        browser.size(1280, 900)
        for operand in argv[2:]:
            runs = [write_page(argv[1], operand, path) + show_page(browser, path)
                    for _ in range(int(os.environ.get("PAGE_RUNS", "3")))]
            medians = [statistics.median(column) for column in zip(*runs)]
            print("  ".join([os.path.basename(operand)[:28].ljust(28), *(f"{m:9.2f}" for m in medians)]), flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv)
