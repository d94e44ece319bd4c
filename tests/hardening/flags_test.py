"""A program built with cmake/hardening.cmake has all protections, and one without does not.

usage: flags_test.py COMPILER FOLDER
"""

import os
import shutil
import subprocess
import sys

from elf import debug_file, missing_protections, readelf

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEADLINE_SECONDS = 120

LISTS = f"""
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
include({PROJECT}/cmake/hardening.cmake)
include({PROJECT}/cmake/split_debug.cmake)
add_executable(program program.cc)
sluice_split_debug(program)
"""

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int Copy(const char* from, std::size_t size) {
  char text[64];
  std::memcpy(text, from, size);
  return std::puts(text);
}

int main(int argc, char** argv) {
  std::vector<int (*)(const char*, std::size_t)> all(static_cast<std::size_t>(argc), Copy);
  const std::size_t number = static_cast<std::size_t>(std::atoi(argv[0]));
  return all[number](argv[0], number);
}
"""


def build(compiler, folder, *flags):
    """The path of the program."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, text in (("CMakeLists.txt", LISTS), ("program.cc", PROGRAM)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    out = os.path.join(folder, "build")
    for command in (["cmake", "-G", "Ninja", "-S", folder, "-B", out, "-DCMAKE_BUILD_TYPE=None",
                     f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS=-O2 -g", *flags],
                    ["cmake", "--build", out]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return os.path.join(out, "program")


def main():
    compiler, folder = sys.argv[1:]
    program = build(compiler, folder, "-DSLUICE_HARDEN=ON", "-DSLUICE_SPLIT_DEBUG=ON")
    assert missing_protections(program) == [], missing_protections(program)
    assert "__memcpy_chk" in readelf(program, "--dyn-syms"), "it was not fortified"
    debug = debug_file(program)
    assert debug, "there is no link to a file with debug information"
    assert "main" in readelf(debug, "-s") and ".debug_info" in readelf(debug, "-S")
    assert ".debug_info" not in readelf(program, "-S"), "the program was not stripped"

    plain = build(compiler, folder)
    # What compilers do by default depends on who made them; this much none of them does.
    lacks = missing_protections(plain)
    assert {"_GLIBCXX_ASSERTIONS", "BIND_NOW"} <= set(lacks), lacks
    assert debug_file(plain) is None


main()
