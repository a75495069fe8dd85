#!/usr/bin/env python3
"""check_truth.py: does the store of each synthetic GPU trace say what the machine decided?

Compares stores with tests/fixtures/gpu/*.truth.json (tests/gen/gputrace.py says what each key
means).  Where ptool differs from torch on purpose, the expected number is computed here:

* gpu_user_annotation rows never count as the annotation's own device time; what does is device
  work launched inside it by no operator, so that no work is counted twice.
* A range that is folded into its parent leaves the parent its own kernels.
"""
import glob
import json
import os
import re

from storetap import DEVICE_WORK, FIXTURES, Tap, Workplace, rows, union, value

ASYNC = re.compile(r"(gloo|nccl|mpi|ucc|xccl|hccl|rccl):")
HOST = ("cpu_op", "user_annotation", "cuda_runtime", "cuda_driver")


def table_name(name):
    return "ProfilerStep*" if name.startswith("ProfilerStep#") else name


def add(sums, key, *numbers):
    old = sums.get(key, (0,) * len(numbers))
    sums[key] = tuple(a + b for a, b in zip(old, numbers))


class Recording:
    """A trace's truth, and the trace itself where the truth must be narrowed down."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as text:
            self.events = json.load(text)["traceEvents"]
        with open(path.removesuffix(".json") + ".truth.json", encoding="utf-8") as text:
            self.truth = json.load(text)
        self.host = sorted(
            ((e["tid"], ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["cat"], e["name"])
             for e in self.events if e["ph"] == "X" and e["cat"] in HOST), key=lambda e: (e[0], e[1], -e[2]))

    def annotations(self):
        """(thread, start, end, name, truth's instance) of each call of a label."""
        for label in self.truth["annotations"]:
            for each in label["instances"]:
                thread = next(tid for tid, start, end, _, name in self.host
                              if (start, end, name) == (each["start_ns"], each["end_ns"], label["label"]))
                yield thread, each["start_ns"], each["end_ns"], label["label"], each

    def around(self, launch):
        """The calls of labels around a launch on its thread, innermost last."""
        return sorted((a for a in self.annotations()
                       if a[0] == launch["thread"] and a[1] <= launch["start_ns"] < a[2]), key=lambda a: a[1])

    def is_folded(self, thread, start, end, name):
        """Is its only child of its own name?  Then torch gives it the child's work."""
        inside = [e for e in self.host if e[0] == thread and start <= e[1] and e[2] <= end and e[1:3] != (start, end)]
        direct = [e for e in inside if not any(o is not e and o[1] <= e[1] and e[2] <= o[2] for o in inside)]
        return len(direct) == 1 and table_name(direct[0][4]) == table_name(name)


def ns(us):
    """Microseconds as JSON has them (three decimals at most) to ns; floats hold these exactly enough."""
    return round(us * 1000) if isinstance(us, float) else us * 1000


def check_slices(tap, db, case, truth):
    got = [dict(r) for r in db.execute(
        "SELECT name, category, count(*) AS count, sum(dur) AS sum_ns, min(dur) AS min_ns, max(dur) AS max_ns "
        "FROM slice WHERE class NOT IN ('span', 'memory') AND NOT is_instant GROUP BY name, category")]
    tap.same(got, truth["slices"], f"{case}: slices by name and category")


def device_work(db):
    return [dict(r) for r in db.execute(
        "SELECT w.id, n.text AS name, c.text AS category, p.pid AS device, t.tid AS stream,"
        " w.ts + f.start_ns AS start_ns, w.ts + f.start_ns + w.dur AS end_ns, w.correlation,"
        " st.number AS step, w.launch_id, w.op_id "
        "FROM slice_row w JOIN track t ON t.id = w.track_id JOIN process p ON p.upid = t.upid "
        "JOIN profile f ON f.id = t.profile_id JOIN string n ON n.id = w.name_id "
        "LEFT JOIN string c ON c.id = w.category_id LEFT JOIN step st ON st.id = w.step_id "
        f"WHERE w.class IN {DEVICE_WORK} ORDER BY w.id")]


def host_slice(db, slice_id):
    """What the truth says of a launch or an operator."""
    if slice_id is None:
        return None
    row = db.execute(
        "SELECT n.text, s.ts + f.start_ns, h.tid FROM slice_row s JOIN string n ON n.id = s.name_id "
        "JOIN track t ON t.id = s.track_id JOIN thread h ON h.utid = t.utid "
        "JOIN profile f ON f.id = t.profile_id WHERE s.id = ?", (slice_id,)).fetchone()
    return {"name": row[0], "start_ns": row[1], "thread": row[2]}


def check_devices(tap, db, case, truth):
    work = device_work(db)
    got = []
    for device in sorted({w["device"] for w in work}):
        spans = [(w["start_ns"], w["end_ns"]) for w in work if w["device"] == device]
        busy, gaps = union(spans)
        start, end = min(s for s, _ in spans), max(e for _, e in spans)
        got.append({"device": device, "events": len(spans), "start_ns": start, "end_ns": end, "span_ns": end - start,
                    "busy_ns": busy, "idle_ns": end - start - busy, "sum_ns": sum(e - s for s, e in spans),
                    "gaps": gaps})
    tap.same(got, truth["devices"], f"{case}: busy and idle time of each device")
    got = []
    for key in sorted({(w["device"], w["stream"]) for w in work}):
        spans = [(w["start_ns"], w["end_ns"]) for w in work if (w["device"], w["stream"]) == key]
        busy, gaps = union(spans)
        got.append((*key, len(spans), busy, gaps))
    tap.same(got, [(s["device"], s["stream"], s["events"], s["busy_ns"], [[g["start_ns"], g["end_ns"]] for g in s["gaps"]])
                   for s in truth["streams"]], f"{case}: busy time and gaps of each stream")


def check_links(tap, db, case, truth):
    got = []
    for w in device_work(db):
        w["launch"], w["operator"] = host_slice(db, w.pop("launch_id")), host_slice(db, w.pop("op_id"))
        del w["id"]
        got.append(w)
    tap.same(got, truth["device_work"], f"{case}: launch, operator and step of each piece of device work")


def check_steps(tap, db, case, truth):
    got = []
    for step in db.execute("SELECT s.id, s.number, s.ts + f.start_ns, s.dur, v.device_ns FROM step s "
                           "JOIN profile f ON f.id = s.profile_id JOIN v_step v ON v.step = s.number ORDER BY s.id"):
        spans = rows(db, f"SELECT ts, ts + dur FROM slice_row WHERE step_id = ? AND class IN {DEVICE_WORK}", step[0])
        device_ns = sum(e - s for s, e in spans)
        got.append({"step": step[1], "start_ns": step[2], "end_ns": step[2] + step[3], "device_events": len(spans),
                    "device_ns": device_ns, "device_busy_ns": union(spans)[0]})
        tap.same(step[4] or 0, device_ns, f"{case}: v_step of step {step[1]} adds up its device work")
    tap.same(got, truth["steps"], f"{case}: steps and the device time launched in them")


def check_host_steps(tap, db, case, truth):
    """A host slice belongs to the step that holds its start, on any thread."""
    wrong = []
    for name, start, number, kind in rows(
            db, "SELECT s.name, s.ts + f.start_ns, s.step, t.kind FROM slice s JOIN track t ON t.id = s.track_id "
            "JOIN profile f ON f.id = s.profile_id WHERE t.kind IN ('thread', 'async')"):
        expected = [s["step"] for s in truth["steps"] if s["start_ns"] <= start < s["end_ns"]]
        if number != (expected[-1] if expected else None):
            wrong.append((name, start, number, expected))
    tap.same(wrong, [], f"{case}: every host slice is in the step that holds its start")


def check_annotations(tap, db, case, recording):
    truth, expected = recording.truth, {}
    for label in truth["annotations"]:
        add(expected, table_name(label["label"]), label["calls"], label["host_ns"], label["device_ns"],
            label["device_events"], 0)
    # The span of each device apart; the truth has that of all devices together.
    for thread, start, end, name, _ in recording.annotations():
        spans = {}
        for w in truth["device_work"]:
            if w["launch"] and w["launch"]["thread"] == thread and start <= w["launch"]["start_ns"] < end:
                spans.setdefault(w["device"], []).append((w["start_ns"], w["end_ns"]))
        span_ns = sum(max(e for _, e in s) - min(s for s, _ in s) for s in spans.values())
        add(expected, table_name(name), 0, 0, 0, 0, span_ns)
    got = rows(db, "SELECT n.text, sum(calls), sum(host_ns), sum(device_ns), sum(launches), sum(device_span_ns) "
               "FROM annotation_stat a JOIN string n ON n.id = a.name_id GROUP BY n.text")
    tap.same(got, [(name, *sums) for name, sums in sorted(expected.items())], f"{case}: the table of labels")


def expected_operators(recording):
    """truth.operators with ptool's device times: see the head of this file."""
    truth = recording.truth
    table = {(o["name"], o["is_annotation"]): dict(o) for o in truth["operators"]}
    for thread, start, end, name, each in recording.annotations():
        row = table.get((table_name(name), True))
        if not row or ASYNC.match(name):
            continue
        spans_ns = sum(r["end_ns"] - r["start_ns"] for r in each["gpu_rows"])
        if not recording.is_folded(thread, start, end, name):
            row["device_self_ns"] -= spans_ns
            # and from the totals of everything around it
            for key in {(table_name(e[4]), e[3] == "user_annotation") for e in recording.host
                        if e[0] == thread and e[1] <= start and end <= e[2]}:
                around = [e for e in recording.host if e[0] == thread and e[1] <= start and end <= e[2]
                          and (table_name(e[4]), e[3] == "user_annotation") == key]
                table[key]["device_total_ns"] -= spans_ns * len(around)
    for work in truth["device_work"]:
        if work["launch"] and not work["operator"] and recording.around(work["launch"]):
            innermost = recording.around(work["launch"])[-1]
            dur_ns = work["end_ns"] - work["start_ns"]
            table[table_name(innermost[3]), True]["device_self_ns"] += dur_ns
            for each in recording.around(work["launch"]):
                table[table_name(each[3]), True]["device_total_ns"] += dur_ns
    return table


def check_operators(tap, db, case, recording):
    got = [dict(r) for r in db.execute(
        "SELECT n.text AS name, is_annotation, sum(calls) AS calls, sum(total_ns) AS total_ns, sum(self_ns) AS self_ns,"
        " sum(self_device_ns) AS device_self_ns, sum(total_device_ns) AS device_total_ns,"
        " sum(cpu_mem_bytes) AS cpu_bytes, sum(self_cpu_mem_bytes) AS self_cpu_bytes,"
        " sum(device_mem_bytes) AS device_bytes, sum(self_device_mem_bytes) AS self_device_bytes "
        "FROM op_stat o JOIN string n ON n.id = o.name_id WHERE grain = 0 AND kind = 0 GROUP BY name_id, is_annotation")]
    expected = expected_operators(recording)
    if not value(db, "SELECT split_annotations FROM profile"):
        # Older torch had one row for a label and an operator of the same name.
        assert len({name for name, _ in expected}) == len(expected)
        for row in expected.values():
            row["is_annotation"] = False
    for row in got:
        row["is_annotation"] = bool(row["is_annotation"])
    tap.same(got, list(expected.values()), f"{case}: the operator table")
    got = rows(db, "SELECT c.text, n.text, count(*), sum(dur), min(dur), max(dur) FROM slice_row s "
               "JOIN string n ON n.id = s.name_id JOIN string c ON c.id = s.category_id "
               f"WHERE s.class IN {DEVICE_WORK} GROUP BY c.text, n.text")
    kernels = [(k["category"], k["name"], k["count"], k["sum_ns"], k["min_ns"], k["max_ns"])
               for k in recording.truth["kernels"]]
    tap.same(got, kernels, f"{case}: device work by name")
    got = rows(db, "SELECT name, calls, total_ns, min_ns, max_ns FROM v_kernel")
    tap.same(got, [k[1:] for k in kernels], f"{case}: the summary of device work says the same")


def check_memory(tap, db, case, truth):
    got, got_unowned = [], []
    for kind, device in rows(db, "SELECT DISTINCT device_type, device FROM allocation ORDER BY 1, 2"):
        records = rows(db, "SELECT s.ts + f.start_ns, a.bytes, a.total_allocated_bytes, a.total_reserved_bytes "
                       "FROM allocation a JOIN slice_row s ON s.id = a.slice_id JOIN track t ON t.id = s.track_id "
                       "JOIN profile f ON f.id = t.profile_id WHERE NOT out_of_memory AND a.device_type = ? "
                       "AND device = ? ORDER BY s.ts, s.id", kind, device)
        refused = rows(db, "SELECT s.ts + f.start_ns, a.bytes FROM allocation a JOIN slice_row s ON s.id = a.slice_id "
                       "JOIN track t ON t.id = s.track_id JOIN profile f ON f.id = t.profile_id "
                       "WHERE out_of_memory AND a.device_type = ? AND device = ? ORDER BY s.ts", kind, device)
        peak = max(records, key=lambda r: r[2])
        got.append({"device_type": kind, "device_id": device, "records": len(records),
                    "base_bytes": records[0][2] - records[0][1], "final_bytes": records[-1][2], "peak_bytes": peak[2],
                    "peak_ts_ns": peak[0], "final_reserved_bytes": records[-1][3],
                    "peak_reserved_bytes": max(r[3] for r in records),
                    "out_of_memory": [{"ts_ns": ts, "bytes": size} for ts, size in refused]})
        running = records[0][2] - records[0][1]
        for record in records:
            running += record[1]
            if running != record[2]:
                break
        tap.same(running, records[-1][2], f"{case}: allocations add up to the recorded total, device type {kind}")
    expected = [{k: v for k, v in pool.items() if k != "outside_every_range"} for pool in truth["memory"]]
    tap.same(got, expected, f"{case}: totals and peaks of memory")
    cpu = [pool["outside_every_range"] for pool in truth["memory"] if pool["device_type"] == 0]
    device = [pool["outside_every_range"] for pool in truth["memory"] if pool["device_type"] != 0]
    got_unowned = rows(db, "SELECT coalesce(sum(calls), 0), coalesce(sum(cpu_mem_bytes), 0), "
                       "coalesce(sum(device_mem_bytes), 0) FROM op_stat o JOIN string n ON n.id = o.name_id "
                       "WHERE grain = 0 AND kind = 4 AND n.text = '[memory]'")
    tap.same(got_unowned, [(sum(p["count"] for p in cpu + device), sum(p["bytes"] for p in cpu),
                            sum(p["bytes"] for p in device))], f"{case}: memory records outside every range")
    refusals = sum(len(pool["out_of_memory"]) for pool in truth["memory"])
    tap.same(value(db, "SELECT coalesce(sum(calls), 0) FROM op_stat o JOIN string n ON n.id = o.name_id "
                   "WHERE grain = 0 AND kind = 4 AND n.text = '[OutOfMemory]'"), refusals,
             f"{case}: every [OutOfMemory] is a row")


def check_flows(tap, db, case, recording):
    """Each piece of work with a launch has its arrow from there; fwdbwd arrows are the file's."""
    got = rows(db, "SELECT slice_out, slice_in FROM flow f JOIN string c ON c.id = f.category_id WHERE c.text = 'ac2g'")
    expected = [(w["launch_id"], w["id"]) for w in device_work(db) if w["launch_id"]]
    tap.same([arrow for arrow in got if arrow not in expected], [], f"{case}: an ac2g arrow joins work to its launch")
    tap.same(sorted(set(got)), sorted(set(expected)), f"{case}: all launched work has an ac2g arrow")
    ends = {}
    for e in recording.events:
        if e["ph"] in "sf" and e.get("cat") == "fwdbwd":
            ends.setdefault(e["id"], {})[e["ph"]] = (e["tid"], ns(e["ts"]))
    arrows = [(each["s"], each["f"]) for each in ends.values()]
    got = [tuple((host_slice(db, s)["thread"], host_slice(db, s)["start_ns"]) for s in pair) for pair in rows(
        db, "SELECT slice_out, slice_in FROM flow f JOIN string c ON c.id = f.category_id WHERE c.text = 'fwdbwd'")]
    tap.same(got, arrows, f"{case}: fwdbwd arrows join the operators they begin at")


def check_recording(tap, db, case, truth):
    # Dialects A to C count from the epoch, and say no base.
    got = rows(db, "SELECT format, dialect, coalesce(base_ns, 0), window_end_ns, span_end_ns FROM profile")
    recording = truth["recording"]
    tap.same(got, [("pytorch", truth["dialect"], truth["base_ns"], recording["window_end_ns"], recording["end_ns"])],
             f"{case}: format, dialect and clock")


def check_gpu_case(tap, work, case, path):
    recording = Recording(path)
    db = work.open(work.ingest(path))
    check_recording(tap, db, case, recording.truth)
    check_slices(tap, db, case, recording.truth)
    check_devices(tap, db, case, recording.truth)
    check_links(tap, db, case, recording.truth)
    check_steps(tap, db, case, recording.truth)
    check_host_steps(tap, db, case, recording.truth)
    check_annotations(tap, db, case, recording)
    check_operators(tap, db, case, recording)
    check_memory(tap, db, case, recording.truth)
    check_flows(tap, db, case, recording)
    db.close()


# phases_*: the Trace Event Format itself.

def key(number, text):
    return str(number) if number is not None else text


def thread_slices(db):
    return {r[0]: tuple(r)[1:] for r in db.execute(
        "SELECT s.id, s.name, p.pid, p.pid_text, h.tid, h.tid_text, s.ts + f.start_ns, s.dur, s.is_unfinished, a.args "
        "FROM slice s JOIN track t ON t.id = s.track_id JOIN thread h ON h.utid = t.utid "
        "JOIN process p ON p.upid = t.upid JOIN profile f ON f.id = s.profile_id "
        "LEFT JOIN slice_args a ON a.slice_id = s.id WHERE NOT s.is_instant ORDER BY s.id")}


def check_phase_slices(tap, db, case, truth):
    got = [(n, key(pid, pt), key(tid, tt), ts, ts + dur, bool(open_))
           for n, pid, pt, tid, tt, ts, dur, open_, _ in thread_slices(db).values()]
    expected = [(s["name"], s["pid"], s["tid"], s["start_ns"], s["end_ns"], s.get("unfinished", False))
                for s in truth["slices"]]
    tap.same(got, expected, f"{case}: slices of B and E, and of X")
    got = {s[0]: json.loads(s[-1]) for s in thread_slices(db).values() if s[-1]}
    expected = {s["name"]: s["args"] for s in truth["slices"] if "args" in s}
    tap.same({name: got.get(name) for name in expected}, expected, f"{case}: args of B and E are one object")
    got = rows(db, "SELECT s.name, s.ts + f.start_ns FROM slice s JOIN track t ON t.id = s.track_id "
               "JOIN profile f ON f.id = s.profile_id WHERE s.is_instant AND t.kind = 'thread'")
    tap.same(got, [(i["name"], i["ts_ns"]) for i in truth["instants"]], f"{case}: instants")


def check_phase_asyncs(tap, db, case, truth):
    got = rows(db, "SELECT s.name, s.ts + f.start_ns, s.ts + f.start_ns + s.dur FROM slice s "
               "JOIN track t ON t.id = s.track_id JOIN profile f ON f.id = s.profile_id "
               "WHERE t.kind = 'async' AND NOT s.is_instant")
    expected = []
    for a in truth["asyncs"]:
        expected.append((a["name"], a["start_ns"], a["end_ns"]))
        expected += [(s["step"], s["start_ns"], s["end_ns"]) for s in a.get("steps", [])]
    tap.same(got, expected, f"{case}: asynchronous slices and their parts")
    got = rows(db, "SELECT s.ts + f.start_ns FROM slice s JOIN track t ON t.id = s.track_id "
               "JOIN profile f ON f.id = s.profile_id WHERE t.kind = 'async' AND s.is_instant")
    tap.same(got, [(ts,) for a in truth["asyncs"] for ts in a.get("instants", [])], f"{case}: asynchronous instants")


def check_phase_rest(tap, db, case, truth):
    got = rows(db, "SELECT t.name, c.ts + f.start_ns, c.value FROM counter c JOIN track t ON t.id = c.track_id "
               "JOIN profile f ON f.id = t.profile_id")
    expected = [((c["name"] + (f"[{c['id']}]" if c["id"] else "") + " " + c["series"]), c["ts_ns"], float(c["value"]))
                for c in truth["counters"]]
    tap.same(got, expected, f"{case}: counters")
    names = [(s["name"], s["start_ns"]) for s in truth["slices"]]
    arrows = [(names[a], names[b]) for chain in truth["flows"] for a, b in zip(chain, chain[1:])]
    slices = thread_slices(db)
    got = [tuple((slices[s][0], slices[s][5]) for s in pair) for pair in rows(db, "SELECT slice_out, slice_in FROM flow")]
    tap.same(got, arrows, f"{case}: flow arrows")
    got = {str(p): {"name": n, "labels": la, "sort_index": so} for p, n, la, so in
           rows(db, "SELECT pid, name, labels, sort_index FROM process WHERE name IS NOT NULL")}
    tap.same(got, truth["processes"], f"{case}: names of processes")
    got = {f"{p}/{t}": {k: v for k, v in (("name", n), ("sort_index", so)) if v is not None} for p, t, n, so in
           rows(db, "SELECT p.pid, h.tid, h.name, h.sort_index FROM thread h JOIN process p ON p.upid = h.upid "
                "WHERE h.name IS NOT NULL")}
    tap.same(got, truth["threads"], f"{case}: names of threads")
    got = dict(rows(db, "SELECT detail, sum(count) FROM finding WHERE code IN ('unused_phase', 'unknown_phase') "
                    "GROUP BY detail"))
    tap.same(got, truth["other_phases"], f"{case}: phases that no view uses are counted")
    got = dict(rows(db, "SELECT code, sum(count) FROM finding GROUP BY code"))
    tap.same((got.get("end_without_begin"), got.get("end_name", 0), value(db, "SELECT sum(is_unfinished) FROM slice")),
             (truth["unmatched_ends"], truth["crossed_ends"], truth["unfinished"]), f"{case}: crossed and unmatched ends")
    tap.same(value(db, "SELECT max(ts + dur) + f.start_ns FROM slice s JOIN profile f"), truth["trace_end_ns"],
             f"{case}: the end of the trace")


def main():
    tap = Tap()
    with Workplace() as work:
        for path in sorted(glob.glob(os.path.join(FIXTURES, "gpu", "*.json"))):
            case = os.path.basename(path)[:-len(".json")]
            if path.endswith(".truth.json"):
                continue
            if not case.startswith("phases_"):
                check_gpu_case(tap, work, case, path)
                continue
            with open(path.removesuffix(".json") + ".truth.json", encoding="utf-8") as text:
                truth = json.load(text)
            db = work.open(work.ingest(path, options=("--keep", "args")))
            check_phase_slices(tap, db, case, truth)
            check_phase_asyncs(tap, db, case, truth)
            check_phase_rest(tap, db, case, truth)
            db.close()
    tap.done()


main()
