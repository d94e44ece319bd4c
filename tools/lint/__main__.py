"""The house lint: python3 tools/lint [ROOT]. Prints findings and exits with 1, or 0 if clean."""

import pathlib
import sys

from tree import lint


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2]
    findings = lint(root)
    for finding in findings:
        print(finding)
    if findings:
        print(f"lint: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
