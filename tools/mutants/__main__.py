"""Runs the kept list of mutants: python3 tools/mutants [--check] [NAME...]

Each mutant is built alone in a copy of the tree (build/mutants) and must make one of its tests
fail. NAME is a layer (core), a mutant (core/weighs-at-most-a-part) or a file of rules. --check only
says whether every rule still fits the code.
"""

import argparse
import pathlib
import sys

import rule as rules
import run
from scratch import ScratchError

ROOT = pathlib.Path(__file__).resolve().parents[2]


def chosen(names):
    """Returns the rules that the names select; all of rules/ without any."""
    files = [pathlib.Path(name) for name in names if name.endswith(".txt")]
    names = [name for name in names if not name.endswith(".txt")]
    if names or not files:
        files += sorted(rules.FOLDER.glob("*.txt"))
    found = rules.read_all(files)
    if names:
        unknown = set(names) - {r.layer for r in found} - {r.full_name for r in found}
        if unknown:
            raise rules.RuleError(f"no such layer or mutant: {', '.join(sorted(unknown))}")
        found = [r for r in found if r.layer in names or r.full_name in names]
    return found


def main(arguments):
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only whether every rule applies")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    try:
        mutants = chosen(options.names)
        broken = rules.problems(mutants, ROOT)
        if broken:
            print("\n".join(broken))
            return 1
        if options.check:
            print(f"{len(mutants)} mutants, each applies exactly once")
            return 0
        return run.run(mutants, ROOT, options.jobs, is_whole=not options.names)
    except (rules.RuleError, ScratchError) as problem:
        print(problem)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
