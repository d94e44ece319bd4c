"""Adds up ctest's JUnit reports: total.py SECONDS REPORT... prints one line."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def main(seconds, paths):
    tests = failed = skipped = 0
    parts = []
    for path in paths:
        suite = ElementTree.parse(path).getroot()
        count = int(suite.get("tests"))
        tests += count
        failed += int(suite.get("failures"))
        skipped += int(suite.get("skipped")) + int(suite.get("disabled"))
        parts.append(f"{pathlib.Path(path).stem.removeprefix('report-')} {count}")
    print(
        f"== total: {tests} tests ({', '.join(parts)}), "
        f"{failed} failed, {skipped} skipped, {seconds} s"
    )
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
