#!/usr/bin/env python3
"""ptool memory against a second count from the JSON: every trace there is.  timeout: 300 s

Of each device: every event with its totals, the running sum equal to the total at each
of them, the peak, all blocks, what was live at the peak, and sums that close.
"""
from memory_tables import Recount, Tap, Workplace, all_traces, load_trace, memory_events, table


def of_device(rows, device):
    return [row for row in rows if row["device"] == device]


def moments(records, rows, column="ts_ns"):
    """From the clock of the file to that of the profile: what is to be added."""
    return min(row[column] for row in rows) - min(r["ts"] for r in records)


def check_curve(tap, name, recount, rows, shift):
    got = sorted((row["ts_ns"], row["bytes"], row["allocated_bytes"], row["reserved_bytes"], row["addr"]) for row in rows)
    expected = sorted((r["ts"] + shift, r["bytes"], r["total"], r["reserved"], r["addr"]) for r in recount.records)
    tap.ok(got == expected, f"{name}: {len(expected)} events", f"{len(got)} rows")
    if recount.base is None:
        return
    breaks = [row for row in rows if row["allocated_bytes"] is not None
              and row["allocated_bytes"] != recount.base + row["recorded_bytes"]]
    tap.ok(not breaks, f"{name}: running sums are the totals at each of {len(rows)} events", *breaks)


def check_peak(tap, name, recount, peak, shift):
    most, at = recount.peak()
    base = recount.base
    tap.same((peak["allocated_peak_bytes"], peak["recorded_peak_bytes"], peak["at_ns"], peak["base_bytes"]),
             (None if base is None else most, most - (base or 0), recount.records[at]["ts"] + shift, base),
             f"{name}: the peak, its time and what was there before")
    reserved = [r["reserved"] for r in recount.records if r["reserved"] is not None]
    tap.same((peak["reserved_peak_bytes"], peak["events"], peak["out_of_memory"], peak["mismatches"]),
             (max(reserved, default=None), len(recount.records), sum(r["oom"] for r in recount.records), recount.breaks),
             f"{name}: reserved, counts of events")


def check_blocks(tap, name, recount, rows, shift):
    def moment(ts):
        return None if ts is None else ts + shift

    expected = sorted(((b[0], moment(b[1]), moment(b[2]), b[3]) for b in recount.blocks()), key=str)
    got = sorted(((row["bytes"], row["alloc_ns"], row["free_ns"], row["addr"]) for row in rows), key=str)
    tap.ok(got == expected, f"{name}: {len(expected)} blocks", f"{len(got)} rows")


def check_live(tap, name, recount, place, store, device):
    most, at = recount.peak()
    for by in ("op", "size", "step"):
        rows = of_device(table(place, store, "--live", "--by", by, "--device", device), device)
        known = sum(row["bytes"] for row in rows if row["blocks"] is not None)
        tap.same((sum(row["bytes"] for row in rows), known), (most, recount.live_bytes(at)),
                 f"{name}: what was live by {by} adds up to the peak")


def check_sums(tap, name, recount, stats, growth):
    increase = sum(recount.effect(r) for r in recount.records)
    allocated = sum(max(recount.effect(r), 0) for r in recount.records)
    tap.same((sum(row["self_increase_bytes"] for row in stats), sum(row["self_allocated_bytes"] for row in stats)),
             (increase, allocated), f"{name}: the operators' own bytes add up to all")
    wrong = [row for row in growth if row["end_bytes"] - row["start_bytes"] != row["growth_bytes"]
             or row["allocated_bytes"] - row["freed_bytes"] != row["growth_bytes"]]
    tap.ok(not wrong, f"{name}: a step's growth is its end less its start, {len(growth)} steps", *wrong)


def check_trace(tap, place, name, path):
    events = load_trace(path)
    found = memory_events(events) if events else {}
    if not found:
        return
    store = place.ingest(path)
    peaks, curve, blocks = table(place, store), table(place, store, "--curve"), table(place, store, "--events")
    stats, growth = table(place, store, "--stats"), table(place, store, "--growth")
    tap.same(sorted(row["device"] for row in peaks), sorted(found), f"{name}: the devices")
    for device, records in sorted(found.items()):
        label, recount, rows = f"{name}: {device}", Recount(records), of_device(curve, device)
        shift = moments(records, rows)
        check_curve(tap, label, recount, rows, shift)
        check_peak(tap, label, recount, of_device(peaks, device)[0], shift)
        check_sums(tap, label, recount, of_device(stats, device), of_device(growth, device))
        if any(r["addr"] is not None for r in records):
            check_blocks(tap, label, recount, of_device(blocks, device), shift)
            check_live(tap, label, recount, place, store, device)


def main():
    tap = Tap()
    with Workplace() as place:
        for name, path in all_traces():
            check_trace(tap, place, name, path)
    tap.done()


if __name__ == "__main__":
    main()
