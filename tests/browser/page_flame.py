"""Flame graphs in a real browser: the page of ptool flame and its SVG zoom, search and go back.

Speaks TAP.  timeout: 120 s
"""
import os
import subprocess
import sys

import recordings
from browser import Browser, run_tests
from recordings import ATTACKS, COMPARED, PTOOL, RECORDINGS

FIELD = "document.querySelector('[data-flame] input')"
TEXT = "return document.querySelector(arguments[0]).textContent"
# How many different colours a canvas has, of each 7th pixel.
COLOURS = """const canvas = document.querySelector("[data-flame] canvas");
const data = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
return new Set(data.filter((_, i) => i % 7 === 0)).size"""
SHOWN = """return [...document.querySelectorAll("#boxes > g")].filter(g => !g.hasAttribute("display"))
    .map(g => g.querySelector("title").textContent.split("\\n")[0])"""
CLICK = """const box = [...document.querySelectorAll("#boxes > g")]
    .find(g => g.querySelector("title").textContent.split("\\n")[0] === arguments[0]);
box.dispatchEvent(new MouseEvent("click", { bubbles: true }));
return box.querySelector("rect").getAttribute("width")"""


class Studio:
    def __init__(self, folder):
        self.folder = folder
        self.browser = Browser(folder)
        self.drawn = 0

    def draw(self, suffix, *args):
        self.drawn += 1
        path = os.path.join(self.folder, f"flame{self.drawn}.{suffix}")
        subprocess.run([PTOOL, "flame", "-q", "-o", path, *args], check=True)
        return path

    def page(self, *args):
        self.browser.open(self.draw("html", *args))
        self.browser.wait("document.querySelector('[data-flame] canvas')?.style.width")
        return self.browser

    def svg(self, *args):
        self.browser.driver.get("file://" + self.draw("svg", *args))
        return self.browser

    def key(self, key):
        self.browser.js("document.querySelector('[data-flame] canvas').focus()")
        self.browser.key(key)


def detail(browser):
    return browser.js(TEXT, ".flame-detail")


def a_page_is_drawn_searched_and_enlarged(studio):
    browser = studio.page(*RECORDINGS["gpu"])
    assert browser.js(COLOURS) > 5, browser.js(COLOURS)
    assert detail(browser).startswith("all total "), detail(browser)
    host = browser.js(TEXT, ".panel h3")
    browser.js(f"""{FIELD}.value = "cudaDeviceSynchronize"; {FIELD}.dispatchEvent(new Event("input"))""")
    assert " found, " in browser.js(TEXT, ".count"), browser.js(TEXT, ".count")
    browser.js(f"{FIELD}.focus()")
    browser.key("Enter")
    assert browser.js(TEXT, ".flame-path").endswith(" \u203a cudaDeviceSynchronize"), browser.js(TEXT, ".flame-path")
    assert detail(browser).startswith("cudaDeviceSynchronize total "), detail(browser)
    studio.key("ArrowUp")
    assert not detail(browser).startswith("cudaDeviceSynchronize"), detail(browser)
    studio.key("Escape")
    assert browser.js(TEXT, ".flame-path") == "all"
    browser.js("""const select = document.querySelector("[data-flame] select");
        select.value = "device"; select.dispatchEvent(new Event("change"))""")
    assert browser.js(TEXT, ".panel h3") != host and "Device time" in browser.js(TEXT, ".panel h3")
    browser.js(f"{FIELD}.focus()")
    for letter in "n0/":
        browser.key(letter)
    assert browser.js(f"return {FIELD}.value").endswith("n0/"), "letters in a field are letters"
    assert not browser.complaints()


GROUND = """const canvas = document.querySelector("[data-flame] canvas");
return canvas.getContext("2d").getImageData(canvas.width - 1, canvas.height - 1, 1, 1).data[0]"""


def paper_is_white_below_a_dark_graph(studio):
    browser = studio.page(*RECORDINGS["cpu"])
    if browser.js("return document.documentElement.dataset.theme") == "light":
        browser.key("t")
    assert browser.js(GROUND) < 100
    browser.js("dispatchEvent(new Event('beforeprint'))")
    assert browser.js(GROUND) == 255
    browser.js("dispatchEvent(new Event('afterprint'))")
    assert browser.js(GROUND) < 100
    browser.key("t")
    browser.complaints()  # Chromium's own, of canvases that are read again and again


def pages_of_every_kind_are_silent(studio):
    for name in ("cpu", "cprofile", "samples"):
        browser = studio.page(*RECORDINGS[name])
        assert browser.js(COLOURS) > 3, (name, browser.js(COLOURS))
        assert not browser.complaints(), name
    browser = studio.page("--base", COMPARED[0], COMPARED[1])
    assert " from " in detail(browser), detail(browser)
    assert not browser.complaints()


def attacks_are_text(studio):
    browser = studio.page(recordings.hostile(studio.folder))
    assert browser.js("return window.hit === undefined && document.getElementById('trouble').hidden")
    browser.js(f"""{FIELD}.value = "<script>"; {FIELD}.dispatchEvent(new Event("input"))""")
    browser.js(f"{FIELD}.focus()")
    browser.key("Enter")
    assert ATTACKS[0] in detail(browser) or "<script>" in detail(browser), detail(browser)
    assert not browser.complaints()
    browser = studio.svg(recordings.hostile(studio.folder))
    names = browser.js(SHOWN)
    assert ATTACKS[0] in names and "a\\u202egnp.exe" in names, names[:9]
    for name in names:
        browser.js(CLICK, name)
    assert browser.js("return window.hit === undefined")


def a_picture_zooms_searches_and_goes_back(studio):
    browser = studio.svg(*RECORDINGS["cpu"])
    whole = browser.js(SHOWN)
    assert browser.js(CLICK, "backward") == "1180"
    inside = browser.js(SHOWN)
    assert "forward" not in inside and inside[:3] == ["all", "ProfilerStep*", "backward"], inside
    browser.js("document.getElementById('reset').dispatchEvent(new MouseEvent('click'))")
    assert browser.js(SHOWN) == whole
    browser.js("setTimeout(() => document.getElementById('search').dispatchEvent(new MouseEvent('click')))")
    alert = browser.driver.switch_to.alert
    alert.send_keys("CONV2D")
    alert.accept()
    assert " found, 2" in browser.js(TEXT, "#search"), browser.js(TEXT, "#search")
    misses = browser.js("return document.querySelectorAll('#boxes .miss').length")
    assert 0 < misses < len(whole), misses
    browser.key("Escape")
    assert browser.js("return document.querySelectorAll('#boxes .miss').length") == 0


TESTS = [a_page_is_drawn_searched_and_enlarged, paper_is_white_below_a_dark_graph, pages_of_every_kind_are_silent, attacks_are_text,
         a_picture_zooms_searches_and_goes_back]


if __name__ == "__main__":
    sys.exit(run_tests(TESTS, Studio))
