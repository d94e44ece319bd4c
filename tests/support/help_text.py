"""The program's description of itself: its commands, and the flags of each.

Everything that describes the program (completions, manual pages) is compared with these.
"""
import re
import subprocess

# Generous: a sanitised build on a busy machine is many times slower than the release build.
PATIENCE = 120

# Commands that are documented but not yet in the program. A command that exists must leave this
# list, so that its loss would be noticed.
AWAITED = set()

_FLAG = re.compile(r"(?<![\w'\"=<-])(--[a-z][a-z-]*|-[a-z])(?![\w-])")


def run(sluice, *args):
    return subprocess.run([sluice, *args], capture_output=True, text=True, timeout=PATIENCE)


def _section(text, title):
    """Returns the indented lines that follow `title:`."""
    return re.search(rf"^{title}:\n((?: .*\n)+)", text, re.M).group(1)


def _sub_commands(sluice, command):
    """Returns the sub-commands, such as check and schema of `rules`; none if there are none."""
    error = run(sluice, command, "?").stderr
    expected = re.search(r"unknown command '\?'; expected (.*)", error)
    return re.split(r", | or ", expected.group(1)) if expected else []


def groups(sluice):
    """Returns every command except for help, as {"simulate": [], "rules": ["check", ...]}."""
    listed = _section(run(sluice, "help").stdout, "commands")
    names = re.findall(r"^  (\S+)", listed, re.M)
    assert "help" in names and "simulate" in names, names
    return {name: _sub_commands(sluice, name) for name in names if name != "help"}


def commands(sluice):
    """Returns every command that does something, as "simulate" or "rules check"."""
    found = {f"{name} {sub}".strip()
             for name, subs in groups(sluice).items() for sub in subs or [""]}
    there = found & AWAITED
    assert not there, f"in the program now: take {sorted(there)} out of AWAITED"
    return found


def flags(sluice, command):
    """Returns the flags in the help of a command; "" is the program itself."""
    if command == "":
        return set(_FLAG.findall(_section(run(sluice, "help").stdout, "flags")))
    done = run(sluice, *command.split(), "--help")
    assert done.returncode == 0 and done.stdout, f"{command} --help: {done}"
    # Examples may show other commands.
    text = re.sub(r"(?m)^ *\$ .*$", "", done.stdout)
    return set(_FLAG.findall(text)) | {"--help"}
