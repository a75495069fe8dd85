#!/usr/bin/env python3
"""wheel.py VERSION MACHINE PROGRAM FOLDER: a wheel of the static program and the module of python/.

The program needs no library, so the wheel runs wherever its machine and Linux are: that
is looked at here (no interpreter, no library that it would load), and is what the tags say.
The same program gives the same bytes.
"""
import base64
import hashlib
import os
import struct
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PT_DYNAMIC, PT_INTERP, DT_NEEDED = 2, 3, 1
# e_machine, and the oldest tags that pip knows for it.
MACHINES = {"x86_64": (62, ("manylinux1", "manylinux_2_5", "musllinux_1_1")),
            "aarch64": (183, ("manylinux2014", "manylinux_2_17", "musllinux_1_1"))}
EPOCH = (1980, 1, 1, 0, 0, 0)
NEEDS = ["libarchive", "libbz2", "libcsv", "libiberty", "liblzma", "libncurses", "libnettle", "libpcre2-8", "libsqlite3",
         "libzstd", "zlib1g", "libc6"]


def check_static(path, machine):
    """Ends the program when it would need anything of the machine that it is installed on."""
    with open(path, "rb") as program:
        elf = program.read()
    if elf[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", elf, 18)[0] != MACHINES[machine][0]:
        sys.exit("wheel.py: %s is no program for %s" % (path, machine))
    at, size, n = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    for i in range(n):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", elf, at + i * size)
        if kind == PT_INTERP:
            sys.exit("wheel.py: %s is not static: it needs %s" % (path, elf[offset:offset + length - 1].decode()))
        if kind == PT_DYNAMIC and any(struct.unpack_from("<Q", elf, tag)[0] == DT_NEEDED
                                      for tag in range(offset, offset + length, 16)):
            sys.exit("wheel.py: %s is not static: it needs libraries" % path)
    return elf


def read(*path):
    with open(os.path.join(ROOT, *path), "rb") as file:
        return file.read()


def licences():
    """Of the libraries that the program holds, as Debian tells them: (name, text)."""
    for package in NEEDS:
        for name in (package, package + "-dev", package + "-dev:amd64"):
            path = os.path.join("/usr/share/doc", name, "copyright")
            if os.path.exists(path):
                with open(path, "rb") as file:
                    yield package, file.read()
                break


def main():
    version, machine, program, folder = sys.argv[1:]
    elf = check_static(program, machine)
    tags = ["%s_%s" % (tag, machine) for tag in MACHINES[machine][1]]
    info = "ptool-%s.dist-info/" % version
    files = [("ptool/__init__.py", read("python", "ptool", "__init__.py"), 0o644),
             ("ptool-%s.data/scripts/ptool" % version, elf, 0o755),
             (info + "METADATA", ("Metadata-Version: 2.1\nName: ptool\nVersion: %s\n"
                                  "Summary: Answers from profiles of training code\nLicense: MIT\n"
                                  "Requires-Python: >=3.6\nProvides-Extra: pandas\n"
                                  "Requires-Dist: pandas; extra == 'pandas'\n" % version).encode(), 0o644),
             (info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: ptool\nRoot-Is-Purelib: false\n" +
                               "".join("Tag: py3-none-%s\n" % tag for tag in tags)).encode(), 0o644),
             (info + "LICENSE", read("LICENSE"), 0o644)]
    files += [(info + "licenses/%s.txt" % name, text, 0o644) for name, text in licences()]
    record = info + "RECORD"
    lines = ["%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(),
                                    len(data)) for name, data, _ in files]
    files.append((record, ("".join(lines) + record + ",,\n").encode(), 0o644))
    path = os.path.join(folder, "ptool-%s-py3-none-%s.whl" % (version, ".".join(tags)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main()
