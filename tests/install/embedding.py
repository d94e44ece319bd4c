#!/usr/bin/env python3
"""Builds and runs the program of docs/embedding.md with the commands that it shows.

usage: embedding.py PREFIX COMPILER FOLDER
"""
import os
import re
import shlex
import subprocess
import sys

PREFIX, COMPILER, FOLDER = sys.argv[1:]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPECTED = "allowed\nallowed\nrefused\n"

with open(os.path.join(PROJECT, "docs", "embedding.md"), encoding="utf-8") as document:
    PAGE = document.read()


def run(command):
    libraries = os.path.join(PREFIX, "lib", "pkgconfig")
    environment = dict(os.environ, PKG_CONFIG_PATH=libraries)
    done = subprocess.run(command, shell=True, cwd=FOLDER, env=environment, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def main():
    os.makedirs(FOLDER, exist_ok=True)
    (program,) = re.findall(r"```cpp\n(.*?)```", PAGE, re.S)
    with open(os.path.join(FOLDER, "app.cc"), "w", encoding="utf-8") as source:
        source.write(program)
    lines = re.findall(r"^    g\+\+ (.*)$", PAGE, re.M)
    assert len(lines) == 2 and "pkg-config" in lines[0] and "-I/usr/local" in lines[1], lines
    for line in lines:
        run(f"{shlex.quote(COMPILER)} {line.replace('/usr/local', shlex.quote(PREFIX))}")
        assert run("./app") == EXPECTED, line


main()
