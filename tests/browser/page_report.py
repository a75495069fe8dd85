"""Pages of ptool report in a real browser: every tab, its numbers, keys, colours, paper, safety.

Speaks TAP.  timeout: 600 s
"""
import base64
import os
import subprocess
import sys

import recordings
from browser import Browser, run_tests
from recordings import ATTACKS, COMPARED, RECORDINGS, answer, page_of

# By the data block of a table: the command whose rows it has.  One that is not here fails.
COMMANDS = {
    "table-operators": "top -n 0",
    "table-functions": "top -n 0",
    "table-lines": "lines -n 0",
    "table-kernels": "kernels -n 0",
    "table-gaps": "gaps -n 0",
    "table-gap-list": "gaps --list -n 1000",
    "table-steps": "steps",
    "table-phases": "steps --by phase",
    "table-roofline": "roofline -n 100",
    "table-compile": "compile -n 0",
    "table-compile-steps": "compile --by step -n 0",
    "table-compile-kernels": "compile --by kernel -n 0",
    "table-graphs": "graphs -n 0",
    "table-devices": "devices",
    "table-streams": "streams",
    "table-peaks": "memory",
    "table-allocations": "memory --stats -n 0",
    "table-growth": "memory --growth -n 0",
    "table-spikes": "memory --spikes -n 0",
    "table-transfers": "transfers -n 0",
    "table-transfers-by": "transfers --by op -n 0",
    "table-comm": "comm -n 0",
    "table-ranks": "comm --ranks -n 0",
    "table-modules": "modules -n 0",
    "table-info": "info",
    "table-tracks": None,  # no command has it
    "table-tree": None,  # what is left out has no self time for people
    "table-doctor": None,  # people see remarks of all ranks in one row
    "table-flame": None,  # tests/pyprof/check_flame.py
}
# Rows with nothing there are for people: lines of the source that never ran.
PEOPLES = {"table-lines": "hits"}
# A host's allocator reserves nothing: its 0 in machine formats is an empty cell for people.
ZERO_IS_EMPTY = {"table-peaks": "reserved_peak_bytes"}
WIDTHS = ((1280, 900), (400, 800))
TABS = "return [...document.querySelectorAll('nav a')].map(link => link.hash.slice(1))"


class Studio:
    """The browser and the pages."""

    def __init__(self, folder):
        self.folder = folder
        self.browser = Browser(folder)
        self.operands = dict(RECORDINGS)
        self.operands["empty"] = [recordings.write_json(os.path.join(folder, "empty.json"), [])]
        self.operands["ranks"] = [recordings.two_ranks(folder)]
        self.operands["engine"] = [recordings.engine(folder)]
        self.operands["training"] = [recordings.training.write(folder)]
        self.operands["hostile"] = [recordings.hostile(folder)]
        self.paths = {name: page_of(folder, name, operands) for name, operands in self.operands.items()}
        self.paths["diff"] = page_of(folder, "diff", COMPARED)

    def open(self, name, fragment="", **more):
        self.browser.open(self.paths[name], fragment, **more)
        return self.browser

    def each(self):
        for name in self.paths:
            yield name, self.open(name)


def show(browser, tab):
    browser.js("return go(arguments[0])", tab)
    browser.wait(f"document.querySelector('section.tab.on').id === '{tab}'")


def every_tab_is_alone_silent_and_fits(studio):
    for name, browser in studio.each():
        for width, height in WIDTHS:
            browser.size(width, height)
            for tab in browser.js(TABS):
                show(browser, tab)
                seen = browser.js("""return [...document.querySelectorAll("section.tab")]
                    .filter(one => one.getClientRects().length).map(one => one.id)""")
                assert seen == [tab], (name, tab, seen)
                across = browser.js("return document.documentElement.scrollWidth")
                assert across <= width, (name, tab, width, across)
                assert browser.js("return document.getElementById('trouble').hidden"), (name, tab)
        complaints = browser.complaints()
        assert not complaints, (name, complaints)
    studio.browser.size(*WIDTHS[0])


def same_rows(of_page, of_command, where):
    """All rows, in whatever order; columns that only people have are not compared."""
    columns = [c["name"] for c in of_page["columns"]]
    if where[1] in PEOPLES:
        of_page["rows"] = [row for row in of_page["rows"]
                           if row[columns.index(PEOPLES[where[1]])] is not None]
    if where[1] == "table-steps" and len(of_page["rows"]) == 1:
        of_command = of_command[:1]  # people see no mean of one step
    empty = ZERO_IS_EMPTY.get(where[1])
    if empty in columns:
        of_command = [{**row, empty: row[empty] or None} for row in of_command]
    common = [name for name in columns if of_command and name in of_command[0]]
    assert len(of_page["rows"]) == len(of_command), (where, len(of_page["rows"]), len(of_command))
    assert not of_command or common, (where, columns, list(of_command[0]))
    shown = sorted(repr([row[columns.index(name)] for name in common]) for row in of_page["rows"])
    said = sorted(repr([row[name] for name in common]) for row in of_command)
    for a, b in zip(shown, said):
        assert a == b, (where, common, a, b)
    return len(shown) * len(common)


def first_part(table):
    """People's table of several parts: "table-lines-2" goes on with "table-lines"."""
    head, _, tail = table.rpartition("-")
    return head if tail.isdigit() else table


def rows_on_page(browser, table):
    """Columns and rows of a table, with those parts below it that have the same columns."""
    return browser.js("""
        const named = [...document.querySelectorAll("[data-table]")].filter(box =>
            box.dataset.table === arguments[0] || box.dataset.table.replace(/-[0-9]+$/, "") === arguments[0]);
        return tabs.draw(named[0].closest("section").id).then(() => {
            const columns = named[0].table.columns;
            const names = JSON.stringify(columns.map(column => column.name));
            const same = named.filter(box => JSON.stringify(box.table.columns.map(c => c.name)) === names);
            return { columns, rows: same.flatMap(box => box.table.rows) };
        })""", table)


def numbers_are_those_of_the_commands(studio):
    cells = 0
    for name, browser in studio.each():
        if name == "diff":
            continue
        ids = browser.js("""return [...document.querySelectorAll("[data-table]")]
            .map(box => box.dataset.table)""")
        assert ids or name in ("empty", "hostile"), name
        for table in dict.fromkeys(first_part(one) for one in ids):
            assert table in COMMANDS, f"{table} of {name}: which command has its rows?"
            if COMMANDS[table]:
                rows = answer(COMMANDS[table], studio.operands[name])
                cells += same_rows(rows_on_page(browser, table), rows or [], (name, table))
    print(f"# {cells} cells")
    assert cells > 10000, cells


LONG_TABLES = """return [...document.querySelectorAll("section.tab.on .table[data-table]")]
    .filter(box => box.table && box.table.rows.length >= 8).map(box => box.dataset.table)"""
TABLE = """const table = [...document.querySelectorAll("[data-table]")]
    .find(box => box.dataset.table === arguments[0]).table;"""


def sorted_by(browser, table, column):
    return browser.js(TABLE + """
        const head = table.table.tHead.rows[0].cells[arguments[1]];
        head.querySelector("button").click();
        return [head.getAttribute("aria-sort"), table.shown.map(i => table.rows[i][arguments[1]])]""",
                      table, column)


def check_order(direction, values, where):
    there = [v for v in values if v is not None]
    numbers = [v for v in there if not isinstance(v, str)]
    words = [v for v in there if isinstance(v, str)]
    assert direction in ("ascending", "descending"), where
    assert values == there + [None] * (len(values) - len(there)), where
    assert there == numbers + words, (where, there[:5])
    assert numbers == sorted(numbers, reverse=direction == "descending"), (where, there[:5])


def tables_sort_filter_and_copy(studio):
    tried = 0
    for name, browser in studio.each():
        for tab in browser.js(TABS):
            show(browser, tab)
            browser.wait("[...document.querySelectorAll('section.tab.on .table[data-table]')].every(box => box.table)")
            for table in browser.js(LONG_TABLES):
                columns = browser.js(TABLE + "return table.columns.length", table)
                for column in range(columns):
                    first, values = sorted_by(browser, table, column)
                    second, turned = sorted_by(browser, table, column)
                    assert first != second, (name, table, column)
                    check_order(first, values, (name, table, column))
                    check_order(second, turned, (name, table, column))
                check_filter(browser, table, name)
                tried += 1
    assert tried >= 6, tried


def check_filter(browser, table, name):
    before, after, text, csv = browser.js(TABLE + """
        const all = table.shown.length;
        const text = table.rows[table.rows.length - 1].find(v => typeof v === "string" && v.length > 3) ?? "";
        const word = text.split(/\\s+/)[0];
        table.input.value = word;
        table.input.dispatchEvent(new Event("input"));
        const some = table.shown.length;
        const csv = table.csv();
        table.input.value = "";
        table.input.dispatchEvent(new Event("input"));
        return [all, some, word, csv]""", table)
    assert 0 < after <= before, (name, table, text)
    assert csv.count("\n") >= after + 1, (name, table)


def letters_in_a_field_are_letters(studio):
    browser = studio.open("gpu", "#operators")
    browser.wait("document.querySelector('section.tab.on .table').table")
    browser.js("document.querySelector('section.tab.on input').focus()")
    theme = browser.js("return document.documentElement.dataset.theme")
    for letter in "t2?":
        browser.key(letter)
    assert browser.js("return document.querySelector('section.tab.on input').value") == "t2?"
    assert browser.js("return document.documentElement.dataset.theme") == theme
    assert browser.js("return document.querySelector('section.tab.on').id") == "operators"


def keys_alone_reach_everything(studio):
    browser = studio.open("gpu")
    tabs = browser.js(TABS)
    for number, tab in enumerate(tabs[:9], 1):
        browser.key(str(number))
        browser.wait(f"document.querySelector('section.tab.on').id === '{tab}'")
    browser.key("1")
    browser.wait(f"document.querySelector('section.tab.on').id === '{tabs[0]}'")
    browser.js("document.querySelector('nav a').focus()")
    browser.key("ArrowRight")
    browser.wait(f"document.querySelector('section.tab.on').id === '{tabs[1]}'")
    browser.key("?")
    browser.wait("document.getElementById('keys').open")
    browser.key("Escape")
    browser.wait("!document.getElementById('keys').open")
    before = browser.js("return document.documentElement.dataset.theme")
    browser.key("t")
    browser.wait(f"document.documentElement.dataset.theme !== '{before}'")
    assert not browser.complaints()


def without_script_the_words_and_first_rows_are_there(studio):
    for name in studio.paths:
        browser = studio.open(name, script=False)
        page = browser.driver.page_source
        assert "<table" in page or name in ("empty",), name
        browser.js("return 1")  # the driver's own still runs
        seen = browser.js("""return [...document.querySelectorAll("section.tab")]
            .every(one => one.getClientRects().length)""")
        assert seen, name


def paper_has_every_tab_and_no_dark(studio):
    browser = studio.open("gpu")
    browser.js("document.documentElement.dataset.theme = 'dark'")
    dark = browser.js("return getComputedStyle(document.body).backgroundColor")
    browser.media(media="print")
    light = browser.js("return getComputedStyle(document.body).backgroundColor")
    assert dark != light, (dark, light)
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert base64.b64decode(printed).count(b"/Type /Page\n") >= len(browser.js(TABS)) // 2
    browser.media()


def dark_follows_the_system(studio):
    browser = studio.browser
    colours = []
    for scheme in ("light", "dark"):
        browser.media(prefers_color_scheme=scheme)
        studio.open("cpu")
        browser.js("localStorage.removeItem('ptool-theme')")
        studio.open("cpu")
        colours.append(browser.js("return getComputedStyle(document.body).backgroundColor"))
    browser.media()
    assert colours[0] != colours[1], colours


def attacks_are_shown_and_never_run(studio):
    browser = studio.open("hostile")
    for tab in browser.js(TABS):
        show(browser, tab)
    assert browser.js("return window.hit === undefined && ({}).hit === undefined")
    assert not browser.complaints()
    text = browser.js("""return Promise.all([...document.querySelectorAll(".table[data-table]")]
        .map(box => (box.table ? box.table.rows : []).flat().filter(v => typeof v === "string").join("\\n")))
        .then(all => all.join("\\n"))""")
    for attack in ATTACKS:
        assert attack in text, attack
    assert "\u202e" not in browser.js("return document.body.innerText")
    assert browser.js("return document.title").startswith("<b>hostile"), "its file's name"


def markup_is_right(studio):
    for name, path in studio.paths.items():
        done = subprocess.run(["tidy", "-qe", "--drop-empty-elements", "no", path],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, (name, done.stderr[:2000])


def a_page_is_the_same_each_time(studio):
    for name in ("gpu", "cprofile"):
        again = page_of(studio.folder, name + "-again", studio.operands[name])
        with open(studio.paths[name], "rb") as one, open(again, "rb") as two:
            assert one.read() == two.read(), name


TESTS = [
    every_tab_is_alone_silent_and_fits, numbers_are_those_of_the_commands,
    tables_sort_filter_and_copy, letters_in_a_field_are_letters, keys_alone_reach_everything,
    without_script_the_words_and_first_rows_are_there, paper_has_every_tab_and_no_dark,
    dark_follows_the_system, attacks_are_shown_and_never_run, markup_is_right,
    a_page_is_the_same_each_time,
]


if __name__ == "__main__":
    sys.exit(run_tests(TESTS, Studio))
