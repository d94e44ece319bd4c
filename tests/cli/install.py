#!/usr/bin/env python3
"""Installs the tool, and checks that its files are in their places.  usage: install.py SLUICE"""
import os
import subprocess
import sys
import tempfile

PATIENCE = 120
WANTED = [
    "bin/sluice",
    "share/bash-completion/completions/sluice",
    "share/fish/vendor_completions.d/sluice.fish",
    "share/man/man1/sluice-bench.1",
    "share/man/man1/sluice-check.1",
    "share/man/man1/sluice-doctor.1",
    "share/man/man1/sluice-explain.1",
    "share/man/man1/sluice-peek.1",
    "share/man/man1/sluice-refund.1",
    "share/man/man1/sluice-reset.1",
    "share/man/man1/sluice-rules.1",
    "share/man/man1/sluice-serve.1",
    "share/man/man1/sluice-simulate.1",
    "share/man/man1/sluice.1",
    "share/man/man5/sluice-rules.5",
    "share/zsh/site-functions/_sluice",
]


def main():
    build = os.path.dirname(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", "tool"],
                       check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        found = sorted(os.path.relpath(os.path.join(folder, name), prefix)
                       for folder, _, names in os.walk(prefix) for name in names)
    assert found == WANTED, f"expected {WANTED}, found {found}"


main()
