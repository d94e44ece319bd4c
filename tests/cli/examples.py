#!/usr/bin/env python3
"""Every file of examples/ is valid for its program.  usage: examples.py SLUICE

The proxies run with these files in tests/integration, and the traces run in simulate.py.
"""
import glob
import os
import subprocess
import sys

import yaml

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

from server import run_tests  # noqa: E402


def examples(pattern):
    found = glob.glob(os.path.join(PROJECT, "examples", pattern))
    assert found, pattern
    return found


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def test_scripts_compile():
    for path in examples("*/*.lua"):
        run("luac5.3", "-p", path)


def test_rules_load_without_a_warning():
    run(SLUICE, "rules", "check", *examples("rules/*.yaml"))


def test_configurations_of_envoy_are_yaml():
    for path in examples("envoy/*.yaml"):
        with open(path, encoding="utf-8") as file:
            assert "static_resources" in yaml.safe_load(file), path


run_tests(globals())
