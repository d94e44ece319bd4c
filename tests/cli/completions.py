#!/usr/bin/env python3
"""Completes command lines in bash, zsh and fish.  usage: completions.py SLUICE"""
import os
import pty
import re
import select
import subprocess
import sys
import time
import traceback

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import help_text  # noqa: E402
import loader_words  # noqa: E402

PATIENCE = help_text.PATIENCE
FOLDER = os.path.join(PROJECT, "completions")
# No settings of the current user, and plain output.
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TERM": "dumb", "LC_ALL": "C",
               "ZDOTDIR": "/nonexistent"}

BASH = """
source "$1/sluice.bash"
compopt() { :; }
COMP_LINE=$2 COMP_POINT=${#2} COMP_CWORD=$(($# - 3))
COMP_WORDS=("${@:3}")
_sluice
printf '%s\\n' "${COMPREPLY[@]}"
"""

# Stubs for the functions of zsh's completion system.
ZSH = """
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- "${(@P)2}" }
compadd() { }
compset() { return 1 }
_message() { }
words=("${@:2}") CURRENT=$(($# - 1)) PREFIX=$words[-1]
file=$1
set --
source "$file/_sluice"
"""


def shell(*args):
    done = subprocess.run(args, capture_output=True, text=True, timeout=PATIENCE, cwd=PROJECT,
                          env=ENVIRONMENT)
    assert done.stderr == "", done.stderr
    return [line for line in done.stdout.splitlines() if line]


def bash(line):
    """Returns what bash offers for the last word of the line, which it also splits at =."""
    words = re.findall(r"=|[^ =]+", line) + ([""] if line.endswith((" ", "=")) else [])
    if line.endswith("="):
        words = words[:-1]
    return set(shell("bash", "--norc", "-c", BASH, "bash", FOLDER, line, *words))


def fish(line):
    script = "source $argv[1]/sluice.fish; complete -C $argv[2]"
    return {each.split("\t")[0] for each in
            shell("fish", "--no-config", "-c", script, FOLDER, line)}


def zsh(line):
    """Returns the flags and commands that are passed to zsh for the last word of the line."""
    specs = shell("zsh", "-f", "-c", ZSH, "zsh", FOLDER, *line.split(" "))
    # "*--compare[...]:..." and "--proxy-protocol=-[...]:..." are flags, "check:..." is a command.
    found = (re.match(r"\*?(-[a-z]|--[a-z-]+)(?=\[|=-\[)|[a-z]+(?=:)", spec) for spec in specs)
    return {match.group().lstrip("*") for match in found if match}


SHELLS = {"bash": bash, "fish": fish, "zsh": zsh}


def expect(found, wanted, what=""):
    assert found == wanted, f"{what}: expected {sorted(wanted)}, found {sorted(found)}"


def flags_offered(offer, command):
    """Returns the flags for - or -- before the cursor; fish leaves short flags out after --.

    fish also offers a flag with an optional value with its =.
    """
    line = f"sluice {command} -" if command else "sluice -"
    return {word.rstrip("=") for word in offer(line) | offer(line + "-") if word.startswith("-")}


def test_the_scripts_have_no_syntax_errors():
    for name, file in (("bash", "sluice.bash"), ("zsh", "_sluice"), ("fish", "sluice.fish")):
        shell(name, "-n", os.path.join(FOLDER, file))


def test_every_command_is_offered_and_no_other():
    groups = help_text.groups(SLUICE)
    awaited = {command.split()[0] for command in help_text.AWAITED}
    for name, offer in SHELLS.items():
        expect(offer("sluice "), set(groups) | awaited | {"help"}, name)
        expect(offer("sluice help ") - {"help"}, set(groups) | awaited, f"{name}: help")
        for group, subs in groups.items():
            if subs:
                extra = {command.split()[1] for command in help_text.AWAITED
                         if command.startswith(group + " ")}
                expect(offer(f"sluice {group} "), set(subs) | extra, f"{name}: {group}")


def test_every_flag_of_the_help_is_offered_and_no_other():
    for command in sorted(help_text.commands(SLUICE)) + [""]:
        wanted = help_text.flags(SLUICE, command)
        for name, offer in SHELLS.items():
            expect(flags_offered(offer, command), wanted, f"{name}: {command}")


def test_the_three_shells_offer_the_same():
    """Also compares the commands that do not exist yet."""
    for command in sorted(help_text.AWAITED):
        wanted = flags_offered(bash, command)
        assert {"-o", "--help"} <= wanted, wanted
        for name in ("fish", "zsh"):
            expect(flags_offered(SHELLS[name], command), wanted, f"{name}: {command}")


def test_a_partial_word_is_completed():
    for name in ("bash", "fish"):
        offer = SHELLS[name]
        expect(offer("sluice ru"), {"rules"}, name)
        expect(offer("sluice rules sch"), {"schema"}, name)
        expect(offer("sluice simulate --c"), {"--compare"}, name)
        expect(offer("sluice rules x"), set(), name)
        expect(offer("sluice nothing "), set(), name)


def test_values_of_flags():
    profiles = {"ietf", "x-ratelimit", "envoy", "github", "openai", "none"}
    for name in ("bash", "fish"):
        offer = SHELLS[name]
        expect(offer("sluice simulate -o "), {"table", "json"}, name)
        for command in ("check", "bench", "doctor", "rules check", "rules show", "rules diff",
                        "explain"):
            expect(offer(f"sluice {command} -o "), {"text", "json"}, f"{name}: {command}")
        expect(offer("sluice explain --profile "), profiles, name)
        expect(offer("sluice explain --profile g"), {"github"}, name)
        expect(offer("sluice explain --domain "), set(), name)
        expect(offer("sluice explain m"), {"method="}, name)
        expect(offer("sluice check --protocol "), {"http", "rls", "resp"}, name)
        expect(offer("sluice check m"), {"method="}, name)
        expect(offer("sluice bench --protocol "), {"http", "rls", "resp", "forward-auth"}, name)
        expect(offer("sluice bench --distribution z"), {"zipf"}, name)
        expect(offer("sluice bench --rate "), set(), name)
        expect(offer("sluice doctor --store "), set(), name)
        expect(offer("sluice serve --listen "), set(), name)
        expect(offer("sluice serve --proxy-protocol "), set(), name)
    expect(bash("sluice serve --proxy-protocol="), {"true", "false"}, "bash")
    expect(fish("sluice serve --proxy-protocol="),
           {"--proxy-protocol=true", "--proxy-protocol=false"}, "fish")
    expect(bash("sluice explain --profile="), profiles, "bash")
    expect(bash("sluice explain --profile=g"), {"github"}, "bash")


def test_paths_where_a_path_is_expected():
    for name in ("bash", "fish"):
        for before in ("simulate --trace", "simulate --plot", "rules check", "rules show",
                       "rules diff", "rules diff README.md", "explain --rules",
                       "doctor --settings", "doctor --store-password-file"):
            found = {word.rstrip("/") for word in SHELLS[name](f"sluice {before} exampl")}
            expect(found, {"examples"}, f"{name}: {before}")
        for before in ("rules schema", "simulate -o", "explain --profile", "help"):
            expect(SHELLS[name](f"sluice {before} exampl"), set(), f"{name}: {before}")


def test_values_of_settings():
    """The help of serve shows words as a|b and paths as PATH; both are completed as such."""
    text = help_text.run(SLUICE, "serve", "--help").stdout
    settings = dict(re.findall(r"^  (--\S+) (\S+)$", text, re.M))
    assert {"PATH", "auto|text|json"} <= set(settings.values()), settings
    for name in ("bash", "fish"):
        for flag, value in settings.items():
            line = f"sluice serve {flag} "
            if "|" in value:
                expect(SHELLS[name](line), set(value.split("|")), f"{name}: {flag}")
            found = {word.rstrip("/") for word in SHELLS[name](line + "exampl")}
            expect(found, {"examples"} if value == "PATH" else set(), f"{name}: {flag}")


def test_algorithms_inside_a_limit():
    begun = '{"rate":"1/s","algorithm":"'
    wanted = {f'{begun}{name}"}}' for name in loader_words.limit_keys()}
    for name in ("bash", "fish"):
        for flag in ("--limit", "--compare 1/s"):
            # fish requires several limits after one --compare to be its own; it offers the first.
            flag = "--compare" if name == "fish" and flag != "--limit" else flag
            expect(SHELLS[name](f"sluice simulate {flag} '{begun}"), wanted, f"{name}: {flag}")
            expect(SHELLS[name](f"sluice simulate {flag} '{begun}pa"), {begun + 'pacer"}'}, name)
        expect(SHELLS[name]("sluice simulate --limit 1"), set(), name)


def typed(argv, setup, keys, wanted):
    """Types into a real shell until it prints `wanted`."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(PROJECT)
        os.execvpe(argv[0], argv, ENVIRONMENT)
    seen = ""
    try:
        deadline = time.monotonic() + PATIENCE
        for text, until in ((setup + "; print_ready\n", "READY"), (keys + "\n", wanted)):
            os.write(terminal, text.encode())
            while until not in seen:
                left = deadline - time.monotonic()
                ready, _, _ = select.select([terminal], [], [], max(left, 0))
                assert ready, f"{argv[0]}: {keys!r} did not become {wanted!r}: {seen[-2000:]!r}"
                seen += os.read(terminal, 65536).decode(errors="replace")
    finally:
        os.kill(pid, 9)
        os.close(terminal)
        os.waitpid(pid, 0)


TYPED = {
    "sluice ru\tsch\t": "GOT[rules schema]",
    "sluice simulate --tr\texamples/bu\t": "GOT[simulate --trace examples/burst.jsonl]",
    "sluice rules check -o j\t": "GOT[rules check -o json]",
    "sluice rules check README\texamples/ru\t": "GOT[rules check README.md examples/rules",
    "sluice explain --prof\tgi\tmeth\tGET": "GOT[explain --profile github method=GET]",
    "sluice serve --log-l\twa\t--tls-min\tTLSv1.3":
        "GOT[serve --log-level warning --tls-min-version TLSv1.3]",
    "sluice serve --proxy-protocol=f\t": "GOT[serve --proxy-protocol=false]",
    "sluice serve --set\tREADM\t--rules examples/ru\t":
        "GOT[serve --settings README.md --rules examples/rules",
    "sluice simulate --limit '{\"rate\":\"1/s\",\"algorithm\":\"pa\t":
        'GOT[simulate --limit {"rate":"1/s","algorithm":"pacer"}]',
}
# The echo of the typed keys must not contain the text that is awaited.
DEFINITIONS = "print_ready() { echo RE''ADY; }; sluice() { echo \"GO\"\"T[$*]\"; }"


def test_typed_into_bash():
    setup = f"{DEFINITIONS}; source completions/sluice.bash"
    for keys, wanted in TYPED.items():
        typed(["bash", "--norc", "--noprofile", "-i"], setup, keys, wanted)


def test_typed_into_zsh():
    setup = f"{DEFINITIONS}; fpath=($PWD/completions $fpath); autoload -U compinit; compinit -D -u"
    for keys, wanted in TYPED.items():
        typed(["zsh", "-f", "-i"], setup, keys, wanted)


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
