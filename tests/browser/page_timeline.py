"""The timeline of ptool report in a real browser: every slice as in the store, keys, mouse, search,
spans of time, addresses, bundles, ranks.

Speaks TAP.  timeout: 300 s
"""
import os
import sqlite3
import subprocess
import sys

import recordings
from browser import Browser, run_tests

READY = "timelineTab.view && timelineTab.view.frames.times.length"
MADE = ("idle", "collectives", "counter")
# What was unpacked, track by track; starts are those of the recording.
UNPACKED = """return timelineTab.view.tracks.map(track => {
    const links = timelineTab.view.links;
    const sum = (numbers, by = x => x) => String((numbers ?? []).reduce((total, x) => total + BigInt(by(x)), 0n));
    return { kind: track.kind, profile: track.profile, n: track.n, first: track.base,
             starts: sum(track.start, x => x - track.shift), durs: sum(track.dur), self: track.kind === "thread",
             launches: [...track.launch ?? []].map((launch, place) => [links.number({ track, place }), launch])
                 .filter(([, launch]) => launch >= 0),
             rows: track.first ? [...track.first].length - 1 : 1 };
});"""
STATE = """const v = timelineTab.view;
    return { from: v.from, to: v.to, area: v.area, hash: location.hash, ratio: v.painter.ratio,
             name: v.selected && v.links.name(v.selected), kind: v.selected && v.selected.track.kind,
             start: v.selected && v.links.start(v.selected), marks: v.painter.drawn,
             number: v.selected && v.links.number(v.selected) };"""


class Studio:
    """The browser and one page at a time."""

    def __init__(self, folder):
        self.folder = folder
        self.browser = Browser(folder)

    def store(self, *files):
        path = os.path.join(self.folder, "store.db")
        if os.path.exists(path):
            os.remove(path)
        subprocess.run([recordings.PTOOL, "ingest", "-q", "-o", path, *files], check=True)
        return path

    def open(self, operand, *options, fragment="#timeline"):
        page = recordings.page_of(self.folder, "timeline", [*options, operand])
        self.browser.size(1280, 900)
        self.browser.open(page, fragment)
        self.browser.wait(READY)
        return self.browser

    def gpu(self, **more):
        return self.open(recordings.fixture("gpu", "everything.json"), **more)


def state(browser):
    return browser.js(STATE)


def press(browser, key, **more):
    browser.key(key, **more)
    return state(browser)


def focus(browser):
    browser.js("timelineTab.view.view.focus()")


def slices_are_those_of_the_store(studio):
    for files in (["gpu/everything.json"], ["gpu/collectives_rank0.json", "gpu/collectives_rank1.json"],
                  ["torch/t2141_cnn_w0/trace.json.gz"]):
        store = studio.store(*[recordings.fixture(*name.split("/")) for name in files])
        tracks = [t for t in studio.open(store).js(UNPACKED) if t["kind"] not in MADE]
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            of_store = db.execute("""SELECT t.kind, count(*), sum(s.ts), sum(s.dur) FROM slice_row s
                JOIN track t ON t.id = s.track_id JOIN slice_class c ON c.id = s.class
                WHERE c.name <> 'memory' AND coalesce(s.flags, 0) < 4 GROUP BY t.id""").fetchall()
            launches = db.execute("""SELECT count(*) FROM slice_row s JOIN track t ON t.id = s.track_id
                WHERE t.kind = 'stream' AND s.launch_id IS NOT NULL AND coalesce(s.flags, 0) < 4""").fetchone()[0]
        want = sorted((kind.replace("stream_notes", "notes"), n, str(ts), str(dur)) for kind, n, ts, dur in of_store)
        got = sorted((t["kind"], t["n"], t["starts"], t["durs"]) for t in tracks)
        assert got == want, (files, [x for x in got if x not in want], [x for x in want if x not in got])
        assert sum(len(t["launches"]) for t in tracks if t["kind"] == "stream") == launches, files
        assert not studio.browser.complaints(), files


def keys_move_select_and_follow(studio):
    browser = studio.gpu()
    whole = state(browser)
    focus(browser)
    held = press(browser, "w", seconds=0.3)
    assert held["to"] - held["from"] < 0.9 * (whole["to"] - whole["from"]), held
    moved = press(browser, "d", seconds=0.3)
    assert moved["from"] > held["from"] and abs((moved["to"] - moved["from"]) - (held["to"] - held["from"])) < 1, moved
    out = press(browser, "s", seconds=0.2)
    assert out["to"] - out["from"] > moved["to"] - moved["from"], out
    assert press(browser, "0")["to"] == whole["to"]
    first = press(browser, "Enter", code="Enter")
    assert first["kind"] == "stream", first
    launch = press(browser, "[")
    assert launch["kind"] == "thread" and launch["start"] <= first["start"], launch
    assert press(browser, "]")["number"] == first["number"]
    fitted = press(browser, "f")
    assert fitted["from"] <= first["start"] < fitted["to"] and fitted["to"] - fitted["from"] < whole["to"] / 2, fitted
    assert press(browser, "ArrowRight", code="ArrowRight")["start"] > first["start"]
    press(browser, "[")
    inner = state(browser)
    outer = press(browser, "ArrowUp", code="ArrowUp")
    assert outer["start"] <= inner["start"] and outer["number"] != inner["number"], outer
    assert press(browser, "m")["area"], "m marks the selected slice's time"
    assert browser.js("return document.querySelectorAll('.tl-sums tbody tr').length") > 0
    gone = press(browser, "Escape", code="Escape")
    assert gone["name"] is None and gone["area"] is None, gone


def the_mouse_selects_and_sums_up(studio):
    browser = studio.gpu()
    box = browser.js("""const v = timelineTab.view, track = v.tracks.find(t => t.kind === "stream");
        const box = v.box({ track, place: 0 }), view = v.view.getBoundingClientRect();
        return [view.left + box.x + box.width / 2, view.top + box.y + box.height / 2, view.left + v.left, view.right];""")
    x, y, left, right = box
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseReleased", x, y, button="left", clickCount=1)
    assert state(browser)["kind"] == "stream", state(browser)
    facts = browser.js("return document.querySelector('.tl-details').innerText")
    assert "Launched by" in facts and "Duration" in facts, facts
    browser.mouse("mousePressed", left + 10, y, button="left", clickCount=1)
    browser.mouse("mouseMoved", (left + right) / 2, y, button="left", buttons=1)
    browser.mouse("mouseMoved", right - 10, y, button="left", buttons=1)
    browser.mouse("mouseReleased", right - 10, y, button="left", clickCount=1)
    area = state(browser)["area"]
    rows = browser.js("return document.querySelector('.tl-sums').querySelectorAll('tbody tr').length")
    assert area and rows > 3, (area, rows)
    want = browser.js("""const v = timelineTab.view, [from, to] = v.area, t = v.tracks.find(t => t.kind === "stream");
        let ns = 0;
        for (let i = 0; i < t.n; i++) ns += Math.max(0, Math.min(to, t.start[i] + t.dur[i]) - Math.max(from, t.start[i]));
        const names = new Set([...t.what].map(n => v.meta.names[n]));
        const rows = v.sums.gather(v.area).rows.filter(row => row[1] === "device");
        return [ns, v.tracks.filter(t => t.kind === "stream").length, rows.reduce((sum, row) => sum + row[3], 0)];""")
    assert want[1] > 1 or abs(want[0] - want[2]) < 1, want
    wide = state(browser)
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240, modifiers=2)
    assert state(browser)["to"] - state(browser)["from"] < wide["to"] - wide["from"], "Ctrl and wheel zoom"


def search_finds_and_dims(studio):
    browser = studio.gpu()
    focus(browser)
    before = state(browser)
    browser.key("/")
    for letter in "launch":
        browser.key(letter)
    shown = browser.js("return [timelineTab.view.search.input.value, timelineTab.view.search.found.textContent]")
    want = browser.js("""const v = timelineTab.view; let n = 0;
        for (const t of v.tracks) if (t.start && t.kind !== "collectives" && v.laneOf(t))
            for (const what of t.what) n += /launch/i.test(v.meta.names[what]);
        return n;""")
    assert shown[0] == "launch" and shown[1].startswith(f"{want:,} slice"), (shown, want)
    assert state(browser)["from"] == before["from"], "letters typed into the field move nothing"
    first = press(browser, "Enter", code="Enter")
    assert "launch" in first["name"].lower(), first
    second = press(browser, "Enter", code="Enter")
    assert second["start"] > first["start"], (first, second)
    browser.key("Escape", code="Escape")
    assert browser.js("return timelineTab.view.painter.match") is None


def addresses_and_tables_lead_to_places(studio):
    browser = studio.gpu()
    focus(browser)
    press(browser, "Enter", code="Enter")
    press(browser, "f")
    browser.wait("/t=.*sel=/.test(location.hash)")
    there = state(browser)
    browser = studio.gpu(fragment=there["hash"])
    browser.wait("timelineTab.view.selected")
    again = state(browser)
    assert again["number"] == there["number"] and abs(again["from"] - there["from"]) < 2, (there, again)
    browser.js("""const v = timelineTab.view, t = v.tracks.find(t => t.kind === "stream");
        window.asked = [t.start[1], t.start[1] + t.dur[1]];
        v.select(null); return go("kernels").then(() => go("timeline", { start: asked[0], end: asked[1] }));""")
    assert state(browser)["start"] == browser.js("return asked[0]")


COLORS = """const c = timelineTab.view.canvas, g = c.getContext("2d");
    return new Set(new Uint32Array(g.getImageData(0, 0, c.width, c.height).data.buffer)).size;"""


def it_is_sharp_when_it_rests(studio):
    browser = studio.gpu()
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": 1280, "height": 900, "deviceScaleFactor": 2, "mobile": False})
    browser.js("timelineTab.view.resize()")
    assert state(browser)["ratio"] == 2
    assert browser.js("timelineTab.view.pan(10); return timelineTab.view.painter.ratio") == 1
    browser.wait("timelineTab.view.painter.ratio === 2 && !timelineTab.view.frames.isAsked")
    assert browser.js(COLORS) > 5


def it_is_painted_again_where_it_rests_before_a_frame(studio):
    """As in a tab in the background, whose timers run and whose frames wait."""
    browser = studio.gpu()
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": 1280, "height": 900, "deviceScaleFactor": 2, "mobile": False})
    browser.js("timelineTab.view.resize()")
    browser.wait("!timelineTab.view.frames.isAsked")
    browser.js("const v = timelineTab.view; v.showAll(); v.setSharp(true);")
    browser.wait("!timelineTab.view.frames.isAsked")
    assert browser.js(COLORS) > 5


def ranks_stand_below_each_other(studio):
    browser = studio.open(studio.store(*[recordings.fixture("gpu", f"collectives_rank{rank}.json") for rank in (0, 1)]))
    assert browser.js("return timelineTab.view.layout.lanes.map(l => l.heading).filter(h => h)") == ["rank 0", "rank 1"]
    ends = browser.js("""return timelineTab.view.tracks.filter(t => t.kind === "collectives")
        .map(t => [...t.start].map((start, i) => start + t.dur[i]));""")
    assert len(ends) == 2 and len(ends[0]) == len(ends[1])
    assert all(abs(a - b) < 10_000 for a, b in zip(*ends)), ends
    profile = browser.js("""const v = timelineTab.view, t = v.tracks.find(t => t.kind === "stream" && t.profile === 1);
        const start = t.start[0] - t.shift; /* as a table of rank 1 has it */
        return go("timeline", { start, end: start + t.dur[0], rank: 1 }).then(() => v.selected.track.profile);""")
    assert profile == 1, profile


def bundles_say_how_many(studio):
    store = studio.store(recordings.fixture("torch", "t2141_cnn_w0", "trace.json.gz"))
    whole = studio.open(store).js("return timelineTab.view.meta.slices")
    browser = studio.open(store, "--max-slices", str(whole * 2 // 3))
    told = browser.js("return document.querySelector('.tl-note').textContent")
    assert "in bundles" in told and "--max-slices 0" in told, told
    brief = browser.js("""const v = timelineTab.view, track = v.tracks.find(t => t.bundled?.some(n => n > 1));
        const slice = { track, place: track.bundled.findIndex(n => n > 1) };
        v.select(slice); return [v.choice.brief(slice), v.details.innerText];""")
    assert "short slices" in brief[0] and "Short slices" in brief[1], brief


TESTS = [
    slices_are_those_of_the_store, keys_move_select_and_follow, the_mouse_selects_and_sums_up, search_finds_and_dims,
    addresses_and_tables_lead_to_places, it_is_sharp_when_it_rests,
    it_is_painted_again_where_it_rests_before_a_frame, ranks_stand_below_each_other, bundles_say_how_many,
]


if __name__ == "__main__":
    sys.exit(run_tests(TESTS, Studio, ends_silent=True))
