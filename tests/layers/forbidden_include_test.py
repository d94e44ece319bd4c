"""forbidden_include_test.py COMPILER LAYER=DIR:DIR...

For every ordered pair of layers: with the include directories a layer is built with, a header of
another layer is found if and only if the arrows of tools/lint/layers.txt lead there.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import arrows  # noqa: E402  (needs the path above)


def header_is_found(compiler, include_dirs, header):
    command = [compiler, "-std=c++20", "-x", "c++", "-E", "-P", "-"]
    command += [f"-I{directory}" for directory in include_dirs]
    code = f'#if __has_include("{header}")\nfound\n#endif\n'
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
    return done.stdout.strip() == "found"


def first_header(layer):
    folder = ROOT / "src" / layer
    headers = sorted(folder.rglob("*.h"))
    return f"{layer}/{headers[0].relative_to(folder)}" if headers else None


def main(compiler, probes):
    table = arrows.read_layers(ROOT)
    directories = dict(probe.split("=", 1) for probe in probes)
    tried = forbidden = 0
    faults = []
    for layer, dirs in directories.items():
        reachable = arrows.closure(table, layer)
        for other in directories:
            header = first_header(other)
            if header is None:
                continue
            found = header_is_found(compiler, dirs.split(":"), header)
            allowed = other == layer or other in reachable
            tried += 1
            forbidden += not allowed
            if found and not allowed:
                faults.append(f"{layer} can include {header}, which the arrows forbid")
            if not found and other == layer:
                faults.append(f"{layer} cannot include its own {header}")
    print(f"{tried} pairs tried, {forbidden} of them forbidden")
    print("\n".join(faults))
    return 1 if faults or not tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
