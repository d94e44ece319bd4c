#!/usr/bin/env python3
"""Runs `sluice explain` as users and programs do.  usage: explain.py SLUICE"""
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(PROJECT, "examples", "rules")
# Generous: a sanitised build on a busy machine is many times slower than the release build.
PATIENCE = 120


def explain(*args):
    return subprocess.run([SLUICE, "explain", *args], capture_output=True, text=True,
                          timeout=PATIENCE)


def expect(found, wanted):
    assert found == wanted, f"expected {wanted!r}, found {found!r}"


def answer(*args):
    done = explain("--rules", EXAMPLES, "-o", "json", *args)
    expect(done.stderr, "")
    expect(done.returncode, 0)
    return json.loads(done.stdout)


def outcomes(told):
    return {rule["rule"]: rule["outcome"] for rule in told["rules"]}


def test_a_table_shows_what_applies_and_why():
    done = explain("--rules", EXAMPLES, "--domain", "api", "user=42", "method=POST",
                   "path=/v1/posts")
    expect(done.stderr, "")
    expect(done.returncode, 0)
    lines = done.stdout.splitlines()
    expect(lines[0], "domain 'api': allowed")
    expect(lines[3], "office    no match  ip is missing; expected one of the list 'offices'")
    expect(lines[5], "posts     applies   key: user=42")
    expect(lines[-2:], ['  RateLimit-Policy: "plan/s";q=50;w=1, "posts/m";q=2;w=60',
                        '  RateLimit: "posts/m";r=1;t=30'])
    assert "\x1b" not in done.stdout, "color where there is no terminal"


def test_json_has_keys_and_costs():
    told = answer("--domain", "api", "--cost", "3", "header.x-user-id=42", "header.x-plan=pro",
                  "path=/v1/follow/7")
    expect(outcomes(told), {"office": "no match", "plan": "applies", "posts": "no match",
                            "follows": "applies", "everyone": "applies"})
    expect([charge["rule"] for charge in told["charges"]],
           ["plan", "follows", "follows", "everyone"])
    expect(told["charges"][1]["key"], [{"attribute": "user", "value": "42"}])
    expect({charge["cost"] for charge in told["charges"]}, {3})
    expect([each["remaining"] for each in told["decisions"]], [997, 147, 997, 9997])
    expect(told["status"], 200)


def test_a_refusal_exits_with_zero():
    told = answer("--domain", "login", "--cost", "6", "--profile", "x-ratelimit", "ip=192.0.2.1")
    expect(told["allowed"], False)
    expect(told["retry_after_ms"], "never")
    expect(told["status"], 429)
    expect(told["headers"], {"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "5",
                             "X-RateLimit-Reset": "0"})


def test_descriptors_use_attributes_in_order():
    told = answer("--domain", "messaging", "message_type=marketing", "to_number=42")
    expect(told["descriptor"]["outcome"], "applies")
    expect(told["charges"][0]["key"], [{"attribute": "to_number", "value": "42"}])
    told = answer("--domain", "messaging", "to_number=42", "message_type=marketing")
    expect(told["descriptor"]["why"], "found to_number; expected message_type or auth_type")
    expect(told["decisions"], [])


def test_a_path_is_shown_in_both_forms_if_they_differ():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('domain: api\nrules:\n'
                       '  - { name: static, match: { path: "/static/*" }, action: allow }\n'
                       '  - { name: private, match: { path: "/private/*" }, action: deny }\n'
                       '  - { name: paths, per: [path], limit: 10/m }\n')
        done = explain("--rules", path, "path=/private%2Fx")
        expect(done.stderr, "")
        lines = done.stdout.splitlines()
        expect(lines[:2], ["domain 'api': denied, 403; waiting does not help",
                           "path: '/private%2Fx', to a lenient application '/private/x'"])
        expect(lines[4], "static   no match   path is '/private/x' and '/private%2Fx'; "
                         "expected both forms to be '/static/*'")
        expect(lines[5], "private  denies     its match holds, so nothing is charged")
        told = json.loads(explain("--rules", path, "-o", "json", "path=/a;b/c/").stdout)
        expect(told["path"], {"strict": "/a;b/c/", "lenient": "/a/c/"})
        expect(told["charges"][0]["key"], [{"attribute": "path", "value": "/a/c"}])
        assert "path" not in json.loads(explain("--rules", path, "-o", "json", "path=/a").stdout)
        done = explain("--rules", path, "path=/a", "path=/b")
        assert "comes twice" in done.stdout, done.stdout
        done = explain("--rules", path, "path=/a;b%2Fc")
        expect((done.returncode, done.stdout), (2, ""))
        expect(done.stderr, "sluice explain: forward auth refuses this request with 400: the path "
                            "'/a;b%2Fc' has both '%2F' and ';', so that applications could read it "
                            "in more than two ways\n")


def test_one_domain_need_not_be_named():
    done = explain("--rules", os.path.join(EXAMPLES, "login.yaml"), "account=7")
    expect(done.returncode, 0)
    expect(done.stdout.splitlines()[0], "domain 'login': allowed")
    done = explain("--rules", EXAMPLES, "account=7")
    expect(done.returncode, 2)
    expect(done.stderr,
           "sluice explain: expected --domain DOMAIN, one of api, login, messaging, reports or "
           "tokens\n")


def test_invalid_commands_report_what_was_expected():
    more = "\nRun 'sluice explain --help' to learn more.\n"
    for args, message in [
            (["user=42"], "expected --rules PATH, for example --rules examples/rules"),
            (["--rules", EXAMPLES, "user"], "expected ATTRIBUTE=VALUE, found 'user'"),
            (["--rules", EXAMPLES, "=42"], "expected ATTRIBUTE=VALUE, found '=42'"),
            (["--rules", EXAMPLES, "header.X-User-Id=42"],
             "the names of headers are in lower case, found 'header.X-User-Id'; did you mean "
             "'header.x-user-id'?"),
            (["--rules", EXAMPLES, "--cost", "1.5"],
             "--cost: expected a whole number from 0 to 10^18, found '1.5'"),
            (["--rules", EXAMPLES, "--profile", "github2"],
             "--profile: unknown header profile 'github2'; did you mean 'github'?"),
            (["--rules", EXAMPLES, "-o", "yaml"], "-o: expected text or json, found 'yaml'"),
            (["--rule", EXAMPLES], "unknown flag '--rule'; did you mean '--rules'?")]:
        done = explain(*args)
        expect(done.returncode, 2)
        expect(done.stderr, "sluice explain: " + message + more)
        expect(done.stdout, "")
    done = explain("--rules", EXAMPLES, "--domain", "ap")
    expect(done.returncode, 2)
    expect(done.stderr, "sluice explain: --domain: unknown domain 'ap'; did you mean 'api'?\n")


def test_invalid_rules_are_a_failure():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bad.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("domain: api\nrules:\n  - { name: posts, limt: 2/m }\n")
        done = explain("--rules", path, "user=42")
        expect(done.returncode, 1)
        expect(done.stdout, "")
        first, second = done.stderr.splitlines()[:2]
        expect(first, "sluice explain: the rules cannot be used")
        assert second.startswith(f"{path}:3:"), second
        assert "did you mean 'limit'?" in second, second
    done = explain("--rules", "/no/such/file.yaml")
    expect(done.returncode, 1)
    assert "/no/such/file.yaml: cannot be read" in done.stderr, done.stderr


def test_help_shows_every_flag():
    done = explain("--help")
    expect(done.returncode, 0)
    for flag in ["--rules", "--domain", "--cost", "--profile", "-o", "--help"]:
        assert flag in done.stdout, flag


def test_examples_in_the_document_are_real():
    with open(os.path.join(PROJECT, "docs", "explain.md"), encoding="utf-8") as file:
        examples = re.findall(r"^```console\n\$ sluice explain (.*?)\n(.*?\n)```$", file.read(),
                              re.M | re.S)
    expect(len(examples), 2)
    for args, shown in examples:
        done = subprocess.run([SLUICE, "explain", *args.split()], cwd=PROJECT,
                              capture_output=True, text=True, timeout=PATIENCE)
        expect(done.stdout, shown)


def main():
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
        except Exception:  # any exception is a failure
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc()
    sys.exit(1 if failed else 0)


main()
