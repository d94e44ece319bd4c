#!/usr/bin/env python3
"""Runs `sluice rules` as people and programs do.  usage: rules.py SLUICE"""
import json
import os
import subprocess
import sys
import tempfile
import traceback

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Generous: a sanitised build on a busy machine is many times slower than the release build.
PATIENCE = 120

BAD = """\
domain: api
rules:
  - name: posts
    limt: 2/m
  - { name: likes, per: [user], limit: 2/fortnight }
"""


def check(*args):
    return subprocess.run([SLUICE, "rules", "check", *args], capture_output=True, text=True,
                          timeout=PATIENCE)


def expect(found, wanted):
    assert found == wanted, f"expected {wanted!r}, found {found!r}"


def test_the_examples_are_good():
    done = check(os.path.join(PROJECT, "examples", "rules"))
    expect(done.stderr, "")
    expect(done.stdout.splitlines()[-1], "6 files, 5 domains, 10 rules: good")
    expect(done.returncode, 0)


def test_every_error_has_its_place():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bad.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(BAD)
        done = check(path)
        expect(done.returncode, 1)
        first, second = done.stdout.splitlines()
        expect(first, f"{path}:4:5: unknown key 'limt'; did you mean 'limit'?")
        assert second.startswith(f"{path}:5:"), second
        problems = json.loads(check(path, "-o", "json").stdout)
        expect([problem["line"] for problem in problems], [4, 5])
        expect(problems[0]["column"], 5)
        expect(problems[0]["severity"], "error")


def test_a_wrong_command_says_how_it_is_used():
    done = check()
    expect(done.returncode, 2)
    expect(done.stderr, "sluice rules check: expected a rule file or a directory of them\n")
    done = check("--jsn", "x")
    expect(done.returncode, 2)
    assert "unknown flag '--jsn'" in done.stderr, done.stderr
    done = subprocess.run([SLUICE, "rules", "chek"], capture_output=True, text=True,
                          timeout=PATIENCE)
    expect(done.returncode, 2)
    assert "did you mean 'check'?" in done.stderr, done.stderr


def test_a_missing_file_is_a_failure():
    done = check("/no/such/file.yaml")
    expect(done.returncode, 1)
    assert "cannot read '/no/such/file.yaml'" in done.stderr, done.stderr


def main():
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
        except Exception:  # a test that fails in any way has failed
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc()
    sys.exit(1 if failed else 0)


main()
