"""Traces with events in them whose times cannot be."""
import gzip
import json
import random

WEEK_US = 604_800_000_000
CODES = ("negative_duration", "impossible_duration", "impossible_time")


def later(us):
    """By a number of its own kind: a fraction would be another dialect."""
    return lambda event: event.update(ts=(int if str(event["ts"]).isdigit() else float)(event["ts"]) + us)


def lasts(us):
    return lambda event: event.update(dur=us)


DAMAGES = [  # (the finding, what makes it, of complete events only)
    ("negative_duration", lasts(-1), True),
    ("negative_duration", lasts(-0.001), True),
    ("negative_duration", lasts(-11018539704271257), True),
    ("impossible_duration", lasts(WEEK_US + 1), True),
    ("impossible_duration", lasts(7447584000000000), True),  # 236 years
    ("impossible_time", later(-30 * WEEK_US), False),
    ("impossible_time", later(5 * WEEK_US), False),
]


def is_memory(event):
    return event.get("name") in ("[memory]", "[OutOfMemory]")


def load(path):
    """The trace as JSON; None where it is not JSON."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as trace:
        try:
            return json.loads(trace.read().decode("utf-8"), strict=False)
        except ValueError:
            return None


def plant(trace, seed):
    """A copy of the trace with such events in it; how many of each finding."""
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    dice = random.Random(seed)
    sources = [event for event in events if event.get("ph") in ("X", "i") and "ts" in event]
    complete = [event for event in sources if event["ph"] == "X" and "dur" in event and not is_memory(event)]
    counts = dict.fromkeys(CODES, 0)
    kinds = {}  # some of each kind of event
    for event in sources:
        kinds.setdefault((event.get("cat"), event["name"].split("#")[0] if "#" in event["name"] else ""), []).append(event)
    chosen = [dice.choice(kind) for kind in kinds.values() for _ in range(3)]
    copies = []
    for code, damage, of_complete in DAMAGES:
        for event in chosen:
            if of_complete and event not in complete:
                continue
            copy = json.loads(json.dumps(event))
            damage(copy)
            copies.append(copy)
            counts[code] += 1
    # The sound ones must be the majority of the recording.
    if len(copies) * 2 > len(sources):
        copies = copies[::len(copies) * 2 // len(sources) + 1]
        counts = None
    planted = list(events)
    for copy in copies:
        planted.insert(dice.randint(1, len(planted)), copy)
    return (dict(trace, traceEvents=planted) if isinstance(trace, dict) else planted), len(copies), counts


def save(work, name, trace):
    path = work.path(name)
    with open(path, "w", encoding="utf-8") as out:
        json.dump(trace, out)
    return path
