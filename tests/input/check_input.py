#!/usr/bin/env python3
"""Inputs that others packed (Python's zipfile, tarfile, gzip and codecs, zstd's
program), as files and through a pipe: every member's bytes must come out.
Speaks TAP."""
import gzip
import io
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

TOOL = os.path.join(os.path.dirname(os.environ["PTOOL"]), "tools", "input_members")
LONG = "a/" * 60 + "b" * 180 + ".json"
NAMES = ["rank0.json", "folder/rank1.json", "empty", "späte Spur €.json", LONG]


def example():
    """Names and bytes: small, empty, and larger than any window."""
    rng = random.Random(3)
    text = "".join(rng.choice('{}[]:,"abc0123456789 ') for _ in range(1_500_000))
    bodies = [b"[1]", b"[]" * 5000, b"", '{"é": "\U0001f680"}'.encode(), text.encode()]
    return dict(zip(NAMES, bodies))


class Unseekable(io.RawIOBase):
    """What makes zipfile write sizes behind the members, as in a pipe."""

    def __init__(self):
        super().__init__()
        self.out = io.BytesIO()

    def writable(self):
        return True

    def write(self, data):
        return self.out.write(data)


def zip_of(members, method, stream=False, comment=b"", zip64=False):
    out = Unseekable() if stream else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.comment = comment
        archive.writestr("folder/", b"", zipfile.ZIP_STORED)
        for name, body in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as member:
                member.write(body)
    return (out.out if stream else out).getvalue()


def tarred(members, flavour):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=flavour) as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "rank0.json"
        archive.addfile(link)
        for name, body in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
        twin = tarfile.TarInfo("twin")
        twin.type, twin.linkname = tarfile.LNKTYPE, "rank0.json"
        archive.addfile(twin)
    return out.getvalue()


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, stdout=subprocess.PIPE, check=True).stdout


class Check:
    def __init__(self, folder):
        self.path = os.path.join(folder, "trace.txt")
        self.count = self.failed = 0

    def told(self, data, pipe):
        with open(self.path, "wb") as out:
            out.write(data)
        if pipe:
            with subprocess.Popen(["cat", self.path], stdout=subprocess.PIPE) as cat:
                run = subprocess.run([TOOL, "-"], stdin=cat.stdout, stdout=subprocess.PIPE, check=True)
        else:
            run = subprocess.run([TOOL, self.path], stdout=subprocess.PIPE, check=True)
        return run.stdout.decode().splitlines()

    def result(self, passed, name, *details):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}", flush=True)
        for detail in details if not passed else []:
            print(f"#   {detail[:300]}")

    def gives(self, name, data, members, kind="bytes", packed=False):
        """From a file and through a pipe: these members, whole and no others."""
        want = [(str(len(body)), f"{zlib.crc32(body):08x}", kind, member) for member, body in members.items()]
        for pipe in (False, True):
            lines = [line.split("\t") for line in self.told(data, pipe)]
            got = [tuple(line[:3] + line[4:]) for line in lines]
            sizes = [line[3] for line in lines if len(line) == 5]
            honest = list(members) == ["-"] or all(size == "0" or size == line[0] or packed
                                                         for size, line in zip(sizes, want))
            self.result(got == want and honest, f"{name}, {'a pipe' if pipe else 'a file'}",
                        *[f"got {line}" for line in lines if tuple(line[:3] + line[4:]) not in want],
                        *[f"wanted {line}" for line in want if line not in got])


def archives(check, members):
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        name = zipfile.compressor_names[method]
        for stream in (False, True):
            # Where the end of such data is, only the directory at the end says.
            if stream and method == zipfile.ZIP_BZIP2:
                continue
            label = f"zip, {name}{', sizes behind the members' if stream else ''}"
            check.gives(label, zip_of(members, method, stream=stream), members)
    check.gives("zip with a comment", zip_of(members, zipfile.ZIP_DEFLATED, comment=b"PK\5\6 no"), members)
    check.gives("zip64", zip_of(members, zipfile.ZIP_DEFLATED, zip64=True), members)
    check.gives("an empty zip", zip_of({}, zipfile.ZIP_DEFLATED), {})
    for flavour, name in ((tarfile.GNU_FORMAT, "GNU"), (tarfile.PAX_FORMAT, "pax"), (tarfile.USTAR_FORMAT, "POSIX")):
        some = {k: v for k, v in members.items() if k != LONG} if flavour == tarfile.USTAR_FORMAT else members
        tar = tarred(some, flavour)
        check.gives(f"{name} tar", tar, some)
        check.gives(f"{name} tar.gz", gzip.compress(tar, 1), some)
        check.gives(f"{name} tar.zst", zstd(tar), some)
    packed = {name: gzip.compress(body) if body else body for name, body in members.items()}
    check.gives("a tar of gzip members", tarred(packed, tarfile.PAX_FORMAT), members, packed=True)


def streams(check, body):
    whole = {"-": body}
    check.gives("plain", body, whole)
    check.gives("gzip", gzip.compress(body), whole)
    for options in (["-1"], ["-12"], ["--no-check"], ["--long=27"], ["-B100000", "-T2"], ["--fast=5"]):
        check.gives(f"zstd {' '.join(options)}", zstd(body, *options), whole)
    check.gives("frames of zstd", zstd(body[:1000]) + zstd(b"") + zstd(body[1000:]), whole)
    check.gives("gzip in zstd", zstd(gzip.compress(body)), whole)
    check.gives("zstd in gzip", gzip.compress(zstd(body)), whole)


def encodings(check):
    text = '[{"name": "späte Spur € \U0001f680", "ph": "X"}]' * 1000
    whole = {"-": text.encode()}
    for codec in ("utf-16-le", "utf-16-be"):
        check.gives(codec, text.encode(codec), whole, "utf16")
        check.gives(f"{codec} with a mark", ("\ufeff" + text).encode(codec), whole, "utf16")
        check.gives(f"{codec} in zstd", zstd(text.encode(codec)), whole, "utf16")
        check.gives(f"{codec} in a zip", zip_of({"a.json": text.encode(codec)}, zipfile.ZIP_DEFLATED),
                    {"a.json": text.encode()}, "utf16", packed=True)


def main():
    members = example()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(folder)
        archives(check, members)
        streams(check, members[LONG])
        encodings(check)
    print(f"1..{check.count}")
    sys.exit(1 if check.failed else 0)


main()
