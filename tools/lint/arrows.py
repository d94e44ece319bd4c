"""Checks every include against layers.txt, which defines the layers that a layer may include."""

import pathlib
import posixpath
import re

_INCLUDE = re.compile(r'(?m)^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
_STANDARD_HEADER = re.compile(r"^[a-z][a-z0-9_]*$")
# Headers of the standard library that a pure function must not need. The clock check finds clocks:
# <chrono>'s durations and calendar are allowed.
CORE_BANNED_HEADERS = {
    "condition_variable", "fstream", "future", "iostream", "mutex", "random", "shared_mutex",
    "syncstream", "thread",
}
# The embedded library has no third-party code.
EMBEDDED_LAYERS = {"base", "core", "store", "limiter"}
_SYSTEM_FOLDERS = ("sys/", "linux/", "asm/", "netinet/", "arpa/")


def read_layers(root):
    """Returns layers.txt as {layer: set of layers it may include}; {"*"} is all of them."""
    table = {}
    for line in (pathlib.Path(root) / "tools/lint/layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            layer, allowed = line.split(":")
            table[layer] = set(allowed.split())
    return table


def closure(table, layer):
    """Returns every layer reachable from layer: those that its build can see."""
    if "*" in table[layer]:
        return set(table)
    reached = set()
    waiting = list(table[layer])
    while waiting:
        other = waiting.pop()
        if other not in reached:
            reached.add(other)
            waiting.extend(table[other])
    return reached


def layer_of(path):
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return "api" if path.startswith("include/sluice/") else None


def _quoted_fault(source, layer, include, table):
    parts = include.split("/")
    if ".." in parts or "." in parts:
        return "a relative include goes around the layers; write \"layer/file.h\""
    first = parts[0]
    if first == "sluice" or first == layer:
        return None
    if first not in table:
        beside = posixpath.join(posixpath.dirname(source.path), include)
        if (source.root / beside).exists():
            return None
        return f"'{first}' is no layer and no folder beside this file"
    if layer == "api":
        return "a public header may include only the standard library and sluice/"
    allowed = table[layer]
    if "*" in allowed or first in allowed:
        return None
    return (f"{layer} may include {', '.join(sorted(allowed)) or 'no other layer'}, not {first} "
            "(tools/lint/layers.txt)")


def _angled_fault(layer, include):
    if layer in ("core", "api") and not _STANDARD_HEADER.match(include):
        return f"{layer} may include only the standard library"
    if layer == "core" and include in CORE_BANNED_HEADERS:
        return "core is pure: no lock, thread, stream or random source"
    third_party = "/" in include and not include.startswith(_SYSTEM_FOLDERS)
    if layer in EMBEDDED_LAYERS and third_party:
        return f"{layer} is part of the embedded library, which has no third-party code"
    return None


def check_include(source, table):
    layer = layer_of(source.path)
    if not source.is_cpp or layer is None:
        return
    if layer != "api" and layer not in table:
        yield source.finding(0, "include", f"folder src/{layer} has no row in layers.txt")
        return
    for match in _INCLUDE.finditer(source.text):
        if not source.code[match.start() : match.end()].strip().startswith("#"):
            continue  # commented out
        quoted, angled = match.groups()
        fault = (_quoted_fault(source, layer, quoted, table) if quoted
                 else _angled_fault(layer, angled))
        if fault:
            yield source.finding(match.start(), "include", f"'{quoted or angled}': {fault}")
