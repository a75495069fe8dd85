#!/usr/bin/env python3
"""The colours of the page's fills can be told apart, whatever the eyes: the difference of each pair
by CIEDE2000 (Sharma, Wu, Dalal 2005), as normal eyes see them and as those see them that lack
the red, green or blue cones (Machado, Oliveira, Fernandes 2009, severity 1).

Speaks TAP.
"""
import itertools
import math
import os
import re

STYLE = os.path.join(os.path.dirname(__file__), "..", "..", "src", "report", "assets", "style.css")
FILLS = "kernel comm memcpy memset data runtime cpu other python note".split()
LEAST = 13
LEAST_OF_NOTE = 11  # labels; names stand beside them
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)


def times(matrix, vector):
    return [sum(m * v for m, v in zip(row, vector)) for row in matrix]


def linear(text):
    parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def lab(rgb):
    x, y, z = (v / w for v, w in zip(times(TO_XYZ, rgb), WHITE))
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def hue(a, b):
    return math.degrees(math.atan2(b, a)) % 360 if a or b else 0


def ciede2000(one, two):
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = (1 - math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7))) / 2
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = hue(a1, b1), hue(a2, b2)
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    cos = lambda factor, shift: math.cos(math.radians(factor * h + shift))
    t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.20 * cos(4, -63)
    sl = 1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * \
        math.sin(math.radians(60 * math.exp(-((h - 275) / 25) ** 2)))
    dl, dc, dh = dl / sl, dc / sc, dh / sh
    return math.sqrt(dl * dl + dc * dc + dh * dh + rt * dc * dh)


def nearest(colours, sight, least_of):
    """(difference, pair) of the pair that is nearest to its limit."""
    seen = {name: lab([min(1, max(0, p)) for p in times(SIGHTS[sight], linear(colours[name]))]) for name in FILLS}
    pairs = [(ciede2000(seen[a], seen[b]), a, b) for a, b in itertools.combinations(FILLS, 2)]
    return min(pairs, key=lambda pair: pair[0] - least_of(pair))


def themes():
    """The first value of each colour is the light one, the second the dark one."""
    with open(STYLE, encoding="utf-8") as file:
        text = file.read()
    found = {name: re.findall(rf"--{name}: (#[0-9a-f]{{6}});", text) for name in FILLS}
    assert all(len(values) == 2 for values in found.values()), found
    return {theme: {name: values[i] for name, values in found.items()} for i, theme in enumerate(("light", "dark"))}


def main():
    # A pair of the paper's own table, so that the formula is known to be right.
    assert abs(ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) - 2.0425) < 1e-4
    assert abs(ciede2000((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387)) - 1.2644) < 1e-4
    limit = lambda pair: LEAST_OF_NOTE if "note" in pair[1:] else LEAST
    print(f"1..{2 * len(SIGHTS)}")
    for number, ((theme, colours), sight) in enumerate(itertools.product(themes().items(), SIGHTS), 1):
        difference, a, b = worst = nearest(colours, sight, limit)
        print(f"{'ok' if difference >= limit(worst) else 'not ok'} {number} - {theme} for {sight} eyes: "
              f"{a} and {b} differ by {difference:.1f}")


main()
