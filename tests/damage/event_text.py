"""One JSON object of a trace as its text: members can be changed without touching a byte of the others."""
import json
import re

BLANKS = re.compile(r"[ \t\r\n]*")
DECODE = json.JSONDecoder().raw_decode


class Object:
    """The members of an object in their order, each with the blanks around it."""

    def __init__(self, items, end):
        self.items = items      # [blanks, key, colon and blanks, value's text, blanks]
        self.end = end          # blanks of an empty object

    @classmethod
    def parse(cls, text):
        items, at = [], 1
        blanks = BLANKS.match(text, at)
        if text[blanks.end()] == "}":
            return cls([], blanks.group())
        while True:
            before = BLANKS.match(text, at)
            key, at = DECODE(text, before.end())
            start = BLANKS.match(text, BLANKS.match(text, at).end() + 1).end()
            colon = text[at:start]
            _, end = DECODE(text, start)
            after = BLANKS.match(text, end)
            items.append([before.group(), key, colon, text[start:end], after.group()])
            at = after.end() + 1
            if text[at - 1] == "}":
                return cls(items, "")

    def text(self):
        members = [f"{before}{json.dumps(key)}{colon}{value}{after}" for before, key, colon, value, after in self.items]
        return "{" + ",".join(members) + self.end + "}"

    def copy(self):
        return Object([list(item) for item in self.items], self.end)

    def get(self, key):
        """The value's text, or None."""
        return next((item[3] for item in self.items if item[1] == key), None)

    def put(self, key, text):
        """Another value for the key, or a new member behind the others."""
        changed = self.copy()
        for item in changed.items:
            if item[1] == key:
                item[3] = text
                return changed
        blanks = changed.items[0][0] if changed.items else ""
        changed.items.append([blanks, key, ": ", text, changed.items[-1][4] if changed.items else ""])
        return changed

    def without(self, key):
        changed = self.copy()
        changed.items = [item for item in changed.items if item[1] != key]
        return changed

    def put_arg(self, key, text):
        args = self.get("args")
        inner = Object.parse(args if args and args.startswith("{") else "{}")
        return self.put("args", inner.put(key, text).text())

    def without_arg(self, key):
        return self.put("args", Object.parse(self.get("args")).without(key).text())


def entries(text, at):
    """The (start, end) of each entry of the array whose '[' is at that place, and the place of its ']'."""
    found = []
    at = BLANKS.match(text, at + 1).end()
    while text[at] != "]":
        _, end = DECODE(text, at)
        found.append((at, end))
        at = BLANKS.match(text, end).end()
        if text[at] == ",":
            at = BLANKS.match(text, at + 1).end()
    return found, at
