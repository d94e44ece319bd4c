#!/usr/bin/env python3
"""Runs `sluice rules` as users and programs do.  usage: rules.py SLUICE"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import traceback

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Generous: a sanitised build on a busy machine is many times slower than the release build.
PATIENCE = 120

OLD = """\
domain: api
lists: { offices: [10.0.0.0/8] }
rules:
  - { name: office, match: { ip: { in: offices } }, action: allow }
  - { name: posts, match: { method: POST }, per: [user], limit: 2/m }
"""
NEW = """\
domain: api
lists: { offices: [10.0.0.0/8, 192.0.2.0/24] }
rules:
  - { name: office, match: { ip: { in: offices } }, action: allow }
  - { name: posts, match: { method: POST }, per: [user], limit: 4/m, mode: shadow }
"""
SHOWN = """\
domain api                FILE:1:9
  lists.offices  1 value  FILE:2:10
  ip_prefix.v4   32       default
  ip_prefix.v6   64       default

rule office                 FILE:4:13
  action     allow          FILE:4:61
  match.ip   {in: offices}  FILE:4:40
  mode       enforce        default

rule posts                             FILE:5:13
  action            limit              default
  match.method      POST               FILE:5:37
  per               [user]             FILE:5:50
  limit             2/m                FILE:5:65
    name            m                  default
    algorithm       token_bucket       default
    rate            2/m                FILE:5:65
    burst           2                  default
    refill          greedy             default
    max_wait        0                  default
  cost              the request's own  default
  debt              false              default
  mode              enforce            default
  enforce_percent   100                default
  status            429                default
  message           (none)             default
  consistency       exact              default
  deny_cache        false              default
  on_store_failure  local              default
  replaces          []                 default
"""
TREE = """\
domain: rls
descriptors:
  - key: type
    value: marketing
    rate_limit: { unit: day, requests_per_unit: 100 }
    descriptors:
      - { key: number, shadow_mode: true, rate_limit: 5/h }
"""
TREE_SHOWN = """\
domain rls          FILE:1:9
  ip_prefix.v4  32  default
  ip_prefix.v6  64  default

descriptors
  type=marketing   100/d, fixed_window  FILE:3:10
    number         5/h                  FILE:7:16
      shadow_mode  true                 FILE:7:37
"""

BAD = """\
domain: api
rules:
  - name: posts
    limt: 2/m
  - { name: likes, per: [user], limit: 2/fortnight }
"""


def rules(*args):
    return subprocess.run([SLUICE, "rules", *args], capture_output=True, text=True,
                          timeout=PATIENCE)


def check(*args):
    return rules("check", *args)


class Files:
    """Rule files that are deleted after the test: Files(old=OLD).old is the path of one."""

    def __init__(self, **texts):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in texts.items():
            path = os.path.join(self.folder.name, name + ".yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            setattr(self, name, path)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.folder.cleanup()


def on_a_terminal(*args, **variables):
    """Returns the output of the command on a terminal, and its exit code."""
    controller, terminal = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment.update(TERM="xterm", **variables)
    with subprocess.Popen([SLUICE, "rules", *args], stdout=terminal, stderr=terminal,
                          env=environment) as process:
        os.close(terminal)
        printed = b""
        try:
            while chunk := os.read(controller, 65536):
                printed += chunk
        except OSError:  # the other end has been closed
            pass
        code = process.wait(PATIENCE)
    os.close(controller)
    return printed.decode().replace("\r\n", "\n"), code


def expect(found, wanted):
    assert found == wanted, f"expected {wanted!r}, found {found!r}"


def test_the_examples_are_valid():
    done = check(os.path.join(PROJECT, "examples", "rules"))
    expect(done.stderr, "")
    expect(done.stdout, "6 files, 5 domains, 10 rules, 3 descriptors: good\n")
    expect(done.returncode, 0)
    for page in ["man/sluice-rules.1", "docs/rules-commands.md"]:
        with open(os.path.join(PROJECT, page), encoding="utf-8") as file:
            shown = re.search(r"\$ sluice rules check examples/rules\n(.*\n)", file.read())
        expect(shown.group(1), done.stdout)


def test_every_error_has_its_position():
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


def test_an_invalid_command_reports_its_usage():
    done = check()
    expect(done.returncode, 2)
    expect(done.stderr, "sluice rules check: expected a rule file or a directory of them\n")
    done = check("--jsn", "x")
    expect(done.returncode, 2)
    assert "unknown flag '--jsn'" in done.stderr, done.stderr
    done = rules("chek")
    expect(done.returncode, 2)
    assert "did you mean 'check'?" in done.stderr, done.stderr


def test_rejects_warnings_when_strict():
    text = "domain: api\nrules: [{ name: a, match: { method: post }, per: ip, limit: 5/s }]\n"
    with Files(odd=text) as files:
        said = "a method is in upper case, so 'post' never matches; did you mean 'POST'?"
        done = check(files.odd)
        expect(done.stdout, f"{files.odd}:2:37: warning: {said}\n"
                            "1 file, 1 domain, 1 rule: good\n")
        expect(done.returncode, 0)
        done = check(files.odd, "--strict")
        expect((done.returncode, done.stdout), (1, f"{files.odd}:2:37: {said}\n"))
        problems = json.loads(check(files.odd, "--strict", "-o", "json").stdout)
        expect([problem["severity"] for problem in problems], ["error"])
    expect(check("--strict", os.path.join(PROJECT, "examples/rules")).returncode, 0)


def test_a_missing_file_is_a_failure():
    missing = "/no/such/file.yaml: cannot be read: No such file or directory"
    with Files(bad=BAD) as files:
        done = check("/no/such/file.yaml", files.bad)
        expect(done.returncode, 1)
        expect(done.stdout.splitlines()[0], missing)
        assert f"{files.bad}:4:5: unknown key" in done.stdout, done.stdout
        problems = json.loads(check("-o", "json", "/no/such/file.yaml", files.bad).stdout)
        expect(problems[0], {"file": "/no/such/file.yaml", "line": 0, "column": 0,
                             "severity": "error",
                             "message": "cannot be read: No such file or directory"})
        expect(problems[1]["file"], files.bad)
    done = rules("show", "/no/such/file.yaml")
    expect((done.returncode, done.stderr), (1, missing + "\n"))


def test_every_command_has_its_own_help():
    done = rules("--help")
    expect(done.returncode, 0)
    for name in ["check", "show", "diff"]:
        assert f"\n  {name} " in done.stdout, done.stdout
        own = rules(name, "--help")
        expect(own.returncode, 0)
        assert own.stdout.startswith(f"sluice rules {name}: "), own.stdout
    expect(rules().returncode, 2)


def test_severity_is_colored_only_on_a_terminal():
    with Files(bad=BAD) as files:
        printed, code = on_a_terminal("check", files.bad)
        expect(code, 1)
        expect(printed.splitlines()[0],
               f"\x1b[1m{files.bad}:4:5\x1b[0m: \x1b[31merror:\x1b[0m "
               "unknown key 'limt'; did you mean 'limit'?")
        printed, _ = on_a_terminal("check", files.bad, NO_COLOR="1")
        expect(printed, check(files.bad).stdout)
        assert "\x1b" not in printed, printed


def test_show_reports_where_each_value_was_written():
    with Files(old=OLD, tree=TREE) as files:
        for path, shown in [(files.old, SHOWN), (files.tree, TREE_SHOWN)]:
            done = rules("show", path)
            expect(done.returncode, 0)
            expect(done.stderr, "")
            # The path is in the last column, so its length does not shift anything.
            expect(done.stdout.replace(path, "FILE"), shown)
        printed, _ = on_a_terminal("show", files.tree)
        assert printed.startswith("\x1b[1mdomain rls "), printed
        assert "\x1b[2m  ip_prefix.v4  32  default\x1b[0m\n" in printed, printed


def test_show_has_json_for_programs():
    with Files(old=OLD, tree=TREE) as files:
        shown = json.loads(rules("show", files.old, files.tree, "-o", "json").stdout)
        api, rls = shown["domains"]
        expect(api["domain"], {"value": "api",
                               "from": {"file": files.old, "line": 1, "column": 9}})
        expect(api["lists"]["offices"]["value"], ["10.0.0.0/8"])
        expect(api["ip_prefix"]["v6"], {"value": 64, "from": None})
        posts = api["rules"][1]
        expect(posts["name"]["value"], "posts")
        expect(posts["match"]["method"]["value"], "POST")
        expect(posts["per"], {"value": ["user"],
                              "from": {"file": files.old, "line": 5, "column": 50}})
        expect(posts["limit"][0]["rate"],
               {"value": "2/m", "from": {"file": files.old, "line": 5, "column": 65}})
        expect(posts["limit"][0]["burst"], {"value": 2, "from": None})
        expect(posts["cost"], {"value": None, "from": None})
        marketing = rls["descriptors"][0]
        expect(marketing["value"]["value"], "marketing")
        expect(marketing["rate_limit"]["algorithm"]["value"], "fixed_window")
        expect(marketing["descriptors"][0]["shadow_mode"]["value"], True)


def test_show_of_one_domain_or_rule():
    with Files(old=OLD, tree=TREE) as files:
        both = [files.old, files.tree]
        done = rules("show", *both, "--domain", "rls")
        assert "domain rls" in done.stdout and "domain api" not in done.stdout, done.stdout
        done = rules("show", *both, "--rule", "posts")
        assert "rule posts" in done.stdout and "rule office" not in done.stdout, done.stdout
        done = rules("show", *both, "--rule", "post")
        expect(done.returncode, 2)
        expect(done.stderr, "sluice rules show: --rule: there is no rule 'post'; "
                            "did you mean 'posts'?\n")
        expect(rules("show", *both, "--domain", "ap").returncode, 2)


def test_show_and_diff_print_every_error():
    with Files(bad=BAD, old=OLD) as files:
        problems = check(files.bad).stdout
        shown = rules("show", files.bad)
        expect((shown.returncode, shown.stdout, shown.stderr), (1, "", problems))
        for args in [(files.bad, files.old), (files.old, files.bad)]:
            done = rules("diff", *args)
            expect((done.returncode, done.stdout, done.stderr), (2, "", problems))
        expect(rules("show", "/no/such.yaml").returncode, 1)
        expect(rules("diff", files.old, "/no/such.yaml").returncode, 2)
        done = rules("diff", files.old)
        expect((done.returncode, done.stderr),
               (2, "sluice rules diff: expected two rule files or directories, OLD and NEW\n"))


def test_diff_describes_changes():
    with Files(old=OLD, new=NEW) as files:
        done = rules("diff", files.old, files.new)
        expect(done.stderr, "")
        expect(done.stdout,
               "api: list 'offices': added '192.0.2.0/24'\n"
               "api: rule 'posts': mode enforce -> shadow; states stay\n"
               "api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over\n")
        expect(done.returncode, 1)
        changes = json.loads(rules("diff", files.old, files.new, "-o", "json").stdout)
        expect(changes[2], {"domain": "api", "subject": "rule", "name": "posts",
                            "change": "changed", "states": "carry_over",
                            "sentence": "rule 'posts': limit 'm' 2/m -> 4/m"})
        printed, _ = on_a_terminal("diff", files.old, files.new)
        assert printed.startswith("\x1b[33mapi: list 'offices'"), printed


def test_diff_of_the_same_rules_is_empty():
    with Files(old=OLD) as files:
        done = rules("diff", files.old, files.old)
        expect((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = rules("diff", files.old, files.old, "-o", "json")
        expect((done.returncode, done.stdout), (0, "[]\n"))
        good = os.path.join(PROJECT, "tests", "rules", "good")
        for name in os.listdir(good):
            path = os.path.join(good, name)
            if name.endswith((".yaml", ".json")):
                expect((name, rules("diff", path, path).stdout), (name, ""))
                assert json.loads(rules("show", path, "-o", "json").stdout), name


def test_the_outputs_in_the_documents_are_real():
    with open(os.path.join(PROJECT, "docs", "rules-commands.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```console\n(.*?)```", file.read(), re.DOTALL)
    runs = [run for block in blocks for run in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block,
                                                          re.MULTILINE)]
    expect(len(runs), 5)
    path = os.pathsep.join([os.path.dirname(os.path.abspath(SLUICE)), os.environ["PATH"]])
    for command, printed in runs:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=PROJECT,
                              env={**os.environ, "PATH": path}, timeout=PATIENCE)
        expect((command, done.stdout), (command, printed))


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
