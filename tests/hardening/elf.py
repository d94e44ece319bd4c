"""What a program is protected by, as its file tells."""

import os
import re
import subprocess
import zlib

ENDBR64 = b"\xf3\x0f\x1e\xfa"


def readelf(path, *flags):
    return subprocess.run(["readelf", "-W", *flags, path], check=True, capture_output=True,
                          text=True).stdout


def section(path, name):
    """The bytes of a section; none if it is not there."""
    found = re.search(rf"(?m)^ *\[ *\d+\] {re.escape(name)} +\S+ +\S+ +(\S+) (\S+)",
                      readelf(path, "-S"))
    if not found:
        return b""
    offset, size = (int(number, 16) for number in found.groups())
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(size)


def missing_protections(path):
    """The protections that a program does not have, by their names."""
    header, segments = readelf(path, "-h"), readelf(path, "-l")
    dynamic, symbols = readelf(path, "-d"), readelf(path, "--dyn-syms")
    is_x86 = "X86-64" in header
    stack = re.search(r"GNU_STACK +(?:\S+ +){5}(\w+)", segments)
    checks = {
        "PIE": re.search(r"Type: +DYN", header) and "INTERP" in segments,
        "RELRO": "GNU_RELRO" in segments,
        "BIND_NOW": re.search(r"BIND_NOW|Flags: .*\bNOW\b", dynamic),
        "no executable stack": stack and "E" not in stack.group(1),
        "stack protector": "__stack_chk_fail" in symbols,
        "_GLIBCXX_ASSERTIONS": "__glibcxx_assert_fail" in symbols,
        # More than the few of the start files.
        "CET": not is_x86 or section(path, ".text").count(ENDBR64) > 3,
    }
    return [name for name, holds in checks.items() if not holds]


def debug_file(path):
    """The file with the debug information of a program, checked as debuggers do; or None."""
    link = section(path, ".gnu_debuglink")
    name, _, rest = link.partition(b"\0")
    if not name:
        return None
    found = os.path.join(os.path.dirname(path), name.decode())
    with open(found, "rb") as file:
        wanted = int.from_bytes(rest[-4:], "little")
        assert zlib.crc32(file.read()) == wanted, f"{found} is that of another build"
    return found
