"""The server has all protections, is stripped, and its debug information is beside it.

usage: binary_test.py SLUICE COMPILE_COMMANDS
"""

import json
import sys

from elf import debug_file, missing_protections, readelf


def main():
    sluice, commands = sys.argv[1:]
    assert missing_protections(sluice) == [], missing_protections(sluice)
    # Most calls of ours are proven to be in bounds when they are compiled, so that no symbol tells.
    with open(commands, encoding="utf-8") as file:
        plain = [one["file"] for one in json.load(file)
                 if "/src/" in one["file"] and "-D_FORTIFY_SOURCE=3" not in one["command"]]
    assert not plain, f"not fortified: {plain}"
    assert ".debug_info" not in readelf(sluice, "-S"), "it was not stripped"
    assert ".symtab" not in readelf(sluice, "-S"), "it was not stripped"
    debug = debug_file(sluice)
    assert debug, "there is no link to a file with debug information"
    assert "sluice3cli" in readelf(debug, "-s"), "its symbols have no names"
    assert ".debug_info" in readelf(debug, "-S")


main()
