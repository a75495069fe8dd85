#!/usr/bin/env python3
"""The JSON tokenizer against Python's json: the same documents, random and
mutated, must be refused or give the same tokens.  Speaks TAP."""
import json
import os
import random
import re
import subprocess
import sys

TOOL = os.path.join(os.path.dirname(os.environ["PTOOL"]), "tools", "json_tokens")
VECTORS = os.path.join(os.environ["FIXTURES"], "json", "vectors.txt")
ROUNDS = 4000
CHARACTERS = 'abc "\\/\b\f\n\r\t\x00\x1f\x7f{}[]:,0\u00e9\u8a13\u2028\ufeff\uffff\U0001f680\U0010ffff'
# What mutations put in: the tokens of JSON, and what people take for them.
PIECES = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud83d", b"\\ude80", b"\\n",
          b"true", b"null", b"fals", b"NaN", b"Infinity", b"-", b"+", b".", b"e", b"0", b"1", b"01",
          b" ", b"\n", b"\x00", b"\x1f", b"\xff", b"\xc3", b"\xa9", b"\xed\xa0\x80", b"'", b"/"]


class Document:
    """Builds a random JSON text, with any spelling the RFC allows."""

    def __init__(self, rng):
        self.rng = rng

    def text(self):
        return self.blank() + self.value(0) + self.blank()

    def blank(self):
        return "".join(self.rng.choice(" \t\r\n") for _ in range(self.rng.choice((0, 0, 0, 1, 3))))

    def value(self, depth):
        kinds = [self.string, self.number, self.literal]
        if depth < 6:
            kinds += [lambda: self.container(depth, "[]")] * 2 + [lambda: self.container(depth, "{}")] * 2
        return self.rng.choice(kinds)()

    def literal(self):
        return self.rng.choice(("true", "false", "null"))

    def number(self):
        rng = self.rng
        text = rng.choice(("", "-")) + rng.choice(("0", str(rng.randrange(1, 10 ** rng.randrange(1, 25)))))
        if rng.random() < 0.4:
            text += "." + "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 8)))
        if rng.random() < 0.3:
            text += rng.choice("eE") + rng.choice(("", "+", "-")) + str(rng.randrange(400))
        return text

    def character(self):
        rng = self.rng
        c = rng.choice(CHARACTERS)
        if c in '"\\' or c < " " or rng.random() < 0.2:
            short = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
                     "\t": "\\t"}
            if c in short and rng.random() < 0.7:
                return short[c]
            units = c.encode("utf-16-be").hex()
            return "".join("\\u" + units[i:i + 4] for i in range(0, len(units), 4))
        return c

    def string(self):
        return '"' + "".join(self.character() for _ in range(self.rng.choice((0, 1, 2, 5, 9, 20)))) + '"'

    def container(self, depth, brackets):
        parts = []
        for _ in range(self.rng.choice((0, 1, 2, 3, 6))):
            value = self.blank() + self.value(depth + 1) + self.blank()
            key = self.blank() + self.string() + self.blank() + ":" if brackets == "{}" else ""
            parts.append(key + value)
        return brackets[0] + (",".join(parts) or self.blank()) + brackets[1]


def mutated(rng, text):
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice((0, 0, 1, 1, 2, 8)))
        text = text[:at] + rng.choice(PIECES + [b""] * 6) + text[end:]
    return text


class Number(str):
    """A number as it stands in the text."""


def refuse(constant):
    raise ValueError(constant)


# What the RFC leaves open and the two answer differently, by what Python raises when it reads on:
# the only differences that are permitted.
PERMITTED = {
    UnicodeEncodeError: "half a surrogate pair (section 8.2): Python hands it on, though no UTF-8 can say it; "
                        "strict mode refuses it",
    RecursionError: "deep nesting (section 9): Python does not look on, so both answers do",
}


def python_reads(text):
    """Python's tokens, or what it raised."""
    try:
        value = json.loads(text.decode(), parse_int=Number, parse_float=Number, parse_constant=refuse,
                           object_pairs_hook=lambda pairs: ("object", pairs))
        dumped = []
        tokens(value, dumped)
        return "".join(dumped)
    except (ValueError, RecursionError) as error:
        return error


def tokens(value, out):
    """The tokens of a value in the spelling of json_tokens; UnicodeEncodeError is a ValueError."""
    if isinstance(value, Number):
        out.append(" n" + value)
    elif isinstance(value, str):
        out.append(" s" + value.encode().hex())
    elif isinstance(value, tuple):
        out.append(" {")
        for key, member in value[1]:
            out.append(" k" + key.encode().hex())
            tokens(member, out)
        out.append(" }")
    elif isinstance(value, list):
        out.append(" [")
        for element in value:
            tokens(element, out)
        out.append(" ]")
    else:
        out.append({True: " t", False: " f", None: " z"}[value])


def ptool_reads(documents, mode):
    asked = b"".join(b"%d %s\n%s" % (len(text), mode, text) for text in documents)
    answers = subprocess.run([TOOL], input=asked, stdout=subprocess.PIPE, check=True).stdout
    return answers.decode().splitlines()


def compare(documents):
    """Texts and a reason for each document on which the two disagree."""
    strict = ptool_reads(documents, b"strict")
    tolerant = ptool_reads(documents, b"tolerant")
    assert len(strict) == len(tolerant) == len(documents)
    for text, ours, loose in zip(documents, strict, tolerant):
        theirs = python_reads(text)
        if isinstance(theirs, ValueError):
            if not ours.startswith("bad "):
                yield text, f"strict mode reads what Python refuses: {ours}"
        elif isinstance(theirs, str) and ours != "ok 0" + theirs:
            yield text, f"Python reads {theirs}, strict mode {ours}"
        elif ours.startswith("ok ") and loose != ours:
            yield text, f"tolerant mode differs from strict mode: {loose}"
        if ours.startswith("bad ") and int(ours[4:]) > len(text):
            yield text, f"the error lies behind the end: {ours}"
        if loose.startswith("ok 0 ") and loose != ours:
            yield text, "tolerant mode reads without a flaw what strict mode refuses"


def vectors():
    with open(VECTORS, encoding="ascii") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                text = line.rstrip("\n").split(" ", 2)[2]
                yield re.sub(rb"%([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())


def limits(rng):
    """Tokens and containers far larger than those of any trace."""
    for n in (1000, 4300, 100000):
        digits = "".join(rng.choice("123456789") for _ in range(n))
        yield from (f"[{digits}]", f"-0.{digits}", f"{digits}e{digits}", f"[0{digits}]", f"[{digits}.]")
    for n in (255, 65535, 65536, 1 << 20):
        yield from (f'"{"a" * n}"', f'"{chr(0xe9) * n}"', f'"{"a" * n}', f'"{"a" * n}{chr(10)}"', "\"" + "\\n" * n + "\"",
                    "\"" + "\\" * (2 * n + 1) + "\"")
    for n in (100, 50000):
        yield from ("[" + ",".join(["0"] * n) + "]", "[" + "0," * n + "]", "{" + ",".join(['"":0'] * n) + "}",
                    "{" + ",".join(f'"{i}":{i}' for i in range(n)) + "}", " " * n + "[" + "\n" * n + "]" + "\t" * n)
    for n in (10, 500, 4000):
        yield from ("[" * n + "]" * n, '{"a":' * n + "1" + "}" * n, "[" * n + "]" * (n - 1), '[{"a":' * (n // 2) + "]" * n)


def main():
    rng = random.Random(8259)
    whole = [Document(rng).text().encode() for _ in range(ROUNDS)]
    cases = [
        ("the vectors of the RFC", list(vectors())),
        ("random documents", whole),
        ("mutated documents", [mutated(rng, text) for text in whole for _ in range(4)]),
        ("mutated vectors", [mutated(rng, text) for text in vectors() for _ in range(40)]),
        ("limits", [text.encode() for text in limits(rng)]),
        ("several documents", [first + between + second for first, second in zip(whole, reversed(whole))
                               for between in (b"", b" ", b",", b"\n")][:ROUNDS]),
        ("documents cut anywhere", [text[:rng.randrange(len(text))] for text in whole]),
    ]
    print(f"1..{len(cases)}")
    failed = 0
    for number, (name, documents) in enumerate(cases, 1):
        differences = list(compare(documents))
        failed += bool(differences)
        theirs = [python_reads(text) for text in documents]
        refused = sum(not isinstance(answer, str) for answer in theirs)
        for kind, why in PERMITTED.items():
            permitted = sum(isinstance(answer, kind) for answer in theirs)
            if permitted:
                print(f"# {permitted} times {why}")
        for text, reason in differences[:5]:
            print(f"# {text!r}: {reason}"[:600])
        print(f"{'not ok' if differences else 'ok'} {number} - {name}: {len(documents)} documents, "
              f"{refused} refused by Python, {len(differences)} differences")
    sys.exit(failed > 0)


main()
