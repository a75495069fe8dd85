"""What the checks of this folder share: the tables of `ptool memory`, and what the memory
events of a trace say when they are counted again from its JSON, without ptool."""
import glob
import gzip
import json
import os
import sys
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store"))

from storetap import SHARED, Tap, Workplace, fixtures  # noqa: E402  (the path is set above)

__all__ = ["SHARED", "Recount", "Tap", "Workplace", "all_traces", "device_name", "fixtures", "load_trace",
           "memory_events", "table"]

TYPES = ["cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan", "metal", "xpu",
         "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone"]
CPUS = (0, 2, 5)


def table(place, store, *options):
    """The rows as dicts; an empty list when nothing matched."""
    ran = place.ptool("memory", store, "--format", "json", *options, check=False)
    if ran.returncode == 3:
        return []
    if ran.returncode:
        raise RuntimeError(f"ptool memory {' '.join(options)}: exit {ran.returncode}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)["rows"]


def all_traces():
    """(name, path) of every trace there is, the large collection's too where it is."""
    found = fixtures()
    for pattern in ("torch/*/*.json.gz", "torch/*/*/*.json.gz", "gpu/*.json.gz"):
        for path in sorted(glob.glob(os.path.join(SHARED, "data", pattern))):
            if os.path.basename(path).startswith(("trace", "resnet", "rank", "step")) or ".pt.trace." in path:
                found.append((os.path.relpath(path, os.path.join(SHARED, "data")), path))
    return found


def load_trace(path):
    """The events of a trace, numbers with a point as Decimal; None when it is none of torch's."""
    opener = gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8", errors="surrogateescape") as text:
            trace = json.loads(text.read(), parse_float=Decimal, strict=False)
    except ValueError:
        return None
    events = trace.get("traceEvents") if isinstance(trace, dict) else trace
    return events if isinstance(events, list) else None


def device_name(kind, index):
    name = TYPES[kind] if 0 <= kind < len(TYPES) else f"type {kind}"
    return name if kind in CPUS or index is None or index < 0 else f"{name}:{index}"


def ns(us):
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_EVEN))


def memory_events(events):
    """Those of each device, in the order of time, in that of the file where that is equal."""
    found = defaultdict(list)
    for event in events:
        if not isinstance(event, dict) or event.get("name") not in ("[memory]", "[OutOfMemory]"):
            continue
        args = event.get("args") or {}
        if event.get("ph") not in ("i", "I", "X") or ("Bytes" not in args and event["name"] == "[memory]"):
            continue
        found[device_name(args.get("Device Type", 0), args.get("Device Id"))].append({
            "ts": ns(event["ts"]), "bytes": args.get("Bytes"), "total": args.get("Total Allocated"),
            "reserved": args.get("Total Reserved"), "addr": args.get("Addr"),
            "oom": event["name"] == "[OutOfMemory]", "tid": event.get("tid")})
    for records in found.values():
        records.sort(key=lambda record: record["ts"])
    return found


class Recount:
    """What one device's events come to, by the definitions of ptool-memory(1)."""

    def __init__(self, records):
        self.records = records
        self.breaks = 0
        told = [r for r in records if r["total"] is not None]
        self.base = None
        level = 0
        self.levels = []
        if told:
            before = 0
            for record in records:
                if record is told[0]:
                    break
                before += self.effect(record)
            self.base = level = told[0]["total"] - self.effect(told[0]) - before
        for record in records:
            level += self.effect(record)
            if record["total"] is not None:
                self.breaks += record["total"] != level
                level = record["total"]
            self.levels.append(level)

    @staticmethod
    def effect(record):
        return 0 if record["oom"] or record["bytes"] is None else record["bytes"]

    def peak(self):
        """(bytes, place of the event)."""
        most = max(self.levels)
        return most, self.levels.index(most)

    def blocks(self):
        """(bytes, ts of the allocation, ts of the free, address, place of allocation, place of free)."""
        open_blocks, found = {}, []
        for at, record in enumerate(self.records):
            if record["oom"] or record["addr"] is None or record["bytes"] is None:
                continue
            address = record["addr"]
            if record["bytes"] > 0:
                if address in open_blocks:
                    start = open_blocks[address]
                    found.append((self.records[start]["bytes"], self.records[start]["ts"], None, address, start, at))
                open_blocks[address] = at
            elif address in open_blocks:
                start = open_blocks.pop(address)
                found.append((self.records[start]["bytes"], self.records[start]["ts"], record["ts"], address, start, at))
            else:
                found.append((-record["bytes"], None, record["ts"], address, None, at))
        for address, start in open_blocks.items():
            found.append((self.records[start]["bytes"], self.records[start]["ts"], None, address, start, None))
        return found

    def live_bytes(self, at):
        """Of the known blocks that are there behind event `at`."""
        return sum(b[0] for b in self.blocks() if b[4] is not None and b[4] <= at and (b[5] is None or b[5] > at))
