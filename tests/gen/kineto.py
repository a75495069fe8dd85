"""The text of a Kineto trace, byte for byte as libkineto's exporter spaces it.

Four dialects are written (they differ in layout, not in meaning):

  C  torch 2.0 to 2.3   whole microseconds since the epoch, no baseTimeNanoseconds
  D  torch 2.4 to 2.6   microseconds with three decimals relative to baseTimeNanoseconds,
                        which stands behind traceEvents
  E  torch 2.7 and on   as D, with baseTimeNanoseconds before traceEvents
  F  torch 2.14         as E, one key a line and the M events first

An event is a dict: ph, name, pid, tid, ts (ns), and as the phase wants it cat, dur, id, s, bp,
args (the text between the braces).  Nothing is computed here: what is written is what the
machine in machine.py decided.
"""


def us(ns):
    """Nanoseconds as the decimal microseconds of the exporter."""
    return f"{ns // 1000}.{ns % 1000:03d}"


def spelt(value):
    """pid and tid are numbers, but for the profiler's own rows, where they are text."""
    return f'"{value}"' if isinstance(value, str) else str(value)


class ByLine:
    """Dialects C, D and E: several keys a line."""

    def __init__(self, dialect):
        self.dialect = dialect

    def time(self, ns):
        if self.dialect != "C":
            return us(ns)
        assert ns % 1000 == 0, "dialect C knows whole microseconds only"
        return str(ns // 1000)

    def event(self, e):
        return {"X": self.complete, "i": self.instant, "M": self.metadata,
                "s": self.flow, "f": self.flow}[e["ph"]](e)

    def complete(self, e):
        if e["cat"] == "Trace":
            head = (f'    "ph": "X", "cat": "Trace", "ts": {self.time(e["ts"])}, "dur": {self.time(e["dur"])},\n'
                    f'    "pid": "{e["pid"]}", "tid": "{e["tid"]}",\n    "name": "{e["name"]}"')
        else:
            head = (f'    "ph": "X", "cat": "{e["cat"]}", "name": "{e["name"]}", "pid": {e["pid"]}, "tid": {e["tid"]},\n'
                    f'    "ts": {self.time(e["ts"])}, "dur": {self.time(e["dur"])}')
        args = f',\n    "args": {{\n      {e["args"]}\n    }}' if e.get("args") else ""
        return f"  {{\n{head}{args}\n  }}"

    def instant(self, e):
        if not e.get("cat"):
            return (f'  {{\n    "name": "{e["name"]}", "ph": "i", "s": "{e["s"]}",\n'
                    f'    "pid": {spelt(e["pid"])}, "tid": {spelt(e["tid"])}, "ts": {self.time(e["ts"])}\n  }}')
        return (f'  {{\n    "ph": "i", "cat": "{e["cat"]}", "s": "{e["s"]}", "name": "{e["name"]}",\n'
                f'    "pid": {e["pid"]}, "tid": {e["tid"]},\n    "ts": {self.time(e["ts"])},\n'
                f'    "args": {{\n      {e["args"]}\n    }}\n  }}')

    def metadata(self, e):
        where = f'"pid": {spelt(e["pid"])}, "tid": {e["tid"]},'
        gap = "\n    " if isinstance(e["pid"], str) else " "
        return (f'  {{\n    "name": "{e["name"]}", "ph": "M", "ts": {self.time(e["ts"])},{gap}{where}\n'
                f'    "args": {{\n      {e["args"]}\n    }}\n  }}')

    def flow(self, e):
        bind = ', "bp": "e"' if e["ph"] == "f" else ""
        return (f'  {{\n    "ph": "{e["ph"]}", "id": {e["id"]}, "pid": {e["pid"]}, "tid": {e["tid"]}, '
                f'"ts": {self.time(e["ts"])},\n    "cat": "{e["cat"]}", "name": "{e["cat"]}"{bind}\n  }}')

    def document(self, events, base_ns, metadata, trace_name):
        body = ",\n".join(self.event(e) for e in events)
        time = f'"displayTimeUnit": "ms",\n  "baseTimeNanoseconds": {base_ns}'
        if self.dialect == "E":
            keys = "".join(f'\n      "{k}": {v},' for k, v in metadata)
            return (f'\n  {{\n    "schemaVersion": 1,\n    "deviceProperties": [{DEVICES}\n    ],{keys}\n'
                    f'  {time},\n  "traceEvents": [\n{body}\n  ],\n  "traceName": "{trace_name}"\n}}')
        keys = "".join(f'  "{k}": {v},\n' for k, v in metadata)
        tail = f",\n  {time}" if self.dialect == "D" else ""
        return (f'\n{{\n  "schemaVersion": 1,\n  "deviceProperties": [{DEVICES}\n  ],\n{keys}'
                f'  "traceEvents": [\n{body}\n  ],\n  "traceName": "{trace_name}"{tail}\n}}')


class ByKey:
    """Dialect F: one key a line, and a blank one where an optional key is missing."""

    ORDER = ("ph", "cat", "s", "name", "id", "pid", "tid", "ts", "dur")

    def event(self, e):
        lines = []
        if e["ph"] in "sf":
            lines = [f'"ph": "{e["ph"]}",', f'"id": {e["id"]},', f'"pid": {e["pid"]},', f'"tid": {e["tid"]},',
                     f'"ts": {us(e["ts"])},', f'"cat": "{e["cat"]}",', f'"name": "{e["cat"]}"',
                     ', "bp": "e"' if e["ph"] == "f" else ""]
            return "  {\n" + "\n".join("    " + line for line in lines) + "\n  }"
        lines.append(f'"ph": "{e["ph"]}",')
        if e["ph"] == "i":
            lines.append("")
        if e.get("cat"):
            lines.append(f'"cat": "{e["cat"]}",')
        if e["ph"] == "i":
            lines.append(f'"s": "{e["s"]}",')
        lines.append(f'"name": "{e["name"]}",')
        if e["ph"] == "M":
            lines.append(f'"ts": {us(e["ts"])},')
        lines += [f'"pid": {spelt(e["pid"])},', f'"tid": {spelt(e["tid"])},']
        if e["ph"] == "M":
            return self.with_args(lines, e["args"])
        if e["ph"] == "X":
            lines += [f'"ts": {us(e["ts"])},', f'"dur": {us(e["dur"])}']
        else:
            lines.append(f'"ts": {us(e["ts"])}')
        if not e.get("args"):
            return "  {\n" + "\n".join("    " + line for line in lines + [""]) + "\n  }"
        lines.append(",")
        return self.with_args(lines, e["args"])

    @staticmethod
    def with_args(lines, args):
        text = "\n".join("    " + line for line in lines)
        return f'  {{\n{text}\n    "args": {{\n      {args}\n    }}\n  }}'

    def document(self, events, base_ns, metadata, trace_name):
        # sorted() is stable: the M events come first, all else stays where it is
        ordered = sorted(events, key=lambda e: e["ph"] != "M" or isinstance(e["pid"], str))
        body = ",\n".join(self.event(e) for e in ordered)
        keys = "".join(f'      "{k}": {v},\n' for k, v in metadata)
        return (f' {{\n    "schemaVersion": 1,\n    "deviceProperties": [{DEVICES}],\n    \n{keys}'
                f'    "displayTimeUnit": "ms",\n    "baseTimeNanoseconds": {base_ns},\n'
                f'    "traceEvents": [\n    \n{body}\n  ],"traceName": "{trace_name}" }}')


def writer(dialect):
    return ByKey() if dialect == "F" else ByLine(dialect)


DEVICES = ",".join(f"""
    {{
      "id": {i}, "name": "Synthetic GPU", "totalGlobalMem": 17179869184,
      "computeMajor": 8, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "regsPerMultiprocessor": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "sharedMemPerMultiprocessor": 167936,
      "numSms": 108, "sharedMemPerBlockOptin": 166912
    }}""" for i in (0, 1))
