"""What stores say of the profiles in them, keyed by content instead of ids, so that two can be compared."""
import json
import sqlite3
from bisect import bisect_right
from collections import Counter

APART = 4       # slice_row.flags
DETAILS = ("kernel", "copy", "device_wait", "collective")
OP_STAT = ("grain", "kind", "is_annotation", "is_async", "is_top_level", "calls", "primitive_calls", "self_ns", "total_ns",
           "min_ns", "max_ns", "squares0", "squares1", "squares2", "squares3", "self_device_ns", "total_device_ns", "cpu_mem_bytes", "self_cpu_mem_bytes",
           "device_mem_bytes", "self_device_mem_bytes", "flops")
ANNOTATION_STAT = ("calls", "host_ns", "device_ns", "device_span_ns", "launches")
SLICE = ("class", "correlation", "external_id", "sequence")


class Facts:
    """Of one profile.  `plain` is what the file says, `derived` what follows from all of it together."""

    def __init__(self, row):
        self.row = row
        self.plain = {"metadata": Counter((k, json.dumps(v)) for k, v in json.loads(row["metadata"]).items())}
        self.derived = {"profile": Counter([tuple(row[key] for key in row.keys() if key not in (
            "id", "run_id", "path", "mtime_ns", "bytes", "first_slice_id", "slices", "first_op_detail_id", "op_details", "metadata")
            and not key.startswith(("rank_source", "worker", "stamp", "span")))])}
        self.apart = []         # (name, category, finding's code) of the slices set apart
        self.findings = {}      # code -> [count, first offset, severity]

    def add(self, table, fact, derived=None):
        self.plain.setdefault(table, Counter())[fact] += 1
        self.add_derived(table, (fact, derived))

    def add_derived(self, table, fact):
        self.derived.setdefault(table, Counter())[fact] += 1


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.row_factory = sqlite3.Row
        self.text = {None: None, **dict(self.rows("SELECT id, text FROM string"))}
        self.facts = {row["id"]: Facts(row) for row in self.rows("SELECT * FROM profile")}
        self.starts = {i: f.row["start_ns"] for i, f in self.facts.items()}
        self.steps = {row["id"]: row for row in self.rows("SELECT * FROM step")}
        self.op_details = {row["id"]: tuple(self.text[row[k]] for k in ("shapes_id", "stack_id", "module_id", "types_id", "values_id")) +
                           (row["flops"], row["fwd_thread"], row["is_backward"])
                           for row in self.rows("SELECT * FROM op_detail")}
        self.read_places()
        self.read_slices()
        self.read_lists()
        self.read_sums()
        self.db.close()

    def rows(self, sql):
        return self.db.execute(sql).fetchall()

    def by_path(self):
        return {facts.row["path"]: facts for facts in self.facts.values()}

    def read_places(self):
        process, thread, self.track = {}, {}, {}
        for row in self.rows("SELECT * FROM process"):
            process[row["upid"]] = row["pid"] if row["pid_text"] is None else row["pid_text"]
            if row["name"] or row["labels"] or row["sort_index"] is not None:
                self.facts[row["profile_id"]].add("process", (process[row["upid"]], row["name"], row["labels"],
                                                              row["sort_index"]))
        for row in self.rows("SELECT * FROM thread"):
            thread[row["utid"]] = row["tid"] if row["tid_text"] is None else row["tid_text"]
            if row["name"] or row["sort_index"] is not None:
                self.facts[row["profile_id"]].add("thread", (process[row["upid"]], thread[row["utid"]], row["name"],
                                                             row["sort_index"]))
        for row in self.rows("SELECT * FROM track"):
            place = thread.get(row["utid"], row["tid"])
            name = row["name"] if row["kind"] in ("async", "counter") else None
            self.track[row["id"]] = (row["profile_id"], (row["kind"], process.get(row["upid"]), place, name))
        for row in self.rows("SELECT * FROM device"):
            self.facts[row["profile_id"]].add("device", tuple(row)[2:])

    def read_slices(self):
        self.slice = {None: None}
        rows = self.rows("SELECT * FROM slice_row")
        codes = {row["slice_id"]: row["code"] for row in self.rows("SELECT * FROM quarantine")}
        self.apart = {row["id"] for row in rows if (row["flags"] or 0) & APART}
        for row in rows:
            profile, track = self.track[row["track_id"]]
            self.slice[row["id"]] = (*track, row["ts"] + self.starts[profile], row["dur"], self.text[row["name_id"]],
                                     self.text[row["category_id"]], row["flags"] or 0, *(row[k] for k in SLICE),
                                     self.op_details.get(row["op_detail_id"]))
        for row in rows:
            facts = self.facts[self.track[row["track_id"]][0]]
            fact = self.slice[row["id"]]
            if row["id"] in self.apart:
                facts.apart.append((fact[6], fact[7], codes.get(row["id"])))
                continue
            step = self.steps.get(row["step_id"])
            facts.add("slice", fact, (row["depth"], row["self_ns"], self.sound(row["parent_id"]), step and step["number"],
                                      self.sound(row["launch_id"]), self.sound(row["op_id"])))

    def sound(self, slice_id):
        """Links to what was set apart count for nothing."""
        return None if slice_id in self.apart else self.slice[slice_id]

    def profile_of(self, slice_id):
        return self.facts[self.owners[bisect_right(self.firsts, slice_id) - 1]]

    def read_lists(self):
        ranges = sorted((f.row["first_slice_id"], i) for i, f in self.facts.items() if f.row["slices"])
        self.firsts, self.owners = [first for first, _ in ranges], [i for _, i in ranges]
        for table in DETAILS:
            for row in self.rows(f"SELECT * FROM {table}"):
                if row["slice_id"] not in self.apart:
                    self.profile_of(row["slice_id"]).add(table, (self.slice[row["slice_id"]], tuple(row)[2:]))
        for row in self.rows("SELECT * FROM allocation"):
            self.profile_of(row["slice_id"]).add("allocation", (self.slice[row["slice_id"]], tuple(row)[3:]),
                                                 self.sound(row["op_id"]))
        for row in self.rows("SELECT * FROM flow"):
            if not self.apart & {row["slice_out"], row["slice_in"]}:
                self.profile_of(row["slice_out"]).add_derived("flow", (self.slice[row["slice_out"]], self.slice[row["slice_in"]],
                                                                       self.text[row["category_id"]], row["trace_id"]))
        for row in self.rows("SELECT * FROM counter"):
            profile, track = self.track[row["track_id"]]
            self.facts[profile].add("counter", (track, row["ts"] + self.starts[profile], row["value"]))
        for row in self.steps.values():
            profile = row["profile_id"]
            self.facts[profile].add("step", (row["number"], row["ts"] + self.starts[profile], row["dur"]))

    def read_sums(self):
        for row in self.rows("SELECT * FROM op_stat"):
            step = self.steps.get(row["step_id"])
            self.facts[row["profile_id"]].add_derived("op_stat", (
                step and step["number"], *(self.text[row[k]] for k in ("name_id", "shapes_id", "stack_id", "overload_id")),
                row["first_ts"] + self.starts[row["profile_id"]], row["first_dur"], *(row[k] for k in OP_STAT), row["histogram"]))
        for row in self.rows("SELECT * FROM annotation_stat"):
            step = self.steps.get(row["step_id"])
            self.facts[row["profile_id"]].add_derived("annotation_stat", (
                step and step["number"], self.text[row["name_id"]], *(row[k] for k in ANNOTATION_STAT)))
        for row in self.rows("SELECT * FROM finding"):
            found = self.facts[row["profile_id"]].findings.setdefault(row["code"], [0, row["first_offset"], row["severity"]])
            found[0] += row["count"]
            found[1] = min(found[1], row["first_offset"])
